#include "workers/sql/postgres/postgres_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/sql/postgres/guard/columns_pg_copy.h"
#include "workers/shared/child.h"
#include "workers/sql/postgres/postgres_columns_db.h"
#include "workers/sql/postgres/postgres_text.h"
#include "workers/sql/postgres/postgres_columns_lists.h"
#include "workers/sql/postgres/postgres_columns_query.h"
#include "workers/sql/postgres/postgres_session.h"
#include "workers/sql/postgres/postgres_names.h"
#include "workers/sql/postgres/postgres_rewrite.h"
#include "workers/shared/call.h"

#define MAX_AGE		(5 * CLOCK_SECOND)	/* how long knowledge of the database is used unchecked */
#define LOOK_SHARE	50			/* checking again takes at most 1/50 of the time */
#define VIEWS_DEEP	32			/* depth of views upon views */

struct pg_columns {
	const struct columns	*policy;
	struct pg_columns_db	 db;
	uint32_t		 view;		/* the scopes that the stand-ins are made for */
	bool			 hashes;
	bool			 unordered;	/* index scans are switched off */
	bool			 expired;	/* what is known must be looked at again */
	struct pg_names		 names;
	char			*query;
	uint64_t		 looked_ns, look_cost_ns;
	struct columns_pg	*finder;
	struct pg_rewrite	 rewrite;	/* of the current statement */
};

/* Arguments of the functions that build stand-ins. */
struct stand_ins {
	struct pg_columns	*p;
	struct sql_db		*db;
	struct call		*call;
	unsigned		 depth;
};

/* False if nothing has changed. */
static bool
take_catalogue(struct pg_columns *p, PGresult *rows)
{
	bool changed = pg_columns_db_take(&p->db, rows);

	if (changed)
		pg_columns_db_decide(&p->db, p->policy, p->view);
	p->looked_ns = clock_ns();
	return changed;
}

/* A pooler may drop the setting; then the key would be empty, and anybody could compute the digests. */
static int
verify_key(PGconn *conn, const char *key, struct err *err)
{
	PGresult *res = PQexec(conn, "SELECT pg_catalog.current_setting('" PG_COLUMNS_KEY_SETTING "', true)");
	bool right =
	    PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1 && strcmp(PQgetvalue(res, 0, 0), key) == 0;

	PQclear(res);
	if (PQserverVersion(conn) < 110000)
		return err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "hashed columns need PostgreSQL 11 or newer; mask them instead");
	return right ? 0 :
		       err_set(err, ERR_DATABASE_UNAVAILABLE,
			   "the server did not accept the session setting " PG_COLUMNS_KEY_SETTING
			   ", which hashed columns need; connect to PostgreSQL directly, not through a pooler");
}

/*
 * An index scan returns rows in the index's order, which reveals the order of a
 * protected column in it.  Is there such an index, for any caller, with other
 * columns by which the planner may choose it?
 */
static bool
tells_order(struct pg_columns *p)
{
	const struct pg_columns_db *d = &p->db;
	bool tells = false;

	pg_columns_db_decide(&p->db, p->policy, columns_view(p->policy, COLUMNS_ANYBODY));
	/* The protected columns of a materialized view are determined when a statement first names it. */
	for (size_t i = 0; i < d->nrelations; i++)
		for (size_t k = d->relations[i].first; k < d->relations[i].first + d->relations[i].n; k++)
			tells = tells ||
			    (d->columns[k].orders &&
				(d->columns[k].action != COLUMNS_CLEAR ||
				    (d->relations[i].kind == 'm' && d->relations[i].touched)));
	pg_columns_db_decide(&p->db, p->policy, p->view);
	return tells;
}

/*
 * Index-only scans are off from the start; with index scans off as well, all rows come from the
 * table in its own order.
 */
static int
forget_order(struct pg_columns *p, PGconn *conn, struct err *err)
{
	PGresult *res;

	if (columns_is_empty(p->policy) || !tells_order(p))
		return 0;
	res = PQexec(conn, "SET enable_indexscan = off");
	p->unordered = PQresultStatus(res) == PGRES_COMMAND_OK;
	PQclear(res);
	return p->unordered ?
	    0 :
	    err_set(err, ERR_DATABASE_UNAVAILABLE, "the server did not accept the setting enable_indexscan");
}

