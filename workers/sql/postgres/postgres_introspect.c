/*
 * postgres_introspect.c - tables, columns and keys from the system catalogues,
 * for a scan.  They are readable by every role, so a reader that owns nothing
 * sees the same keys as the owner.
 *
 * A partitioned table is one table; its partitions are not listed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "workers/sql/postgres/postgres_columns.h"
#include "workers/sql/postgres/postgres_db.h"
#include "workers/sql/value.h"

#define BATCH	100	/* tables described per pair of queries */

/*
 * A text that changes when the rows of a table may have: its files and how
 * many rows were ever inserted, updated and deleted, since which reset.  Null
 * where the server does not count them or what is read hangs on more than the
 * table: on a standby, of other servers, with row-level security, where
 * other tables inherit.
 */
#define DATA_VERSION										\
    " CASE WHEN NOT pg_catalog.pg_is_in_recovery() AND pg_catalog.current_setting('track_counts') = 'on'"	\
    " AND NOT c.relrowsecurity THEN"								\
    " CASE WHEN c.relkind = 'r' AND NOT c.relhassubclass THEN " COUNTS_OF("c")			\
    " WHEN c.relkind = 'p' THEN (SELECT CASE WHEN pg_catalog.bool_and(x.relkind = 'r') THEN"	\
    "  pg_catalog.md5(pg_catalog.string_agg(" COUNTS_OF("x") ", ',' ORDER BY x.oid)) END"	\
    "  FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class x ON x.oid = t.relid WHERE t.isleaf)"	\
    " END END"
#define COUNTS_OF(c)	"pg_catalog.concat_ws('.', " c ".oid, " c ".relfilenode, pg_catalog.pg_stat_get_tuples_inserted(" c ".oid),"	\
    " pg_catalog.pg_stat_get_tuples_updated(" c ".oid), pg_catalog.pg_stat_get_tuples_deleted(" c ".oid),"		\
    " pg_catalog.date_part('epoch', pg_catalog.pg_stat_get_db_stat_reset_time((SELECT d.oid FROM pg_catalog.pg_database d"	\
    "  WHERE d.datname = pg_catalog.current_database()))), (SELECT d.oid FROM pg_catalog.pg_database d"		\
    "  WHERE d.datname = pg_catalog.current_database()))"

static const char tables_query[] =
    "SELECT c.oid, n.nspname, c.relname, c.relkind,"
    " CASE WHEN c.relkind = 'p' AND c.reltuples <= 0 THEN ("
    "  SELECT pg_catalog.sum(p.reltuples)::pg_catalog.int8 FROM pg_catalog.pg_partition_tree(c.oid) t"
    "  JOIN pg_catalog.pg_class p ON p.oid = t.relid WHERE t.isleaf AND p.reltuples >= 0)"
    " WHEN c.relkind IN ('r', 'p', 'm', 'f') AND c.reltuples >= 0 THEN c.reltuples::pg_catalog.int8 END,"
    " pg_catalog.obj_description(c.oid, 'pg_class'),"
    DATA_VERSION ", " PG_READABLE
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
    " AND NOT c.relispartition ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\"";

/* A domain is described by what it is made of; typcategory already is its base type's. */
static const char columns_query[] =
    "SELECT a.attrelid, a.attname, " PG_TYPE_NAME("a.atttypid", "a.atttypmod") ","
    " CASE WHEN t.typtype = 'd' THEN ("
    "  WITH RECURSIVE b (o, m, depth) AS (SELECT t.typbasetype, t.typtypmod, 1 UNION ALL"
    "   SELECT u.typbasetype, u.typtypmod, b.depth + 1 FROM b JOIN pg_catalog.pg_type u ON u.oid = b.o"
    "   WHERE u.typtype = 'd')"
    "  SELECT " PG_TYPE_NAME("b.o", "b.m") " FROM b ORDER BY b.depth DESC LIMIT 1)"
    " ELSE " PG_TYPE_NAME("a.atttypid", "a.atttypmod") " END,"
    " t.typcategory, t.typname,"
    " NOT (a.attnotnull OR (t.typtype = 'd' AND ("
    "  WITH RECURSIVE b (o, held) AS (SELECT t.typbasetype, t.typnotnull UNION ALL"
    "   SELECT u.typbasetype, u.typnotnull FROM b JOIN pg_catalog.pg_type u ON u.oid = b.o WHERE u.typtype = 'd')"
    "  SELECT pg_catalog.bool_or(b.held) FROM b))),"
    " EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'p'"
    "  AND a.attnum = ANY (k.conkey)),"
    " pg_catalog.col_description(a.attrelid, a.attnum)"
    " FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"
    " WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped"
    " ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], a.attrelid), a.attnum";

