/* postgres_columns_db.c - see postgres_columns_db.h. */
#include "base/mem.h"
#include "workers/sql/postgres_columns_db.h"

#include <stdlib.h>
#include <string.h>

/* --- the question ------------------------------------------------------------------------- */

/*
 * plain: users' functions, no extension's.  reading: those that may read
 * tables, because a word of the body can, because another user's function is
 * called, or because the body is in no language known here.
 */
static const char functions_query[] =
    "WITH RECURSIVE plain AS (SELECT p.oid, pg_catalog.lower(p.proname::pg_catalog.text) AS name, l.lanname,"
    "  EXISTS (SELECT FROM pg_catalog.pg_aggregate g WHERE g.aggfnoid = p.oid) AS agg,"
    "  pg_catalog.regexp_replace(pg_catalog.lower(%s), 'distinct\\s+from|extract\\s*\\(\\s*\\w+\\s+from', '', 'g') AS body"
    "  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang"
    "  WHERE p.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d"
    "   WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')),"
    " part AS (SELECT a.oid FROM plain a WHERE NOT a.agg AND (a.lanname NOT IN ('sql', 'plpgsql') OR a.body ~"
    "  '\\m(from|table|execute|perform|call|join|current_setting|set_config|\\w*_to_xml\\w*|dblink\\w*|ts_stat|"
    "ts_rewrite|lo_\\w+|pg_read\\w*|pg_stat\\w*)\\M' OR EXISTS (SELECT FROM"
    "  pg_catalog.regexp_split_to_table(a.body, '[^[:alnum:]_]+') w JOIN plain b ON b.name = w AND b.oid <> a.oid))),"
    " reading AS (SELECT oid FROM part UNION SELECT g.aggfnoid::pg_catalog.oid FROM pg_catalog.pg_aggregate g"
    "  JOIN part r ON r.oid IN (g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggmtransfn, g.aggminvtransfn,"
    "  g.aggmfinalfn)),";

/*
 * opaque: views that call one of these, or show the server's samples of
 * columns.  hit: what a rule names.  reach: and what takes from it.
 */
