#include "workers/sql/postgres/postgres_statement_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/sql/postgres/guard/guard_pg.h"
#include "workers/sql/postgres/postgres_db.h"
#include "workers/sql/postgres/postgres_plain.h"
#include "workers/sql/postgres/postgres_query.h"
#include "workers/sql/postgres/postgres_scan.h"
#include "workers/shared/call.h"

#define STATEMENT_CHECK_MAX_AGE	(5 * CLOCK_SECOND)
#define STATEMENT_CHECK_MIN_AGE	(CLOCK_SECOND / 2)	/* shortest time between two readings for unknown functions */
#define CACHE_SLOTS	512u
#define CACHE_TEXT_MAX	8192u			/* longer statements are checked each time */

/* An allowed text and its statement; the spans are kept as offsets. */
struct statement_slot {
	size_t			 len, cap, at, inner_at;
	char			*text;
	struct pg_statement	 st;
};

struct pg_statement_check {
	struct guard_pg		*guard;
	struct guard_catalogue	*catalogue;
	struct guard_plain	*plain;
	char			*const *functions;	/* trusted: "schema.name" */
	size_t			 nfunctions;
	bool			 analyze;	/* EXPLAIN ANALYZE is allowed */
	bool			 closed;	/* users' functions are not called, unless trusted */
	uint64_t		 looked_ns;	/* when the stamp was last compared */
	char			 stamp[32], plain_stamp[32];
	struct buf		 joined;	/* a statement after postgres_scan_join() */
	struct statement_slot		 slots[CACHE_SLOTS];	/* texts that were allowed with this catalogue */
};

/* Servers before version 11 have no procedures, before 14 no multiranges. */
static char *
statement_check_query(PGconn *conn, bool closed)
{
	const struct pg_given given[] = {
		{ "procedure", PQserverVersion(conn) >= 110000 ? "p.prokind = 'p'" : "false" },
		{ "closed", closed ? "true" : "false" },
		{ "multirange", PQserverVersion(conn) >= 140000 ? "r.rngmultitypid" : "r.rngtypid" },
		{ NULL, NULL }
	};
	struct buf query = { 0 };
	char *text;

	pg_query_put(&query, postgres_statement_check_catalogue_sql, given);
	text = mem_text(buf_view(&query));
	buf_fini(&query);
	return text;
}

static unsigned
number_of(const PGresult *res, int row, int column)
{
	return (unsigned)strtoul(PQgetvalue(res, row, column), NULL, 10);
}

static void
take_row(struct pg_statement_check *f, struct guard_catalogue *g, const PGresult *res, int row)
{
	struct span schema = pg_text(res, row, 1), name = pg_text(res, row, 2), extension = pg_text(res, row, 3);
	struct guard_behind behind = { pg_text(res, row, 7), extension, number_of(res, row, 4) };

	switch (PQgetvalue(res, row, 0)[0]) {
	case 'f':
		guard_catalogue_add_function(g, schema, name, extension, behind.properties, number_of(res, row, 5),
		    number_of(res, row, 6));
		break;
	case 'o':
		guard_catalogue_add_operator(g, schema, name, number_of(res, row, 5) != 0, &behind);
		break;
	case 't':
		guard_catalogue_add_type(g, schema, name, &behind);
		break;
	case 'h':
		guard_catalogue_add_holder(g, schema, name, extension, behind.name);
		break;
	case 'v':
		guard_catalogue_add_source(g, name);
		break;
	case 'y':
		guard_catalogue_add_castable(g, schema, name);
		break;
	case 'p':
		guard_catalogue_add_path(g, schema);
		break;
	case 's':
		snprintf(f->stamp, sizeof(f->stamp), "%s", PQgetvalue(res, row, 2));
		break;
	}
}

static void
statement_check_trust(const struct pg_statement_check *f, struct guard_catalogue *g)
{
	for (size_t i = 0; i < f->nfunctions; i++) {
		const char *text = f->functions[i], *dot = strchr(text, '.');

		if (dot != NULL)
			guard_catalogue_trust(g, span_of(text, (size_t)(dot - text)), span_str(dot + 1));
	}
}