/* conparentid: what a partition inherits is its parent's key. */
static const char keys_query[] =
    "SELECT k.conrelid, s.attname, n.nspname, f.relname, d.attname, k.conname"
    " FROM pg_catalog.pg_constraint k"
    " CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS p (src, dst, place)"
    " JOIN pg_catalog.pg_attribute s ON s.attrelid = k.conrelid AND s.attnum = p.src"
    " JOIN pg_catalog.pg_class f ON f.oid = k.confrelid"
    " JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace"
    " JOIN pg_catalog.pg_attribute d ON d.attrelid = k.confrelid AND d.attnum = p.dst"
    " WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid = ANY ($1::pg_catalog.oid[])"
    " ORDER BY pg_catalog.array_position($1::pg_catalog.oid[], k.conrelid), k.conname COLLATE \"C\", p.place";

struct survey {
	struct sql_db	*db;
	struct call	*call;
	struct catalog	*cat;
	const PGresult	*tables;	/* every table, in order */
	int		 n, *rows;	/* the enabled ones: rows of tables */
	struct sql_reach reach;
	char		 fingerprint[FINGERPRINT_TEXT];
};

static const char *
text_at(const PGresult *res, int row, int i)
{
	return PQgetisnull(res, row, i) ? NULL : PQgetvalue(res, row, i);
}

static bool
true_at(const PGresult *res, int row, int i)
{
	return strcmp(PQgetvalue(res, row, i), "t") == 0;
}

static const char *
kind_of(char relkind)
{
	return relkind == 'v' || relkind == 'm' ? "view" : relkind == 'f' ? "external" : "table";
}

/* By the type's category, so that types of extensions and domains come out right (pg_type.typcategory). */
static const char *
dimension_of(char category, const char *type)
{
	switch (category) {
	case 'D':
		return "time";
	case 'B':
		return "boolean";
	case 'N':
		return strncmp(type, "reg", 3) == 0 ? "string" : "number";
	default:
		return "string";
	}
}

/* A column that is hidden from anybody is not there: what a scan keeps is shown to all. */
static int
is_hidden(struct survey *s, const char *schema, const char *table, const char *column, bool *hidden, struct err *err)
{
	enum columns_action action = COLUMNS_CLEAR;

	if (s->db->columns != NULL &&
	    pg_columns_decide(s->db->columns, s->db, s->call, COLUMNS_ANYBODY, schema, table, column, &action, err) == -1)
		return -1;
	*hidden = action == COLUMNS_HIDE;
	return 0;
}

static int
add_columns(struct survey *s, const PGresult *columns, int *at, int row, struct err *err)
{
	const char *oid = PQgetvalue(s->tables, row, 0);
	bool hidden;

	for (; *at < PQntuples(columns) && strcmp(PQgetvalue(columns, *at, 0), oid) == 0; ++*at) {
		if (is_hidden(s, PQgetvalue(s->tables, row, 1), PQgetvalue(s->tables, row, 2),
		    PQgetvalue(columns, *at, 1), &hidden, err) == -1)
			return -1;
		if (!hidden)
			catalog_add_column(s->cat, &(struct catalog_column){
				.name = PQgetvalue(columns, *at, 1),
				.native = PQgetvalue(columns, *at, 2),
				.normalized = text_at(columns, *at, 3),
				.dimension = dimension_of(PQgetvalue(columns, *at, 4)[0], PQgetvalue(columns, *at, 5)),
				.nullable = true_at(columns, *at, 6),
				.primary_key = true_at(columns, *at, 7),
				.comment = text_at(columns, *at, 8),
			});
	}
	return 0;
}