static const char relations_query[] =
    " opaque AS (SELECT w.ev_class AS oid FROM pg_catalog.pg_rewrite w WHERE w.ev_class >= 16384"
    "  AND w.ev_action::pg_catalog.text ~ (SELECT ':(relid|funcid|opfuncid|aggfnoid|winfnoid) (2619|3429|2613'"
    "   || coalesce(pg_catalog.string_agg('|' || x.oid::pg_catalog.text, ''), '') || ') ' FROM"
    "   (SELECT oid FROM reading UNION ALL SELECT c.oid FROM pg_catalog.pg_class c"
    "    WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND c.relname LIKE 'pg\\_stats%%') x)),"
    " hit AS (SELECT DISTINCT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    "  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
    "  AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
    "  AND (%s)),"
    " reach (oid) AS (SELECT s.oid FROM (SELECT oid FROM hit UNION SELECT oid FROM opaque) s"
    "  UNION SELECT x.oid FROM reach r JOIN LATERAL ("
    "   SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = r.oid"
    "   UNION ALL SELECT i.inhparent FROM pg_catalog.pg_inherits i WHERE i.inhrelid = r.oid"
    "   UNION ALL SELECT w.ev_class FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid"
    "    WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
    "    AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = r.oid) x ON true),"
    " rel AS (SELECT c.oid, n.nspname::pg_catalog.text AS s, c.relname::pg_catalog.text AS t, c.relkind"
    "  FROM reach JOIN pg_catalog.pg_class c ON c.oid = reach.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    "  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')),"
    " answer (what, s, t, i, a, b, c, d) AS ("
    " SELECT '0', s, t, 0, relkind::pg_catalog.text, pg_catalog.pg_table_is_visible(oid)::pg_catalog.text,"
    "  CASE WHEN EXISTS (SELECT FROM opaque o WHERE o.oid = rel.oid) THEN 'o' WHEN EXISTS (SELECT FROM"
    "   pg_catalog.pg_rewrite w WHERE w.ev_class = rel.oid AND w.ev_action::pg_catalog.text LIKE '%%:varattno 0 %%')"
    "   THEN 'w' ELSE '' END,"
    "  CASE WHEN relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(oid) END FROM rel"
    " UNION ALL SELECT '1', s, t, a.attnum::pg_catalog.int4, a.attname::pg_catalog.text,"
    "  pg_catalog.has_column_privilege(rel.oid, a.attnum, 'SELECT')::pg_catalog.text, NULL, NULL FROM rel"
    "  JOIN pg_catalog.pg_attribute a ON a.attrelid = rel.oid WHERE a.attnum > 0 AND NOT a.attisdropped"
    " UNION ALL SELECT '2', x.s, x.t, 0, y.s, y.t, NULL, NULL FROM rel x JOIN pg_catalog.pg_inherits i"
    "  ON i.inhrelid = x.oid JOIN rel y ON y.oid = i.inhparent"
    " UNION ALL SELECT '3', s, t, 0, g.attname::pg_catalog.text, f.attname::pg_catalog.text, NULL, NULL FROM rel"
    "  JOIN pg_catalog.pg_attrdef k ON k.adrelid = rel.oid JOIN pg_catalog.pg_depend d"
    "  ON (d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.objid = k.oid"
    "   OR d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = rel.oid AND d.objsubid = k.adnum)"
    "  JOIN pg_catalog.pg_attribute g ON g.attrelid = rel.oid AND g.attnum = k.adnum"
    "  JOIN pg_catalog.pg_attribute f ON f.attrelid = rel.oid AND f.attnum = d.refobjsubid AND f.attnum <> g.attnum"
    "  WHERE d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = rel.oid"
    " UNION ALL SELECT '4', x.s, x.t, 0, y.s, y.t, a.attname::pg_catalog.text, NULL FROM rel x"
    "  JOIN pg_catalog.pg_rewrite w ON w.ev_class = x.oid JOIN pg_catalog.pg_depend d ON d.objid = w.oid"
    "   AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
    "   AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass"
    "  JOIN rel y ON y.oid = d.refobjid AND y.oid <> x.oid LEFT JOIN pg_catalog.pg_attribute a"
    "   ON a.attrelid = y.oid AND a.attnum = d.refobjsubid AND d.refobjsubid > 0"
    " UNION ALL SELECT '5', rel.s, rel.t, 0, a.attname::pg_catalog.text, NULL, NULL, NULL FROM rel"
    "  JOIN pg_catalog.pg_index i ON i.indrelid = rel.oid AND i.indnatts > 1 JOIN pg_catalog.pg_attribute a"
    "  ON a.attrelid = rel.oid AND a.attnum = ANY (i.indkey)"
    " UNION ALL SELECT 'f', '', p.proname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading"
    "  JOIN pg_catalog.pg_proc p ON p.oid = reading.oid"
    " UNION ALL SELECT 'o', '', o.oprname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading"
    "  JOIN pg_catalog.pg_operator o ON o.oprcode = reading.oid"
    " UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading"
    "  JOIN pg_catalog.pg_cast k ON k.castfunc = reading.oid JOIN pg_catalog.pg_type t ON t.oid = k.casttarget"
    " UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading"
    "  JOIN pg_catalog.pg_type t ON reading.oid IN (t.typinput, t.typoutput, t.typmodin)"
    " UNION ALL SELECT 't', '', t.typname::pg_catalog.text, 0, NULL, NULL, NULL, NULL FROM reading"
    "  JOIN pg_catalog.pg_depend d ON d.refobjid = reading.oid"
    "   AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass"
    "   AND d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass"
    "  JOIN pg_catalog.pg_constraint k ON k.oid = d.objid JOIN pg_catalog.pg_type t ON t.oid = k.contypid)"
    " SELECT what, s, t, a, b, c, d FROM answer ORDER BY what, t COLLATE \"C\", s COLLATE \"C\", i,"
    " a COLLATE \"C\", b COLLATE \"C\"";