/* After each reading of the catalogue: logs the trusted functions and what each may do. */
static void
warn_of_trust(const struct pg_statement_check *f, const struct guard_catalogue *g)
{
	static const char *const says[] = {
		[GUARD_MAY] = "may be called without being named in functions",
		[GUARD_UNKNOWN] = "is named in functions but does not exist",
		[GUARD_NOT_LISTED] = "may be called because functions names it: what its extension does is not known",
		[GUARD_LANGUAGE] = "may be called because functions names it: what it does is unknown",
		[GUARD_VOLATILE] = "may be called because functions names it: it is VOLATILE and may change something",
		[GUARD_DEFINER] = "may be called because functions names it: it runs with its owner's rights",
		[GUARD_PROCEDURE] = "is named in functions but is a procedure, which stays refused",
		[GUARD_DENIED] = "is named in functions but stays refused: it is on the list of refused functions",
	};

	for (size_t i = 0; i < f->nfunctions; i++)
		log_warn("%s %s", f->functions[i], says[guard_catalogue_trusted(g, i)]);
}

static void
forget_statements(struct pg_statement_check *f)
{
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		f->slots[i].len = 0;
}

static void
learn_catalogue(struct pg_statement_check *f, const PGresult *res)
{
	struct guard_catalogue *g = guard_catalogue_new();

	statement_check_trust(f, g);
	for (int i = 0; i < PQntuples(res); i++)
		take_row(f, g, res, i);
	guard_catalogue_seal(g);
	warn_of_trust(f, g);
	guard_catalogue_free(f->catalogue);
	f->catalogue = g;
	f->looked_ns = clock_ns();
	forget_statements(f);
}

/* Reads the relations and types; if they cannot be read, no statement is plain. */
static void
take_plain(struct pg_statement_check *f, const PGresult *stamp, const PGresult *res)
{
	snprintf(f->plain_stamp, sizeof(f->plain_stamp), "%s", PQntuples(stamp) == 1 ? PQgetvalue(stamp, 0, 0) : "");
	guard_plain_free(f->plain);
	f->plain = pg_plain_read(res);
	guard_pg_use_plain(f->guard, f->plain);
	forget_statements(f);
}

static void
open_plain(struct pg_statement_check *f, PGconn *conn)
{
	/* The stamp comes first: a change after it causes another reading. */
	PGresult *stamp = PQexec(conn, postgres_plain_stamp_sql), *res = PQexec(conn, postgres_plain_sql);

	take_plain(f, stamp, res);
	PQclear(stamp);
	PQclear(res);
}

int
pg_statement_check_open(struct pg_statement_check **out, PGconn *conn, const struct sql_config *cfg, struct err *err)
{
	struct pg_statement_check *f = mem_new(1, sizeof(*f));
	char *query = statement_check_query(conn, cfg->identity != NULL);
	PGresult *res;
	int rc = 0;

	*out = f;
	f->closed = cfg->identity != NULL;
	f->guard = guard_pg_new();
	f->functions = cfg->functions;
	f->nfunctions = cfg->nfunctions;
	/* The number of rows in each step of a plan could reveal protected values. */
	f->analyze = cfg->explain_analyze && columns_is_empty(cfg->columns);
	guard_pg_allow_analyze(f->guard, f->analyze);
	guard_pg_hide_places(f->guard, f->closed);
	res = PQexec(conn, query);
	free(query);
	if (PQresultStatus(res) == PGRES_TUPLES_OK) {
		learn_catalogue(f, res);
		open_plain(f, conn);
	} else {
		err_set(err, ERR_DATABASE_UNAVAILABLE, "the server's catalogue of functions cannot be read");
		rc = err_detail(err, "%s", PQresultErrorMessage(res));
	}
	PQclear(res);
	return rc;
}

void
pg_statement_check_close(struct pg_statement_check *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		free(f->slots[i].text);
	guard_catalogue_free(f->catalogue);
	guard_plain_free(f->plain);
	guard_pg_free(f->guard);
	buf_fini(&f->joined);
	free(f);
}

/* The same for the relations and types. */
static bool
look_again_plain(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct err *err)
{
	PGresult *stamp = pg_ask(db, c, postgres_plain_stamp_sql, 0, NULL, err), *res;
	bool same;

	if (stamp == NULL)
		return false;
	same = PQntuples(stamp) == 1 && strcmp(PQgetvalue(stamp, 0, 0), f->plain_stamp) == 0;
	res = same ? NULL : pg_ask(db, c, postgres_plain_sql, 0, NULL, err);
	if (res != NULL)
		take_plain(f, stamp, res);
	PQclear(stamp);
	PQclear(res);
	return same || res != NULL;
}