static int
add_keys(struct survey *s, const PGresult *keys, int *at, int row, struct err *err)
{
	const char *oid = PQgetvalue(s->tables, row, 0);
	bool from, to;

	for (; *at < PQntuples(keys) && strcmp(PQgetvalue(keys, *at, 0), oid) == 0; ++*at) {
		struct catalog_key key = {
			.column = PQgetvalue(keys, *at, 1),
			.to_db = PQgetvalue(keys, *at, 2),
			.to_table = PQgetvalue(keys, *at, 3),
			.to_column = PQgetvalue(keys, *at, 4),
			.constraint = PQgetvalue(keys, *at, 5),
		};

		if (is_hidden(s, PQgetvalue(s->tables, row, 1), PQgetvalue(s->tables, row, 2), key.column, &from,
		    err) == -1 || is_hidden(s, key.to_db, key.to_table, key.to_column, &to, err) == -1)
			return -1;
		if (!from && !to)
			catalog_add_key(s->cat, &key);
	}
	return 0;
}

static int
emit(struct survey *s, int first, int last, const PGresult *columns, const PGresult *keys,
    struct err *err)
{
	int column = 0, key = 0;

	for (int i = first; i < last; i++) {
		int row = s->rows[i];
		const char *rows = s->db->columns != NULL && pg_columns_is_part(s->db->columns, PQgetvalue(s->tables, row, 1),
		    PQgetvalue(s->tables, row, 2)) ? NULL : text_at(s->tables, row, 4);

		catalog_table_begin(s->cat, &(struct catalog_table){
			.db = PQgetvalue(s->tables, row, 1),
			.name = PQgetvalue(s->tables, row, 2),
			.kind = kind_of(PQgetvalue(s->tables, row, 3)[0]),
			.rows = rows == NULL ? -1 : strtoll(rows, NULL, 10),
			.comment = text_at(s->tables, row, 5),
			.data_version = text_at(s->tables, row, 6),
			.unreadable = !true_at(s->tables, row, 7),
		});
		if (add_columns(s, columns, &column, row, err) == -1 || add_keys(s, keys, &key, row, err) == -1 ||
		    catalog_table_end(s->cat, err) == -1)
			return -1;
	}
	return 0;
}

static int
describe_batch(struct survey *s, int first, int last, struct err *err)
{
	struct buf list = { 0 };
	PGresult *columns = NULL, *keys = NULL;
	const char *params[1];
	int rc = -1;

	for (int i = first; i < last; i++)
		buf_printf(&list, "%c%s", i == first ? '{' : ',', PQgetvalue(s->tables, s->rows[i], 0));
	buf_byte(&list, '}');
	params[0] = buf_cstr(&list);
	if ((columns = pg_ask(s->db, s->call, columns_query, 1, params, err)) == NULL ||
	    (keys = pg_ask(s->db, s->call, keys_query, 1, params, err)) == NULL)
		goto out;
	rc = emit(s, first, last, columns, keys, err);
out:
	PQclear(columns);
	PQclear(keys);
	buf_fini(&list);
	return rc;
}