int
pg_columns_open(struct pg_columns **out, PGconn *conn, const struct columns *policy, const char *key, bool counted,
    struct err *err)
{
	struct pg_columns *p = mem_new(1, sizeof(*p));
	uint64_t since = clock_ns();
	PGresult *rows;

	*out = p;
	p->policy = policy;
	p->db.counted = counted;
	p->hashes = columns_has(policy, COLUMNS_HASH);
	p->finder = columns_pg_new();
	if (p->hashes && verify_key(conn, key, err) == -1)
		return -1;
	if (!columns_is_empty(policy) && pg_names_open(&p->names, conn, err) == -1)
		return -1;
	p->query = pg_columns_query(conn, policy);
	rows = PQexec(conn, p->query);
	p->look_cost_ns = clock_ns() - since;
	if (PQresultStatus(rows) == PGRES_TUPLES_OK) {
		(void)take_catalogue(p, rows);
		return forget_order(p, conn, err);
	}
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the server's catalogue cannot be read for the column policy");
	err_detail(err, "%s", PQresultErrorMessage(rows));
	PQclear(rows);
	return -1;
}

void
pg_columns_close(struct pg_columns *p)
{
	if (p == NULL)
		return;
	pg_columns_db_fini(&p->db);
	pg_names_fini(&p->names);
	columns_pg_free(p->finder);
	pg_rewrite_fini(&p->rewrite);
	free(p->query);
	free(p);
}

/*
 * Session settings are fixed at connect: end the process; a new one connects with the changed settings and takes the
 * call.
 */
static int
start_anew(struct sql_db *db, struct err *err)
{
	err_set(err, ERR_DATABASE_UNAVAILABLE, "an index on columns with a policy is new");
	if (!db->session.tells)
		child_unable(EXIT_RECYCLE, err);
	pg_give_up(db, EXIT_RECYCLE, err->message);
	return -1;
}

void
pg_columns_expire(struct pg_columns *p)
{
	if (p != NULL)
		p->expired = true;
}

/* Reads the database again if that is due, and decides for these scopes. */
static int
columns_prepare(struct pg_columns *p, struct sql_db *db, struct call *c, uint32_t scopes, struct err *err)
{
	uint64_t now = clock_ns(), most = p->look_cost_ns * LOOK_SHARE;
	uint32_t view = columns_view(p->policy, scopes);
	PGresult *rows;
	bool changed;

	if (!columns_is_empty(p->policy) && (p->expired || now - p->looked_ns > (most > MAX_AGE ? most : MAX_AGE))) {
		if ((rows = pg_ask(db, c, p->query, 0, NULL, err)) == NULL)
			return -1;
		changed = take_catalogue(p, rows);
		p->expired = false;
		p->look_cost_ns = clock_ns() - now;
		if (changed && !p->unordered && tells_order(p))
			return start_anew(db, err);
	}
	if (view != p->view) {
		p->view = view;
		pg_columns_db_decide(&p->db, p->policy, view);
	}
	return 0;
}

static struct columns_pg_names
names_of(struct pg_columns *p)
{
	return (struct columns_pg_names){ .relation = pg_columns_db_relation, .refuses = pg_columns_db_refuses,
		.arg = &p->db };
}

static const char *
refuse_nothing(void *arg, enum columns_pg_kind kind, struct span name)
{
	(void)arg;
	(void)kind;
	(void)name;
	return NULL;
}

static int
unresolved(struct pg_relation *r, const char *why, const char *more)
{
	r->state = PG_RELATION_UNRESOLVED;
	if (r->part)
		return err_set(&r->why, ERR_FORBIDDEN_SQL,
		    r->server ?
			"%s.%s cannot be read here: it counts rows that this caller may not see, by a column policy or "
			"by "
			"row security; count the rows of the tables themselves" :
			"the table %s.%s "
			"cannot be read by itself: by a column with a policy it is decided which rows are in it; read "
			"the table that it "
			"is a part of",
		    r->schema, r->name);
	return err_set(&r->why, ERR_FORBIDDEN_SQL,
	    "the view %s.%s cannot be used: this connection has a column policy "
	    "and %s%s; query the tables themselves",
	    r->schema, r->name, why, more);
}