/* The columns of the answer. */
enum { WHAT, SCHEMA, NAME, A, B, C, D };

static void
put_likeness(PGconn *conn, struct buf *out, const char *column, const char *like)
{
	char *quoted;

	if (like == NULL)
		return;
	if ((quoted = PQescapeLiteral(conn, like, strlen(like))) == NULL)
		return;		/* not in the server's encoding: fits anything, C decides */
	buf_printf(out, " AND %s::pg_catalog.text OPERATOR(pg_catalog.~~*) ", column);
	buf_str(out, quoted);
	PQfreemem(quoted);
}

char *
pg_columns_db_query(PGconn *conn, const struct columns *policy)
{
	static const char *const parts[] = { "n.nspname", "c.relname", "a.attname" };
	struct buf which = { 0 }, out = { 0 };
	char *text;

	buf_str(&which, "false");
	for (size_t i = 0; i < columns_count(policy); i++) {
		buf_str(&which, " OR (true");
		for (unsigned k = 0; k < 3; k++)
			put_likeness(conn, &which, parts[k], columns_like(policy, i, k));
		buf_byte(&which, ')');
	}
	buf_printf(&out, functions_query, PQserverVersion(conn) >= 140000 ?
	    "coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc)" : "p.prosrc");
	buf_printf(&out, relations_query, buf_cstr(&which));
	text = mem_text(buf_view(&out));
	buf_fini(&which);
	buf_fini(&out);
	return text;
}

/* --- the answer --------------------------------------------------------------------------- */

static const char *
cell(const PGresult *rows, int row, int column)
{
	return PQgetisnull(rows, row, column) ? NULL : PQgetvalue(rows, row, column);
}

static bool
is_same(const PGresult *x, const PGresult *y)
{
	if (x == NULL || PQntuples(x) != PQntuples(y))
		return false;
	for (int i = 0; i < PQntuples(x); i++)
		for (int k = WHAT; k <= D; k++)
			if (PQgetlength(x, i, k) != PQgetlength(y, i, k) ||
			    PQgetisnull(x, i, k) != PQgetisnull(y, i, k) ||
			    memcmp(PQgetvalue(x, i, k), PQgetvalue(y, i, k), (size_t)PQgetlength(x, i, k)) != 0)
				return false;
	return true;
}

static int
compare_names(const struct pg_relation *r, struct span schema, struct span name)
{
	int d = span_cmp(span_str(r->name), name);

	return d != 0 ? d : span_cmp(span_str(r->schema), schema);
}

