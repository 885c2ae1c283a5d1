/* postgres_statement_check.c - see postgres_statement_check.h. */
#include "workers/sql/postgres/postgres_statement_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "policy/guard_pg.h"
#include "workers/sql/postgres/postgres_db.h"
#include "workers/sql/postgres/postgres_plain.h"
#include "workers/sql/sqltext.h"

#define STATEMENT_CHECK_MAX_AGE	(5 * CLOCK_SECOND)
#define STATEMENT_CHECK_MIN_AGE	(CLOCK_SECOND / 2)	/* however often unknown functions are called */
#define CACHE_SLOTS	512u
#define CACHE_TEXT_MAX	8192u			/* longer statements are checked each time */

/* A text that was allowed, and what it is; its spans are kept as offsets. */
struct slot {
	size_t			 len, cap, at, inner_at;
	char			*text;
	struct statement	 st;
};

struct pg_statement_check {
	struct guard_pg		*guard;
	struct guard_catalogue	*catalogue;
	struct guard_plain	*plain;
	char			*const *functions;	/* trusted: "schema.name" */
	size_t			 nfunctions;
	bool			 analyze;	/* EXPLAIN ANALYZE is let through */
	uint64_t		 looked_ns;	/* when the stamp was last compared */
	char			 stamp[32], plain_stamp[32];
	struct buf		 joined;	/* a statement whose literals had comments between their parts */
	struct slot		 slots[CACHE_SLOTS];	/* texts allowed with this catalogue */
};

/* --- what is asked of the server ---------------------------------------------------------- */

/*
 * Changes with every new, replaced, altered or dropped function, operator,
 * cast, type, schema or extension: each gives a row a new version.
 */
#define STAMP									\
    "SELECT pg_catalog.sum(pg_catalog.hashint8((x::pg_catalog.text::pg_catalog.int8 << 32) | o::pg_catalog.int8))"	\
    " FROM (SELECT xmin, oid FROM pg_catalog.pg_proc"				\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_operator"			\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_cast"			\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_namespace"			\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_extension"			\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_constraint WHERE contypid <> 0"	\
    " UNION ALL SELECT xmin, oid FROM pg_catalog.pg_type WHERE oid >= 16384 AND typtype IN ('b', 'd')) s(x, o)"

/*
 * Every function with its properties (enum in guard_catalogue.h; an aggregate
 * has those of its parts; one is shadowed where an earlier schema of the search
 * path has the same name with the same arguments and no call could tell them
 * apart by their number or by name), every operator and type of users with the function
 * behind it, which types hold which (where some may not be used), where values
 * of the types come from that operators of their own take, the names of types
 * that can be written as a function, and the search path.  Columns: what,
 * schema, name, extension, properties, min (of an operator: is it own?), max,
 * function.
 */