static int columns_build(struct stand_ins *b, struct pg_relation *r, struct err *err);

static void
stand_in_inner(void *arg, int relation, struct pg_stand_in *out)
{
	const struct pg_relation *r = &((struct pg_columns *)arg)->db.relations[relation];

	*out = (struct pg_stand_in){ (const char *)r->inner.p, (const char *)r->source.p, r->sorted };
}

static void
stand_in_outer(void *arg, int relation, struct pg_stand_in *out)
{
	const struct pg_relation *r = &((struct pg_columns *)arg)->db.relations[relation];

	*out = (struct pg_stand_in){ (const char *)r->outer.p, (const char *)r->source.p, r->sorted };
}

static void
stand_in_traced(void *arg, int relation, struct pg_stand_in *out)
{
	const struct pg_relation *r = &((struct pg_columns *)arg)->db.relations[relation];

	*out = (struct pg_stand_in){ (const char *)r->traced.p, (const char *)r->source.p, r->sorted };
}

/*
 * Makes a stand-in for every relation that is named.  -1 with *why (a fault of the view) or *err (a
 * fault of the connection).
 */
static int
build_all(struct stand_ins *b, const struct columns_pg_use *uses, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct pg_relation *r = uses[i].relation < 0 ? NULL : &b->p->db.relations[uses[i].relation];

		if (r != NULL && r->sorted && (uses[i].only || uses[i].sampled))
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "%s.%s cannot be read with ONLY or TABLESAMPLE: a column with a policy "
			    "decides in which of its partitions a row is; leave that out",
			    r->schema, r->name);
		if (r != NULL && columns_build(b, r, err) == -1)
			return -1;
	}
	return 0;
}

/* Checks that every protected relation was replaced. */
static int
verify(struct pg_columns *p, struct columns_pg *finder, const struct pg_rewrite *rw, struct err *err)
{
	/* The original's functions were checked, and the stand-ins are our own text. */
	struct columns_pg_names names = {
		.relation = pg_columns_db_relation, .refuses = refuse_nothing, .arg = &p->db
	};
	const struct columns_pg_use *uses;
	size_t n;

	if (columns_pg_find(finder, &names, buf_view(&rw->text), 0, &uses, &n, err) == -1)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!pg_rewrite_is_ours(rw, uses[i].at))
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "the table %.*s has a column policy and is written in a way "
			    "that cannot be resolved; write its name plainly",
			    SPAN_FMT(uses[i].name));
	return 0;
}

/* Whether the definition reads hidden columns only to hand them on. */
static bool
only_hands_on(const struct pg_columns *p, const struct guard_tree *definition, const struct columns_pg_use *uses,
    size_t n)
{
	struct span *names = NULL;
	size_t *places = mem_new(n + 1, sizeof(*places)), known = 0, cap = 0, nplaces = 0;
	bool ok;

	for (size_t i = 0; i < n; i++) {
		const struct pg_relation *r = uses[i].relation < 0 ? NULL : &p->db.relations[uses[i].relation];
		size_t before = known;

		for (size_t k = 0; r != NULL && k < r->n; k++)
			if (p->db.columns[r->first + k].action == COLUMNS_HIDE) {
				names = mem_grow(names, known, &cap, sizeof(*names));
				names[known++] = span_str(p->db.columns[r->first + k].name);
			}
		if (known > before)
			places[nplaces++] = uses[i].at;
	}
	ok = known == 0 || columns_pg_hands_on(definition, names, known, places, nplaces);
	free(places);
	free(names);
	return ok;
}