/* The first relation not before this name. */
static size_t
lower_bound(const struct pg_columns_db *d, struct span schema, struct span name)
{
	size_t low = 0, high = d->nrelations;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(&d->relations[middle], schema, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct pg_relation *
relation_of(const struct pg_columns_db *d, const char *schema, const char *name)
{
	size_t i = lower_bound(d, span_str(schema), span_str(name));

	return i < d->nrelations && compare_names(&d->relations[i], span_str(schema), span_str(name)) == 0 ?
	    &d->relations[i] : NULL;
}

/* d->ncolumns: the relation has none of that name. */
static size_t
column_of(const struct pg_columns_db *d, const struct pg_relation *r, const char *name)
{
	for (size_t i = r->first; i < r->first + r->n; i++)
		if (strcmp(d->columns[i].name, name) == 0)
			return i;
	return d->ncolumns;
}

static void
add_edge(struct pg_columns_db *d, size_t a, size_t b, bool both)
{
	if (a == d->ncolumns || b == d->ncolumns)
		return;
	d->edges = mem_grow(d->edges, d->nedges, &d->cap, sizeof(*d->edges));
	d->edges[d->nedges++] = (struct pg_edge){ a, b, both };
}

static void
take_edges(struct pg_columns_db *d, int row)
{
	const struct pg_relation *r = relation_of(d, cell(d->rows, row, SCHEMA), cell(d->rows, row, NAME)), *parent;
	const char *a = cell(d->rows, row, A), *b = cell(d->rows, row, B);

	if (r == NULL)
		return;
	if (cell(d->rows, row, WHAT)[0] == '3')
		add_edge(d, column_of(d, r, a), column_of(d, r, b), false);
	else if ((parent = relation_of(d, a, b)) != NULL)
		for (size_t i = r->first; i < r->first + r->n; i++)
			add_edge(d, i, column_of(d, parent, d->columns[i].name), true);
}

static void
take_reading(struct pg_columns_db *d, int row)
{
	struct pg_relation *view = relation_of(d, cell(d->rows, row, SCHEMA), cell(d->rows, row, NAME));
	struct pg_relation *read = relation_of(d, cell(d->rows, row, A), cell(d->rows, row, B));
	const char *column = cell(d->rows, row, C);

	if (view != NULL && read != NULL)
		d->readings[d->nreadings++] = (struct pg_reading){ view, read,
			column == NULL ? d->ncolumns : column_of(d, read, column) };
}

static void
take_row(struct pg_columns_db *d, int row)
{
	const PGresult *rows = d->rows;
	struct pg_relation *r;
	size_t i;

	switch (cell(rows, row, WHAT)[0]) {
	case '0':
		r = &d->relations[d->nrelations++];
		*r = (struct pg_relation){ .schema = cell(rows, row, SCHEMA), .name = cell(rows, row, NAME),
			.kind = cell(rows, row, A)[0], .visible = strcmp(cell(rows, row, B), "true") == 0,
			.opaque = cell(rows, row, C)[0] == 'o', .whole_rows = cell(rows, row, C)[0] == 'w',
			.definition = cell(rows, row, D) };
		break;
	case '1':
		if ((r = relation_of(d, cell(rows, row, SCHEMA), cell(rows, row, NAME))) == NULL)
			break;
		if (r->n++ == 0)
			r->first = d->ncolumns;
		d->columns[d->ncolumns].readable = strcmp(cell(rows, row, B), "true") == 0;
		d->columns[d->ncolumns++].name = cell(rows, row, A);
		break;
	case '2':
	case '3':
		take_edges(d, row);
		break;
	case '4':
		take_reading(d, row);
		break;
	case '5':
		if ((r = relation_of(d, cell(rows, row, SCHEMA), cell(rows, row, NAME))) != NULL &&
		    (i = column_of(d, r, cell(rows, row, A))) < d->ncolumns)
			d->columns[i].orders = true;
		break;
	default:
		d->readers[d->nreaders++] = (struct pg_reader){ cell(rows, row, WHAT)[0], cell(rows, row, NAME) };
		break;
	}
}

static int
compare_relations(const void *a, const void *b)
{
	const struct pg_relation *y = b;

	return compare_names(a, span_str(y->schema), span_str(y->name));
}

static int
compare_readers(const void *a, const void *b)
{
	const struct pg_reader *x = a, *y = b;

	return x->what != y->what ? x->what - y->what : strcmp(x->name, y->name);
}

static void
forget(struct pg_columns_db *d)
{
	for (size_t i = 0; i < d->nrelations; i++) {
		buf_fini(&d->relations[i].outer);
		buf_fini(&d->relations[i].inner);
		buf_fini(&d->relations[i].traced);
		buf_fini(&d->relations[i].source);
	}
	free(d->relations);
	free(d->columns);
	free(d->edges);
	free(d->readers);
	free(d->readings);
	PQclear(d->rows);
	memset(d, 0, sizeof(*d));
}

bool
pg_columns_db_take(struct pg_columns_db *d, PGresult *rows)
{
	size_t n = (size_t)PQntuples(rows), i;

	if (is_same(d->rows, rows)) {
		PQclear(rows);
		return false;
	}
	forget(d);
	d->rows = rows;
	d->relations = mem_new(n, sizeof(*d->relations));
	d->columns = mem_new(n, sizeof(*d->columns));
	d->readers = mem_new(n, sizeof(*d->readers));
	d->readings = mem_new(n, sizeof(*d->readings));
	/* Sorted here: the server's order is that of its own encoding. */
	for (i = 0; i < n && cell(rows, (int)i, WHAT)[0] == '0'; i++)
		take_row(d, (int)i);
	qsort(d->relations, d->nrelations, sizeof(*d->relations), compare_relations);
	for (; i < n; i++)
		take_row(d, (int)i);
	qsort(d->readers, d->nreaders, sizeof(*d->readers), compare_readers);
	return true;
}

void
pg_columns_db_fini(struct pg_columns_db *d)
{
	forget(d);
}

/* --- deciding ----------------------------------------------------------------------------- */

static bool
raise_to(struct pg_column *c, enum columns_action action)
{
	bool higher = action > c->action;

	if (higher)
		c->action = action;
	return higher;
}

/* Has it a column that is not for everybody? */
static bool
has_protected(const struct pg_columns_db *d, const struct pg_relation *r)
{
	for (size_t i = r->first; i < r->first + r->n; i++)
		if (d->columns[i].action != COLUMNS_CLEAR)
			return true;
	return false;
}

/*
 * A view is left as it is when it neither shows nor looks at anything
 * protected; then it also keeps running with its owner's rights.
 */
static void
find_touched(struct pg_columns_db *d)
{
	bool moved = true;

	for (size_t i = 0; i < d->nrelations; i++)
		d->relations[i].touched = d->relations[i].opaque || has_protected(d, &d->relations[i]);
	while (moved) {
		moved = false;
		for (size_t i = 0; i < d->nreadings; i++) {
			const struct pg_reading *x = &d->readings[i];
			bool view = x->read->definition != NULL;

			if (x->view->touched || !x->read->touched)
				continue;
			x->view->touched = view || x->view->whole_rows ||
			    (x->column < d->ncolumns && d->columns[x->column].action != COLUMNS_CLEAR);
			moved = moved || x->view->touched;
		}
	}
}

void
pg_columns_db_decide(struct pg_columns_db *d, const struct columns *policy, uint32_t view)
{
	bool moved = true;

	for (size_t i = 0; i < d->nrelations; i++) {
		struct pg_relation *r = &d->relations[i];

		r->state = PG_RELATION_NEW;
		for (size_t k = r->first; k < r->first + r->n; k++)
			d->columns[k].action = columns_decide(policy, view, span_str(r->schema), span_str(r->name),
			    span_str(d->columns[k].name));
	}
	/* Ends: each round makes some column stricter, of which there are three steps. */
	while (moved) {
		moved = false;
		for (size_t i = 0; i < d->nedges; i++) {
			struct pg_column *a = &d->columns[d->edges[i].a], *b = &d->columns[d->edges[i].b];

			moved = raise_to(a, b->action) || moved;
			moved = (d->edges[i].both && raise_to(b, a->action)) || moved;
		}
	}
	find_touched(d);
}

int
pg_columns_db_relation(void *arg, struct span schema, struct span name)
{
	const struct pg_columns_db *d = arg;

	for (size_t i = lower_bound(d, schema, name); i < d->nrelations; i++) {
		const struct pg_relation *r = &d->relations[i];

		if (!span_is_str(name, r->name))
			break;
		if (schema.len > 0 ? span_is_str(schema, r->schema) : r->visible)
			return r->touched ? (int)i : -1;
	}
	return -1;
}

bool
pg_columns_db_reads(void *arg, enum columns_pg_kind kind, struct span name)
{
	static const char what[] = { 'f', 'o', 't' };
	const struct pg_columns_db *d = arg;
	size_t low = 0, high = d->nreaders;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pg_reader *r = &d->readers[middle];
		int order = r->what != what[kind] ? r->what - what[kind] : span_cmp(span_str(r->name), name);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