static const char catalogue_query[] =
    "WITH RECURSIVE part AS (SELECT p.oid, p.provolatile = 'v' AS v, p.prosecdef AS d,"
    "  p.oid >= 16384 AND l.lanname NOT IN ('sql', 'plpgsql')"
    "  AND (l.lanname <> 'internal' OR p.prosrc !~ '^(range_constructor[23]|multirange_constructor[012])$'"
    "   OR NOT EXISTS (SELECT FROM pg_catalog.pg_range r WHERE p.prorettype IN (r.rngtypid, %s)"
    "    AND r.rngcanonical::pg_catalog.oid < 16384 AND r.rngsubopc < 16384 AND (r.rngsubtype < 16384"
    "     OR EXISTS (SELECT FROM pg_catalog.pg_type s WHERE s.oid = r.rngsubtype AND (s.typtype = 'e'"
    "      OR (s.typtype = 'c' AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = s.typrelid"
    "       AND a.atttypid >= 16384 AND NOT a.attisdropped))))))) AS o"
    "  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang),"
    " agg AS (SELECT a.aggfnoid::pg_catalog.oid AS oid, pg_catalog.bool_or(part.v) AS v,"
    "  pg_catalog.bool_or(part.d) AS d, pg_catalog.bool_or(part.o) AS o"
    "  FROM pg_catalog.pg_aggregate a JOIN part ON part.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn,"
    "  a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)"
    "  WHERE a.aggfnoid >= 16384 GROUP BY 1),"
    " place AS (SELECT n.oid, s.at FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) WITH ORDINALITY s(name, at)"
    "  JOIN pg_catalog.pg_namespace n ON n.nspname = s.name),"
    " shadowed AS (SELECT DISTINCT p.oid FROM pg_catalog.pg_proc p JOIN place ON place.oid = p.pronamespace"
    "  JOIN pg_catalog.pg_proc q ON q.proname = p.proname AND q.proargtypes = p.proargtypes"
    "  JOIN place before ON before.oid = q.pronamespace AND before.at < place.at"
    "  WHERE p.oid >= 16384 AND p.pronargdefaults = 0 AND p.provariadic = 0 AND q.provariadic = 0"
    "   AND (p.pronargs = 0 OR p.proargnames IS NULL)),"
    " fn AS (SELECT p.oid, n.nspname, p.proname, coalesce(e.extname, '') AS ext,"
    "  CASE WHEN part.v OR coalesce(agg.v, false) THEN 1 ELSE 0 END"
    "  + CASE WHEN part.d OR coalesce(agg.d, false) THEN 2 ELSE 0 END"
    "  + CASE WHEN %s THEN 4 ELSE 0 END"
    "  + CASE WHEN p.pronargs > 0 AND p.proargtypes[0] <> 2281"
    "    AND (p.pronargs - p.pronargdefaults <= 1 OR (p.provariadic <> 0 AND p.pronargs <= 2))"
    "    THEN 8 + CASE WHEN t.typtype IN ('c', 'p') OR bt.typtype = 'c' THEN 16 ELSE 0 END ELSE 0 END"
    "  + CASE WHEN coalesce(agg.o, part.o) THEN 32 ELSE 0 END"
    "  + CASE WHEN p.oid < 16384 AND e.oid IS NULL AND n.nspname IN ('pg_catalog', 'information_schema')"
    "    THEN 64 ELSE 0 END"
    "  + CASE WHEN shadowed.oid IS NOT NULL THEN 128 ELSE 0 END AS props,"
    "  p.pronargs - p.pronargdefaults - CASE WHEN p.provariadic <> 0 THEN 1 ELSE 0 END AS least,"
    "  CASE WHEN p.provariadic <> 0 THEN 255 ELSE p.pronargs END AS most"
    "  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
    "  JOIN part ON part.oid = p.oid LEFT JOIN agg ON agg.oid = p.oid LEFT JOIN shadowed ON shadowed.oid = p.oid"
    "  LEFT JOIN pg_catalog.pg_type t ON t.oid = p.proargtypes[0]"
    "  LEFT JOIN pg_catalog.pg_type bt ON bt.oid = t.typbasetype"
    "  LEFT JOIN pg_catalog.pg_depend x ON x.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass"
    "    AND x.objid = p.oid AND x.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND x.deptype = 'e'"
    "  LEFT JOIN pg_catalog.pg_extension e ON e.oid = x.refobjid),"
    " behind AS (SELECT t.oid, t.typarray, f.oid AS fn FROM pg_catalog.pg_cast c"
    "   JOIN pg_catalog.pg_type t ON t.oid = c.casttarget JOIN fn f ON f.oid = c.castfunc WHERE c.oid >= 16384"
    "  UNION SELECT t.oid, t.typarray, f.oid FROM pg_catalog.pg_type t"
    "   JOIN fn f ON f.oid IN (t.typinput, t.typoutput, t.typmodin) WHERE t.oid >= 16384 AND t.typtype = 'b'"
    "   AND f.oid >= 16384"
    "  UNION SELECT t.oid, t.typarray, f.oid FROM pg_catalog.pg_constraint k"
    "   JOIN pg_catalog.pg_type t ON t.oid = k.contypid"
    "   JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass"
    "    AND d.objid = k.oid AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass"
    "   JOIN fn f ON f.oid = d.refobjid),"
    " holds (part, oid) AS (SELECT typelem, oid FROM pg_catalog.pg_type WHERE typelem >= 16384"
    "  UNION ALL SELECT typbasetype, oid FROM pg_catalog.pg_type WHERE typbasetype >= 16384"
    "  UNION ALL SELECT a.atttypid, c.reltype FROM pg_catalog.pg_attribute a"
    "   JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE a.atttypid >= 16384 AND NOT a.attisdropped"
    "   AND c.reltype <> 0 UNION ALL SELECT rngsubtype, rngtypid FROM pg_catalog.pg_range WHERE rngsubtype >= 16384"
    "  UNION ALL SELECT r.rngtypid, %s FROM pg_catalog.pg_range r WHERE r.rngtypid >= 16384),"
    " mine AS (SELECT t.oid FROM pg_catalog.pg_type t WHERE t.oid >= 16384 AND t.typtype IN ('b', 'c', 'e', 'r', 'm')"
    "  AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.casttarget = t.oid AND c.castcontext = 'i'"
    "   AND c.castsource < 16384)),"
    " op AS (SELECT o.oid, (o.oprleft = 0 OR o.oprleft IN (SELECT oid FROM mine))"
    "   AND (o.oprright = 0 OR o.oprright IN (SELECT oid FROM mine)) AND EXISTS (SELECT FROM pg_catalog.pg_operator s"
    "   WHERE s.oid < 16384 AND s.oprname = o.oprname AND s.oprleft = 25 AND s.oprright = 25) AS own, o.oprleft, o.oprright"
    "  FROM pg_catalog.pg_operator o WHERE o.oid >= 16384),"
    " leads (part, oid) AS (SELECT part, oid FROM holds UNION ALL SELECT casttarget, castsource FROM pg_catalog.pg_cast"
    "  WHERE castcontext = 'i' AND casttarget >= 16384),"
    " taken (oid) AS (SELECT s.oid FROM op, pg_catalog.unnest(ARRAY[op.oprleft, op.oprright]) s(oid)"
    "   WHERE op.own AND s.oid <> 0"
    "  UNION SELECT leads.oid FROM leads JOIN taken ON taken.oid = leads.part)"
    " SELECT 'f', nspname, proname, ext, props, least, most, '' FROM fn"
    " UNION ALL SELECT 'o', n.nspname, o.oprname, fn.ext, fn.props, CASE WHEN op.own THEN 1 ELSE 0 END, 0, fn.proname"
    "  FROM pg_catalog.pg_operator o JOIN op ON op.oid = o.oid"
    "  JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace JOIN fn ON fn.oid = o.oprcode"
    " UNION ALL SELECT 'v', '', t.typname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_type t ON t.oid = taken.oid"
    " UNION ALL SELECT DISTINCT 'v', '', c.relname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_attribute a"
    "  ON a.atttypid = taken.oid JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
    " UNION ALL SELECT DISTINCT 'v', '', p.proname, '', 0, 0, 0, '' FROM taken JOIN pg_catalog.pg_proc p"
    "  ON p.prorettype = taken.oid OR taken.oid = ANY (p.proallargtypes) WHERE p.oid >= 16384"
    " UNION ALL SELECT 'y', n.nspname, t.typname, '', 0, 0, 0, '' FROM pg_catalog.pg_type t"
    "  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype IN ('b', 'e', 'd', 'r', 'm')"
    "  AND (t.typelem = 0 OR t.typlen <> -1)"
    " UNION ALL SELECT 't', n.nspname, t.typname, fn.ext, fn.props, 0, 0, fn.proname FROM behind"
    "  JOIN pg_catalog.pg_type t ON t.oid = behind.oid OR (t.oid = behind.typarray AND behind.typarray <> 0)"
    "  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace JOIN fn ON fn.oid = behind.fn"
    " UNION ALL SELECT 'h', pn.nspname, pt.typname, wn.nspname, 0, 0, 0, wt.typname FROM holds"
    "  JOIN pg_catalog.pg_type pt ON pt.oid = holds.part JOIN pg_catalog.pg_namespace pn ON pn.oid = pt.typnamespace"
    "  JOIN pg_catalog.pg_type wt ON wt.oid = holds.oid JOIN pg_catalog.pg_namespace wn ON wn.oid = wt.typnamespace"
    "  WHERE EXISTS (SELECT FROM behind JOIN fn ON fn.oid = behind.fn"
    "   WHERE (fn.props & 7) <> 0 OR ((fn.props & 32) <> 0 AND fn.ext = ''))"
    " UNION ALL SELECT 'p', s, '', '', 0, 0, 0, '' FROM pg_catalog.unnest(pg_catalog.current_schemas(true)) s"
    " UNION ALL SELECT 's', '', (" STAMP ")::pg_catalog.text::pg_catalog.name, '', 0, 0, 0, ''";