static int
rewrite_definition(struct stand_ins *b, struct columns_pg *finder, struct span definition, struct pg_rewrite *rw,
    size_t *n, struct err *err)
{
	struct columns_pg_names names = names_of(b->p);
	const struct columns_pg_use *uses;

	if (pg_names_check(&b->p->names, definition, 0, err) == -1 ||
	    columns_pg_find(finder, &names, definition, 0, &uses, n, err) == -1 || build_all(b, uses, *n, err) == -1)
		return -1;
	if (!only_hands_on(b->p, columns_pg_tree(finder), uses, *n))
		return err_set(err, ERR_FORBIDDEN_SQL, "it computes from a hidden column or filters by one");
	if (pg_rewrite(rw, definition, uses, *n, stand_in_inner, b->p, err) == -1)
		return -1;
	return verify(b->p, finder, rw, err);
}

/* pg_get_viewdef() ends with a semicolon. */
static struct span
body_of(const char *definition)
{
	struct span s = span_str(definition);

	while (s.len > 0 && (s.p[s.len - 1] == ';' || s.p[s.len - 1] == '\n' || s.p[s.len - 1] == ' '))
		s.len--;
	return s;
}

/* (definition) AS v (its columns) */
static void
put_source(const struct pg_columns *p, const struct pg_relation *r, const struct pg_rewrite *rw, struct buf *out)
{
	buf_byte(out, '(');
	buf_span(out, buf_view(&rw->text));
	buf_str(out, "\n) AS v");
	for (size_t i = 0; i < r->n; i++) {
		buf_str(out, i == 0 ? " (" : ", ");
		sqltext_put_name(out, span_str(p->db.columns[r->first + i].name));
	}
	buf_str(out, r->n > 0 ? ")" : "");
	buf_byte(out, '\0');
}

/* Lets the server describe the definition without reading a row; NULL with *err. */
static PGresult *
columns_describe(struct stand_ins *b, const struct pg_relation *r, const struct buf *source, struct err *err)
{
	struct buf question = { 0 };
	PGresult *res;

	buf_str(&question, "SELECT * FROM ");
	buf_str(&question, (const char *)source->p);
	buf_str(&question, " LIMIT 0");
	res = pg_ask(b->db, b->call, buf_cstr(&question), 0, NULL, err);
	buf_fini(&question);
	if (res != NULL && (size_t)PQnfields(res) != r->n) {
		err_set(err, ERR_FORBIDDEN_SQL, "its columns have just changed");
		PQclear(res);
		res = NULL;
	}
	return res;
}

static int
put_view(struct stand_ins *b, struct pg_relation *r, const struct pg_rewrite *rw, struct err *err)
{
	PGresult *res;

	put_source(b->p, r, rw, &r->source);
	if ((res = columns_describe(b, r, &r->source, err)) == NULL)
		return -1;
	pg_columns_put_lists(&b->p->db, r, res);
	PQclear(res);
	return 0;
}

/* Whether every protected column that the definition reads belongs to a table and is only handed on. */
static bool
only_copies(const struct pg_columns *p, const struct guard_tree *definition, const struct columns_pg_use *uses,
    size_t n)
{
	struct span *names = NULL;
	size_t known = 0, cap = 0;
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		const struct pg_relation *r = uses[i].relation < 0 ? NULL : &p->db.relations[uses[i].relation];

		ok = r == NULL || r->definition == NULL;
		for (size_t k = 0; r != NULL && k < r->n; k++) {
			if (p->db.columns[r->first + k].action == COLUMNS_CLEAR)
				continue;
			names = mem_grow(names, known, &cap, sizeof(*names));
			names[known++] = span_str(p->db.columns[r->first + k].name);
		}
	}
	ok = ok && columns_pg_copies(definition, names, known);
	free(names);
	return ok;
}

/* Whether the stored copy may keep the order in which the server reads a table or one of its partitions. */
static bool
stores_order(const struct pg_columns *p, const struct guard_tree *definition, const struct columns_pg_use *uses,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pg_relation *r = uses[i].relation < 0 ? NULL : &p->db.relations[uses[i].relation];

		if (r != NULL && (r->sorted || r->divided))
			return !columns_pg_ignores_order(definition);
	}
	return false;
}