/* Which rows of the listing are in scope; what is named but not there becomes a warning. */
static int
choose(struct survey *s, struct err *err)
{
	const struct sql_config *cfg = s->db->cfg;
	int n = PQntuples(s->tables);

	s->rows = arena_array(call_arena(s->call), (size_t)n + 1, sizeof(*s->rows));
	if (s->rows == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many tables to describe");
	for (int i = 0; i < n; i++)
		if (catalog_is_enabled(cfg->enabled, cfg->nenabled, PQgetvalue(s->tables, i, 1),
		    PQgetvalue(s->tables, i, 2)))
			s->rows[s->n++] = i;
	for (size_t e = 0; e < cfg->nenabled; e++) {
		bool found = false;

		for (int i = 0; i < s->n && !found; i++)
			found = catalog_entry_fits(cfg->enabled[e], PQgetvalue(s->tables, s->rows[i], 1),
			    PQgetvalue(s->tables, s->rows[i], 2));
		if (!found)
			catalog_warn(s->cat, "table_missing", cfg->enabled[e],
			    "enabled_tables names %s, which does not exist in the configured schemas",
			    cfg->enabled[e]);
	}
	return 0;
}

/* What is out of reach: a warning each, or the end where nothing is left. */
static int
judge_reach(struct survey *s, struct err *err)
{
	const char *id = s->db->cfg->connection;
	struct buf others = { 0 }, refused = { 0 };
	int rc = 0;

	reach_put_others(&s->reach, id, &others);
	reach_put_refused(&s->reach, id, &refused);
	if (s->reach.ntables == 0 && others.len > 0)
		rc = err_set(err, ERR_DATABASE_ERROR, "the schemas that are served hold no tables; %s", buf_cstr(&others));
	else if (s->reach.ntables > 0 && s->reach.nreadable == 0)
		rc = err_set(err, ERR_DATABASE_ERROR, "%s", buf_cstr(&refused));
	if (rc == 0 && s->reach.ntables == 0)
		catalog_warn(s->cat, "no_tables", NULL, "the database has no tables");
	if (rc == 0 && refused.len > 0)
		catalog_warn(s->cat, "table_unreadable", NULL, "%s", buf_cstr(&refused));
	if (rc == 0 && others.len > 0)
		catalog_warn(s->cat, "schemas_left_out", NULL, "%s", buf_cstr(&others));
	buf_fini(&others);
	buf_fini(&refused);
	return rc;
}

static int
warn_schemas(struct survey *s, const char *const *params, struct err *err)
{
	PGresult *res = pg_ask(s->db, s->call,
	    "SELECT w.name FROM pg_catalog.unnest($1::pg_catalog.text[]) AS w (name) "
	    "WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = w.name)", 1, params, err);

	if (res == NULL)
		return -1;
	for (int i = 0; i < PQntuples(res); i++)
		catalog_warn(s->cat, "schema_missing", NULL, "the configured schema %s does not exist",
		    PQgetvalue(res, i, 0));
	PQclear(res);
	return 0;
}

static void
put_schemas(struct buf *out, const struct sql_config *cfg)
{
	mp_put_cstr(out, "schemas");
	mp_put_array(out, cfg->nschemas);
	for (size_t i = 0; i < cfg->nschemas; i++)
		value_label(out, cfg->schemas[i]);
}

static void
put_metadata(struct survey *s)
{
	const struct sql_config *cfg = s->db->cfg;
	PGconn *conn = s->db->session.conn;
	struct buf *out = &s->cat->metadata;
	const char *version = PQparameterStatus(conn, "server_version");

	mp_put_map(&s->cat->scope, 1);
	put_schemas(&s->cat->scope, cfg);
	mp_put_map(out, 6);
	mp_put_cstr(out, "database");
	value_label(out, PQdb(conn));
	put_schemas(out, cfg);
	mp_put_cstr(out, "host");
	value_label(out, PQhost(conn));
	mp_pair_uint(out, "table_count", s->cat->ntables);
	mp_pair_uint(out, "total_columns", s->cat->total_columns);
	mp_pair_cstr(out, "schema_fingerprint", s->fingerprint);
	snprintf(s->cat->server_version, sizeof(s->cat->server_version), "%s",
	    version == NULL ? "" : version);
}

static int
describe_all(struct survey *s, struct err *err)
{
	if (choose(s, err) == -1)
		return -1;
	for (int at = 0; at < s->n; at += BATCH) {
		call_progress(s->call, (unsigned)((int64_t)at * 1000 / s->n), "Described %d of %d tables", at,
		    s->n);
		if (describe_batch(s, at, at + BATCH < s->n ? at + BATCH : s->n, err) == -1)
			return -1;
	}
	put_metadata(s);
	return 0;
}

int
pg_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err)
{
	struct survey s = { .db = db, .call = c, .cat = cat };
	struct buf schemas = { 0 };
	PGresult *tables = NULL;
	struct fingerprint f;
	const char *params[1];
	int rc = -1;

	pg_put_schemas(&schemas, db->cfg);
	params[0] = buf_cstr(&schemas);
	/* Before the structure is read: what changes meanwhile shows as a difference later. */
	fingerprint_begin(&f);
	if (pg_fingerprint(db, c, &f, err) == -1 || warn_schemas(&s, params, err) == -1 ||
	    pg_reach(db, c, &s.reach, err) == -1 || judge_reach(&s, err) == -1 || (tables = pg_ask(db, c, tables_query, 1, params, err)) == NULL)
		goto out;
	fingerprint_text(&f, s.fingerprint);
	s.tables = tables;
	rc = describe_all(&s, err);
out:
	PQclear(tables);
	buf_fini(&schemas);
	return rc;
}