/* Reads the catalogue again if it has changed.  False, and *err, if the server cannot be asked. */
static bool
look_again(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct err *err)
{
	PGresult *res = pg_ask(db, c, postgres_statement_check_stamp_sql, 0, NULL, err);
	bool same;
	char *query;

	if (res == NULL)
		return false;
	same = PQntuples(res) == 1 && strcmp(PQgetvalue(res, 0, 0), f->stamp) == 0;
	PQclear(res);
	f->looked_ns = clock_ns();
	if (!look_again_plain(f, db, c, err))
		return false;
	if (same)
		return true;
	query = statement_check_query(db->session.conn, f->closed);
	res = pg_ask(db, c, query, 0, NULL, err);
	free(query);
	if (res == NULL)
		return false;
	learn_catalogue(f, res);
	PQclear(res);
	return true;
}

static struct statement_slot *
slot_of(struct pg_statement_check *f, struct span text)
{
	uint64_t h = text.len, word;
	size_t i = 0;

	for (; i + sizeof(word) <= text.len; i += sizeof(word)) {
		memcpy(&word, text.p + i, sizeof(word));
		h = (h ^ word) * 0x9E3779B97F4A7C15u;
		h ^= h >> 29;
	}
	for (; i < text.len; i++)
		h = (h ^ text.p[i]) * 1099511628211u;
	return &f->slots[(h ^ h >> 32) % CACHE_SLOTS];
}

static void
statement_check_remember(struct statement_slot *s, struct span text, const struct pg_statement *st)
{
	if (text.len > s->cap) {
		free(s->text);
		s->text = mem_alloc(text.len);
		s->cap = text.len;
	}
	memcpy(s->text, text.p, text.len);
	s->len = text.len;
	s->st = *st;
	s->at = (size_t)(st->text.p - text.p);
	s->inner_at = st->inner.len > 0 ? (size_t)(st->inner.p - text.p) : 0;
}

/* Compares the text itself: hashes could be made to collide. */
static bool
recall(const struct statement_slot *s, struct span text, struct pg_statement *st)
{
	if (s->len == 0 || !span_is(text, span_of(s->text, s->len)))
		return false;
	*st = s->st;
	st->text.p = text.p + s->at;
	if (st->inner.len > 0)
		st->inner.p = text.p + s->inner_at;
	return true;
}

/* The position in the message's details, for callers that mark it in the text. */
static void
put_position(struct call *c, const struct guard_finding *found)
{
	struct buf *out = call_details(c);

	if (found->position == 0)
		return;
	buf_reset(out, 4096);
	mp_put_pairs(out, mp_uint("position", found->position));
}

int
pg_statement_check_check(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct span sql,
    bool parameters, struct pg_statement *st, struct err *err)
{
	struct statement_slot *s = sql.len > 0 && sql.len <= CACHE_TEXT_MAX && !parameters ? slot_of(f, sql) : NULL;
	struct guard_finding found;
	uint64_t age = clock_ns() - f->looked_ns;
	struct err ignored;

	if (age > STATEMENT_CHECK_MAX_AGE && !look_again(f, db, c, err))
		return -1;
	if (s != NULL && recall(s, sql, st))
		return 0;
	guard_pg_allow_parameters(f->guard, parameters);
	/* Joined literals change the text, so check the joined text and do not cache the verdict. */
	if (postgres_scan_join(&f->joined, sql)) {
		sql = buf_view(&f->joined);
		s = NULL;
	}
	if (postgres_guard_check(sql, f->analyze, st, err) == -1)
		return -1;
	if (guard_pg_check(f->guard, f->catalogue, st->text, st->before, &found, err) == -1) {
		/* A function may be newer than our copy of the catalogue. */
		if (!found.unknown || age < STATEMENT_CHECK_MIN_AGE || age > STATEMENT_CHECK_MAX_AGE ||
		    !look_again(f, db, c, &ignored) ||
		    guard_pg_check(f->guard, f->catalogue, st->text, st->before, &found, err) == -1) {
			put_position(c, &found);
			return -1;
		}
	}
	st->plain = found.plain;
	st->memory = found.memory;
	if (s != NULL)
		statement_check_remember(s, sql, st);
	return 0;
}

const struct guard_catalogue *
pg_statement_check_catalogue(const struct pg_statement_check *f)
{
	return f->catalogue;
}

int
pg_statement_check_ask(struct pg_statement_check *f, struct span sql, unsigned layers, struct guard_finding *found,
    struct err *err)
{
	return guard_pg_check_layers(f->guard, f->catalogue, sql, 0, layers, found, err);
}