/*
 * A materialized view over protected columns: the protected columns in its
 * definition are given types that no function takes, and the server describes
 * in which columns these types come out.
 */
static int
trace_copy(struct stand_ins *b, struct pg_relation *r, struct columns_pg *finder, struct pg_rewrite *rw,
    struct err *err)
{
	struct columns_pg_names names = names_of(b->p);
	struct span definition = body_of(r->definition);
	const struct columns_pg_use *uses;
	struct buf source = { 0 };
	PGresult *res = NULL;
	size_t n;

	if (columns_pg_find(finder, &names, definition, 0, &uses, &n, err) == -1)
		return -1;
	if (r->whole_rows || !only_copies(b->p, columns_pg_tree(finder), uses, n))
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "it is a stored copy that does more with protected columns of "
		    "tables than select them");
	if (stores_order(b->p, columns_pg_tree(finder), uses, n))
		return err_set(err, ERR_FORBIDDEN_SQL,
		    "it is a stored copy that may keep the order of its tables' rows, which "
		    "depends on a protected column");
	if (pg_rewrite(rw, definition, uses, n, stand_in_traced, b->p, err) == -1 ||
	    verify(b->p, finder, rw, err) == -1)
		return -1;
	put_source(b->p, r, rw, &source);
	if ((res = columns_describe(b, r, &source, err)) != NULL)
		pg_columns_put_copy(&b->p->db, r, res);
	PQclear(res);
	buf_fini(&source);
	return res == NULL ? -1 : 0;
}

/* A fault of the view is stored with the view; a fault of the connection is the call's. */
static bool
is_of_connection(const struct err *err)
{
	return err->code == ERR_DATABASE_UNAVAILABLE || err->code == ERR_INTERNAL || err->code == ERR_QUERY_TIMEOUT ||
	    err->code == ERR_QUERY_CANCELLED || err->code == ERR_BUSY;
}

static int
build_view(struct stand_ins *b, struct pg_relation *r, struct err *err)
{
	struct columns_pg *finder = columns_pg_new();
	struct pg_rewrite rw = { 0 };
	struct err why = { 0 };
	size_t n = 0;
	int rc;

	r->state = PG_RELATION_UNDER_WAY;
	rc = rewrite_definition(b, finder, body_of(r->definition), &rw, &n, &why);
	if (rc == 0 && r->kind == 'm' && n == 0)
		pg_columns_put_table(&b->p->db, r);
	else if (rc == 0)
		rc = r->kind == 'm' ? trace_copy(b, r, finder, &rw, &why) : put_view(b, r, &rw, &why);
	if (rc == 0)
		r->state = PG_RELATION_DONE;
	else if (is_of_connection(&why)) {
		r->state = PG_RELATION_NEW;
		*err = why;
	} else
		unresolved(r, "its definition cannot be resolved: ", why.message);
	pg_rewrite_fini(&rw);
	columns_pg_free(finder);
	return r->state == PG_RELATION_NEW ? -1 : 0;
}

static int
columns_build(struct stand_ins *b, struct pg_relation *r, struct err *err)
{
	bool view = r->kind == 'v' || r->kind == 'm';
	int rc = 0;

	if (r->state == PG_RELATION_NEW) {
		buf_reset(&r->outer, COLUMNS_PG_TEXT_MAX);
		buf_reset(&r->inner, COLUMNS_PG_TEXT_MAX);
		buf_reset(&r->traced, COLUMNS_PG_TEXT_MAX);
		buf_reset(&r->source, COLUMNS_PG_TEXT_MAX);
		if (r->part)
			unresolved(r, "", "");
		else if (view && (r->opaque || r->definition == NULL))
			unresolved(r,
			    "a function that may read tables, or the server's statistics, are in its definition", "");
		else if (view && b->depth == VIEWS_DEEP)
			unresolved(r, "it stands on too many other views", "");
		else if (view) {
			b->depth++;
			rc = build_view(b, r, err);
			b->depth--;
		} else
			pg_columns_put_table(&b->p->db, r);
	}
	if (rc == 0 && r->state == PG_RELATION_UNDER_WAY)
		return err_set(err, ERR_FORBIDDEN_SQL, "the view %s.%s is defined by itself", r->schema, r->name);
	if (rc == 0 && r->state == PG_RELATION_UNRESOLVED) {
		*err = r->why;
		return -1;
	}
	return rc;
}