/* Before version 11 there are no procedures, before 14 no multiranges. */
static char *
spell_query(PGconn *conn)
{
	const char *procedure = PQserverVersion(conn) >= 110000 ? "p.prokind = 'p'" : "false";
	const char *multirange = PQserverVersion(conn) >= 140000 ? "r.rngmultitypid" : "r.rngtypid";

	return mem_printf(catalogue_query, multirange, procedure, multirange);
}

/* --- taking it in -------------------------------------------------------------------------- */

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
		guard_catalogue_add_function(g, schema, name, extension, behind.properties,
		    number_of(res, row, 5), number_of(res, row, 6));
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
trust(const struct pg_statement_check *f, struct guard_catalogue *g)
{
	for (size_t i = 0; i < f->nfunctions; i++) {
		const char *text = f->functions[i], *dot = strchr(text, '.');

		if (dot != NULL)
			guard_catalogue_trust(g, span_of(text, (size_t)(dot - text)), span_str(dot + 1));
	}
}

/* Each time the catalogue is read: who is trusted, and with what. */
static void
warn_of_trust(const struct pg_statement_check *f, const struct guard_catalogue *g)
{
	static const char *const says[] = {
		[GUARD_MAY] = "may be called without being named in functions",
		[GUARD_UNKNOWN] = "is named in functions but does not exist",
		[GUARD_NOT_LISTED] = "may be called because functions names it: what its extension does is not known",
		[GUARD_LANGUAGE] = "may be called because functions names it: nobody can say what it does",
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
take(struct pg_statement_check *f, const PGresult *res)
{
	struct guard_catalogue *g = guard_catalogue_new();

	trust(f, g);
	for (int i = 0; i < PQntuples(res); i++)
		take_row(f, g, res, i);
	guard_catalogue_seal(g);
	warn_of_trust(f, g);
	guard_catalogue_free(f->catalogue);
	f->catalogue = g;
	f->looked_ns = clock_ns();
	forget_statements(f);
}

/* Which statements can leave nothing behind; what cannot be read makes none of them plain. */
static void
take_plain(struct pg_statement_check *f, const PGresult *stamp, const PGresult *res)
{
	snprintf(f->plain_stamp, sizeof(f->plain_stamp), "%s",
	    PQntuples(stamp) == 1 ? PQgetvalue(stamp, 0, 0) : "");
	guard_plain_free(f->plain);
	f->plain = pg_plain_read(res);
	guard_pg_use_plain(f->guard, f->plain);
	forget_statements(f);
}

static void
open_plain(struct pg_statement_check *f, PGconn *conn)
{
	/* The stamp first: what changes in between is read again. */
	PGresult *stamp = PQexec(conn, pg_plain_stamp), *res = PQexec(conn, pg_plain_query);

	take_plain(f, stamp, res);
	PQclear(stamp);
	PQclear(res);
}

int
pg_statement_check_open(struct pg_statement_check **out, PGconn *conn, const struct sql_config *cfg, struct err *err)
{
	struct pg_statement_check *f = mem_new(1, sizeof(*f));
	char *query = spell_query(conn);
	PGresult *res;
	int rc = 0;

	*out = f;
	f->guard = guard_pg_new();
	f->functions = cfg->functions;
	f->nfunctions = cfg->nfunctions;
	/* How many rows went through which step would tell what a policy keeps. */
	f->analyze = cfg->explain_analyze && columns_is_empty(cfg->columns);
	guard_pg_allow_analyze(f->guard, f->analyze);
	res = PQexec(conn, query);
	free(query);
	if (PQresultStatus(res) == PGRES_TUPLES_OK) {
		take(f, res);
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

/* --- keeping it fresh ------------------------------------------------------------------------- */

/* Likewise the relations and types. */
static bool
look_again_plain(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct err *err)
{
	PGresult *stamp = pg_ask(db, c, pg_plain_stamp, 0, NULL, err), *res;
	bool same;

	if (stamp == NULL)
		return false;
	same = PQntuples(stamp) == 1 && strcmp(PQgetvalue(stamp, 0, 0), f->plain_stamp) == 0;
	res = same ? NULL : pg_ask(db, c, pg_plain_query, 0, NULL, err);
	if (res != NULL)
		take_plain(f, stamp, res);
	PQclear(stamp);
	PQclear(res);
	return same || res != NULL;
}

/* Read the catalogue again if it has changed.  False, and *err, when it cannot be asked. */
static bool
look_again(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct err *err)
{
	PGresult *res = pg_ask(db, c, STAMP, 0, NULL, err);
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
	query = spell_query(db->session.conn);
	res = pg_ask(db, c, query, 0, NULL, err);
	free(query);
	if (res == NULL)
		return false;
	take(f, res);
	PQclear(res);
	return true;
}

/* --- statements already seen ------------------------------------------------------------------- */

static struct slot *
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
remember(struct slot *s, struct span text, const struct statement *st)
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

/* The text itself is compared: a hash could be made to collide. */
static bool
recall(const struct slot *s, struct span text, struct statement *st)
{
	if (s->len == 0 || !span_is(text, span_of(s->text, s->len)))
		return false;
	*st = s->st;
	st->text.p = text.p + s->at;
	if (st->inner.len > 0)
		st->inner.p = text.p + s->inner_at;
	return true;
}

/* The position, for those who mark it in the text. */
static void
put_position(struct call *c, const struct guard_finding *found)
{
	struct buf *out = call_details(c);

	if (found->position == 0)
		return;
	buf_reset(out, 4096);
	mp_put_map(out, 1);
	mp_pair_uint(out, "position", found->position);
}

int
pg_statement_check_check(struct pg_statement_check *f, struct sql_db *db, struct call *c, struct span sql,
    struct statement *st, struct err *err)
{
	struct slot *s = sql.len > 0 && sql.len <= CACHE_TEXT_MAX ? slot_of(f, sql) : NULL;
	struct guard_finding found;
	uint64_t age = clock_ns() - f->looked_ns;
	struct err ignored;

	if (age > STATEMENT_CHECK_MAX_AGE && !look_again(f, db, c, err))
		return -1;
	if (s != NULL && recall(s, sql, st))
		return 0;
	/* What is checked is what is sent, and no longer the text that would be remembered. */
	if (sqltext_join_literals(&f->joined, sql)) {
		sql = buf_view(&f->joined);
		s = NULL;
	}
	if (postgres_guard_check(sql, f->analyze, st, err) == -1)
		return -1;
	if (guard_pg_check(f->guard, f->catalogue, st->text, st->before, &found, err) == -1) {
		/* It may be as new as the one who calls it. */
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
		remember(s, sql, st);
	return 0;
}

int
pg_statement_check_ask(struct pg_statement_check *f, struct span sql, unsigned layers, struct guard_finding *found,
    struct err *err)
{
	return guard_pg_check_layers(f->guard, f->catalogue, sql, 0, layers, found, err);
}