/* A function behind some operator or type reads tables: any statement may run it without naming it. */
static bool
is_in_trouble(const struct pg_columns *p, struct err *err)
{
	if (p->db.trouble == NULL)
		return false;
	err_set(err, ERR_FORBIDDEN_SQL,
	    "nothing can be answered: this connection has a column policy, and a function of the "
	    "database that may read tables stands behind %s %s, which any statement may use without naming it",
	    p->db.trouble, p->db.trouble_with);
	return true;
}

/* Whether s begins with the name of a server relation that has protected columns. */
static bool
begins_server_name(struct span s)
{
	static const char *const names[] = {
#define SERVER(schema, relation, column, when, action)	relation,
#include "workers/sql/postgres/guard/columns_server.def"
#undef SERVER
		"u&"		/* U&"…" writes names with escapes */
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (span_begins_word(s, names[i]))
			return true;
	return false;
}

/*
 * Without rules only the server's own catalogue is protected: whether sql may name one of its relations or, where the
 * rows of all are not counted, of its functions.
 */
static bool
may_name_server(struct span sql, bool counted)
{
	for (size_t i = 0; i < sql.len; i++)
		if (strchr("PpUu", sql.p[i]) != NULL && sql.p[i] != '\0' &&
		    (begins_server_name(span_of(sql.p + i, sql.len - i)) ||
			(counted && span_begins_word(span_of(sql.p + i, sql.len - i), "pg_"))))
			return true;
	return false;
}

/* Refuses a plan that would show partitions and the number of rows in each. */
static int
verify_plan(const struct pg_columns *p, const struct columns_pg_use *uses, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (uses[i].relation >= 0 && p->db.relations[uses[i].relation].divided)
			return err_set(err, ERR_FORBIDDEN_SQL,
			    "EXPLAIN is not allowed here: by a column with a policy it is decided in "
			    "which partition of %.*s a row is, and the plan tells about them; run the query itself",
			    SPAN_FMT(uses[i].name));
	return 0;
}

int
pg_columns_apply(struct pg_columns *p, struct sql_db *db, struct call *c, struct pg_statement *st, struct err *err)
{
	struct stand_ins b = { .p = p, .db = db, .call = c };
	struct columns_pg_names names = names_of(p);
	const struct columns_pg_use *uses;
	struct pg_statement again;
	size_t n;

	if (st->kind == STATEMENT_SHOW || (columns_is_empty(p->policy) && !may_name_server(st->text, p->db.counted)))
		return 0;
	if (columns_prepare(p, db, c, call_scopes(c), err) == -1 || is_in_trouble(p, err) ||
	    (!columns_is_empty(p->policy) && pg_names_check(&p->names, st->text, st->before, err) == -1) ||
	    columns_pg_find(p->finder, &names, st->text, st->before, &uses, &n, err) == -1)
		return -1;
	if (n == 0)
		return 0;
	if (build_all(&b, uses, n, err) == -1 ||
	    (st->kind == STATEMENT_EXPLAIN && verify_plan(p, uses, n, err) == -1) ||
	    pg_rewrite(&p->rewrite, st->text, uses, n, stand_in_outer, p, err) == -1 ||
	    verify(p, p->finder, &p->rewrite, err) == -1 ||
	    postgres_guard_check(buf_view(&p->rewrite.text), false, &again, err) == -1)
		return -1;
	st->written = st->text;
	st->text = again.text;
	st->inner = again.inner;
	return 0;
}

static bool
is_hidden(const struct pg_columns *p, struct span name)
{
	for (size_t i = 0; i < p->db.ncolumns; i++)
		if (p->db.columns[i].action == COLUMNS_HIDE && span_is_str(name, p->db.columns[i].name))
			return true;
	return false;
}

int
pg_columns_decide(struct pg_columns *p, struct sql_db *db, struct call *c, uint32_t scopes, const char *schema,
    const char *table, const char *column, enum columns_action *action, struct err *err)
{
	struct stand_ins b = { .p = p, .db = db, .call = c };
	struct pg_relation *r;
	struct err why;
	int i;

	*action = COLUMNS_CLEAR;
	if (columns_prepare(p, db, c, scopes, err) == -1 || is_in_trouble(p, err))
		return -1;
	if ((i = pg_columns_db_relation(&p->db, span_str(schema), span_str(table))) < 0)
		return 0;
	r = &p->db.relations[i];
	if (columns_build(&b, r, &why) == -1) {
		if (r->state != PG_RELATION_UNRESOLVED) {
			*err = why;
			return -1;
		}
		/* The view's content is unknown; a hidden name is not revealed either. */
		*action = is_hidden(p, span_str(column)) ? COLUMNS_HIDE : COLUMNS_MASK;
	}
	for (size_t k = r->first; k < r->first + r->n; k++)
		if (strcmp(p->db.columns[k].name, column) == 0 && p->db.columns[k].action > *action)
			*action = p->db.columns[k].action;
	return 0;
}

bool
pg_columns_matches(const struct pg_columns *p, size_t rule)
{
	for (size_t i = 0; i < p->db.nrelations; i++) {
		const struct pg_relation *r = &p->db.relations[i];

		for (size_t k = r->first; k < r->first + r->n && !r->server; k++)
			if (columns_fits(p->policy, rule, span_str(r->schema), span_str(r->name),
				span_str(p->db.columns[k].name)))
				return true;
	}
	return false;
}

int
pg_columns_readable(struct pg_columns *p, struct sql_db *db, struct call *c,
    void (*fn)(void *arg, const char *schema, const char *table, const char *column), void *arg, struct err *err)
{
	if (columns_prepare(p, db, c, 0, err) == -1)
		return -1;
	for (size_t i = 0; i < p->db.nrelations; i++) {
		const struct pg_relation *r = &p->db.relations[i];

		for (size_t k = r->first; k < r->first + r->n; k++)
			if (!r->server && p->db.columns[k].readable && p->db.columns[k].action >= COLUMNS_MASK)
				fn(arg, r->schema, r->name, p->db.columns[k].name);
	}
	return 0;
}

static const struct pg_relation *
touched(const struct pg_columns *p, const char *schema, const char *table)
{
	int i = pg_columns_db_relation((void *)(uintptr_t)&p->db, span_str(schema), span_str(table));

	return i < 0 ? NULL : &p->db.relations[i];
}

bool
pg_columns_is_touched(const struct pg_columns *p, const char *schema, const char *table)
{
	return touched(p, schema, table) != NULL;
}

bool
pg_columns_is_part(const struct pg_columns *p, const char *schema, const char *table)
{
	const struct pg_relation *r = touched(p, schema, table);

	return r != NULL && r->part;
}

bool
pg_columns_put_sorted(const struct pg_columns *p, const char *schema, const char *table, struct buf *out)
{
	const struct pg_relation *r = touched(p, schema, table);

	if (r == NULL || !r->sorted || r->state != PG_RELATION_DONE)
		return false;
	pg_rewrite_put(out, &(struct pg_stand_in){ (const char *)r->outer.p, (const char *)r->source.p, true }, false,
	    span_of("", 0));
	buf_str(out, " AS t");
	return true;
}

/* The byte offset in s of its character number n, counted from 0. */
static size_t
byte_of(struct span s, size_t n)
{
	size_t i = 0;

	for (; i < s.len; i++)
		if ((s.p[i] & 0xC0) != 0x80 && n-- == 0)
			break;
	return i;
}

size_t
pg_columns_origin(const struct pg_columns *p, const struct pg_statement *st, size_t at)
{
	size_t origin;

	if (st->written.len == 0 || at == 0)
		return at;
	origin = pg_rewrite_origin(&p->rewrite, byte_of(st->text, at - 1));
	return utf8_count(span_of(st->written.p, origin < st->written.len ? origin : st->written.len)) + 1;
}

/* The last part of the name at this character, as the server reads it. */
static struct span
name_at(const struct pg_statement *st, size_t at, char *out, size_t cap)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = st->written, .at = byte_of(st->written, at - 1) };
	struct sqltext_token t = sqltext_next(&s), dot;
	size_t n = 0;

	for (dot = sqltext_next(&s); sqltext_is_punct(&dot, '.'); dot = sqltext_next(&s))
		t = sqltext_next(&s);
	for (size_t i = t.kind == SQLTEXT_QUOTED; i + (t.kind == SQLTEXT_QUOTED) < t.text.len && n + 1 < cap; i++) {
		bool fold = t.kind == SQLTEXT_WORD && t.text.p[i] >= 'A' && t.text.p[i] <= 'Z';

		out[n++] = (char)(t.text.p[i] + (fold ? 'a' - 'A' : 0));
	}
	return span_of(out, n);
}

/* Whether only the server's own catalogue has a hidden column of that name. */
static bool
is_of_policy(const struct pg_columns *p, struct span name)
{
	for (size_t i = 0; i < p->db.nrelations; i++) {
		const struct pg_relation *r = &p->db.relations[i];

		for (size_t k = r->first; k < r->first + r->n && !r->server; k++)
			if (p->db.columns[k].action == COLUMNS_HIDE && span_is_str(name, p->db.columns[k].name))
				return true;
	}
	return false;
}

/*
 * The server's messages about types and sub-selects that the caller did not write.  The pieces are
 * names, which are never translated.
 */
static const struct {
	const char		*state, *piece;
	enum columns_action	 of;		/* a rule of the policy must have this action; CLEAR: any */
	enum err_code		 code;
	const char		*says;
} caused[] = {
	{ "42", "refcursor", COLUMNS_MASK, ERR_FORBIDDEN_SQL, "a masked column cannot be compared, ordered, grouped, joined or "
	    "computed with: this connection's column policy shows it as " COLUMNS_MASKED "; select it as it is, "
	    "count it, test it for NULL, or leave it out" },
	{ "42883", "uuid", COLUMNS_HASH, ERR_INVALID_SQL, "there is no such function or operator for a uuid: if the column is one that "
	    "this connection's column policy hashes, its digest can be grouped, joined and compared with other digests, "
	    "not taken apart" },
	{ "42846", "record", COLUMNS_CLEAR, ERR_INVALID_SQL, "a row of a table with a column policy is a plain record here: name the "
	    "columns instead of the row" },
	{ "42803", "GROUP BY", COLUMNS_CLEAR, ERR_INVALID_SQL, "a column must be in GROUP BY or be aggregated; of a table with a column "
	    "policy the primary key alone does not do, name its other columns in GROUP BY, too" },
};

bool
pg_columns_explain(const struct pg_columns *p, const struct pg_statement *st, const char *state, const char *message,
    size_t at, struct err *err)
{
	char text[256];
	struct span name;

	if (st == NULL || (st->written.len == 0 && !st->published))
		return false;
	for (size_t i = 0; i < sizeof(caused) / sizeof(caused[0]); i++)
		if (strncmp(state, caused[i].state, strlen(caused[i].state)) == 0 &&
		    strstr(message, caused[i].piece) != NULL &&
		    (caused[i].of == COLUMNS_CLEAR || columns_has(p->policy, caused[i].of))) {
			err_set(err, caused[i].code, "%s", caused[i].says);
			return true;
		}
	/* Readers of datasets must not learn which columns are hidden elsewhere. */
	if (strcmp(state, "42703") != 0 || at <= st->before || st->published)
		return false;
	name = name_at(st, at - st->before, text, sizeof(text));
	if (!is_hidden(p, name))
		return false;
	err_set(err, ERR_FORBIDDEN_SQL,
	    is_of_policy(p, name) ?
		"the column %.*s is hidden (character %zu): this connection's "
		"column policy does not let it be read, compared or named; leave it out" :
		"the column %.*s of the server's catalogue "
		"is hidden (character %zu): it may hold passwords, tokens or values of columns; leave it out",
	    SPAN_FMT(name), at);
	return true;
}
