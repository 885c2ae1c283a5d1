#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "workers/sql/postgres/postgres_columns.h"
#include "workers/sql/postgres/postgres_fingerprint.h"
#include "workers/sql/postgres/postgres_introspect.h"
#include "workers/sql/postgres/postgres_reach.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

#define BATCH	100	/* tables per set of queries */
#define KEY_MOST	32	/* columns of an index; the server's limit */

#define NUMBER_TEXT(n)	NUMBER_TEXT_(n)
#define NUMBER_TEXT_(n)	#n

/* The queries for each batch of tables; each answer is sorted by relation, in the batch's order. */
enum answer { COLUMNS, KEYS, LABELS, INDEXES, CHECKS, VIEWS, PARTITIONS, ANSWERS };

struct pg_survey {
	struct sql_db	*db;
	struct call	*call;
	struct catalog	*cat;
	const PGresult	*tables;	/* all tables, in order */
	int		 n, *rows;	/* the enabled ones: row numbers in tables */
	struct sql_reach reach;
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

/* By the category of the type, so that extensions' types and domains are covered (pg_type.typcategory). */
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

/* One batch in progress: its answers, and the next unread row of each. */
struct catalog_batch {
	PGresult	*rows[ANSWERS];
	int		 at[ANSWERS];
};

static const char *
schema_of(const struct pg_survey *s, int row)
{
	return PQgetvalue(s->tables, row, 1);
}

static const char *
table_of(const struct pg_survey *s, int row)
{
	return PQgetvalue(s->tables, row, 2);
}

/* Whether the answer's next row belongs to this row of the table list. */
static bool
has_next(const struct pg_survey *s, const struct catalog_batch *b, enum answer answer, int row)
{
	return b->at[answer] < PQntuples(b->rows[answer]) &&
	    strcmp(PQgetvalue(b->rows[answer], b->at[answer], 0), PQgetvalue(s->tables, row, 0)) == 0;
}

static int
decide_column(void *arg, const char *schema, const char *table, const char *column, enum columns_action *action,
    struct err *err)
{
	const struct pg_survey *s = arg;

	return pg_columns_decide(s->db->columns, s->db, s->call, COLUMNS_ANYBODY, schema, table, column, action, err);
}

/* The labels of column number attnum, which come in the order of the columns. */
static size_t
take_labels(struct pg_survey *s, struct catalog_batch *b, int row, const char *attnum,
    const char *labels[CATALOG_LABELS_MAX])
{
	size_t n = 0;

	for (; has_next(s, b, LABELS, row) && strcmp(PQgetvalue(b->rows[LABELS], b->at[LABELS], 1), attnum) == 0;
	     b->at[LABELS]++)
		if (n < CATALOG_LABELS_MAX)
			labels[n++] = PQgetvalue(b->rows[LABELS], b->at[LABELS], 2);
	return n;
}

static void
add_columns(struct pg_survey *s, struct catalog_batch *b, int row)
{
	const char *labels[CATALOG_LABELS_MAX];
	const PGresult *columns = b->rows[COLUMNS];

	for (; has_next(s, b, COLUMNS, row); b->at[COLUMNS]++) {
		int at = b->at[COLUMNS];
		size_t n = take_labels(s, b, row, PQgetvalue(columns, at, 9), labels);

		catalog_add_column(s->cat, &(struct catalog_column){
			.name = PQgetvalue(columns, at, 1),
			.native = PQgetvalue(columns, at, 2),
			.normalized = text_at(columns, at, 3),
			.dimension = dimension_of(PQgetvalue(columns, at, 4)[0], PQgetvalue(columns, at, 5)),
			.nullable = true_at(columns, at, 6),
			.primary_key = true_at(columns, at, 7),
			.comment = text_at(columns, at, 8),
			.is_enum = n > 0,
			.nlabels = n,
			.labels = labels,
			.identity = text_at(columns, at, 10),
			.default_text = text_at(columns, at, 11),
			.generated = text_at(columns, at, 12),
		});
	}
}

static void
add_keys(struct pg_survey *s, struct catalog_batch *b, int row)
{
	const PGresult *keys = b->rows[KEYS];

	for (; has_next(s, b, KEYS, row); b->at[KEYS]++) {
		int at = b->at[KEYS];

		catalog_add_key(s->cat, &(struct catalog_key){
			.column = PQgetvalue(keys, at, 1),
			.to_db = PQgetvalue(keys, at, 2),
			.to_table = PQgetvalue(keys, at, 3),
			.to_column = PQgetvalue(keys, at, 4),
			.constraint = PQgetvalue(keys, at, 5),
			.first = true_at(keys, at, 6),
		});
	}
}

/* The rows of one index, from b->at on. */
static void
take_index(struct pg_survey *s, struct catalog_batch *b, int row, struct catalog_index *index,
    const char *columns[KEY_MOST])
{
	const PGresult *rows = b->rows[INDEXES];
	int first = b->at[INDEXES];

	*index = (struct catalog_index){ .name = PQgetvalue(rows, first, 1), .unique = true_at(rows, first, 2),
		.primary = true_at(rows, first, 3), .definition = text_at(rows, first, 6), .columns = columns };
	for (; has_next(s, b, INDEXES, row) && strcmp(PQgetvalue(rows, b->at[INDEXES], 1), index->name) == 0;
	     b->at[INDEXES]++) {
		const char *column = text_at(rows, b->at[INDEXES], 5);
		enum columns_action named;

		if (!PQgetisnull(rows, b->at[INDEXES], 4) && index->ncolumns < KEY_MOST)
			columns[index->ncolumns++] = column;
		else if ((named = catalog_action(s->cat, schema_of(s, row), table_of(s, row), column)) > index->named)
			index->named = named;
	}
}

static void
add_indexes(struct pg_survey *s, struct catalog_batch *b, int row)
{
	const char *columns[KEY_MOST];
	struct catalog_index index;

	while (has_next(s, b, INDEXES, row)) {
		take_index(s, b, row, &index, columns);
		catalog_add_index(s->cat, &index);
	}
}

/*
 * A check that names a protected column is left out: it may tell its values.  With a column policy, so is one that
 * calls a user's function, which may read any column.
 */
static void
add_checks(struct pg_survey *s, struct catalog_batch *b, int row)
{
	const PGresult *rows = b->rows[CHECKS];

	while (has_next(s, b, CHECKS, row)) {
		int at = b->at[CHECKS];
		struct catalog_check check = { PQgetvalue(rows, at, 1), PQgetvalue(rows, at, 2) };
		bool shown = columns_is_empty(s->db->cfg->columns) || !true_at(rows, at, 4);

		for (; has_next(s, b, CHECKS, row) && strcmp(PQgetvalue(rows, b->at[CHECKS], 1), check.name) == 0;
		     b->at[CHECKS]++)
			shown = catalog_action(s->cat, schema_of(s, row), table_of(s, row),
				    text_at(rows, b->at[CHECKS], 3)) == COLUMNS_CLEAR &&
			    shown;
		if (shown)
			catalog_add_check(s->cat, &check);
	}
}

/* The definition of a view over protected columns names them, and may compare them with values. */
static const char *
take_definition(struct pg_survey *s, struct catalog_batch *b, int row)
{
	const char *definition = NULL;

	for (; has_next(s, b, VIEWS, row); b->at[VIEWS]++)
		definition = text_at(b->rows[VIEWS], b->at[VIEWS], 1);
	if (definition == NULL || s->db->columns == NULL)
		return definition;
	/* Any column will do: deciding on it makes the policy use the current database. */
	(void)catalog_action(s->cat, schema_of(s, row), table_of(s, row), "");
	return pg_columns_is_touched(s->db->columns, schema_of(s, row), table_of(s, row)) ? NULL : definition;
}

static void
add_partitions(struct pg_survey *s, struct catalog_batch *b, int row)
{
	for (; has_next(s, b, PARTITIONS, row); b->at[PARTITIONS]++)
		catalog_add_partition(s->cat, PQgetvalue(b->rows[PARTITIONS], b->at[PARTITIONS], 1));
}

static int
emit_table(struct pg_survey *s, struct catalog_batch *b, int row, struct err *err)
{
	/* Under row security the server's estimate is of the rows of all. */
	const char *rows = s->db->cfg->identity != NULL ||
		(s->db->columns != NULL && pg_columns_is_part(s->db->columns, schema_of(s, row), table_of(s, row))) ?
	    NULL :
	    text_at(s->tables, row, 4);

	catalog_table_begin(s->cat, &(struct catalog_table){
		.db = schema_of(s, row),
		.name = table_of(s, row),
		.kind = kind_of(PQgetvalue(s->tables, row, 3)[0]),
		.materialized = PQgetvalue(s->tables, row, 3)[0] == 'm',
		.rows = rows == NULL ? -1 : strtoll(rows, NULL, 10),
		.comment = text_at(s->tables, row, 5),
		.data_version = text_at(s->tables, row, 6),
		.unreadable = !true_at(s->tables, row, 7),
		.definition = take_definition(s, b, row),
	});
	add_partitions(s, b, row);
	add_columns(s, b, row);
	add_keys(s, b, row);
	add_indexes(s, b, row);
	add_checks(s, b, row);
	return catalog_table_end(s->cat, err);
}

static int
describe_batch(struct pg_survey *s, int first, int last, struct err *err)
{
	static const struct {
		const char *text;
		const char *most; /* its second parameter; NULL: none */
	} queries[ANSWERS] = {
		[COLUMNS] = { postgres_introspect_columns_sql, NULL },
		[KEYS] = { postgres_introspect_keys_sql, NULL },
		[LABELS] = { postgres_introspect_labels_sql, NUMBER_TEXT(CATALOG_LABELS_MAX) },
		[INDEXES] = { postgres_introspect_indexes_sql, NULL },
		[CHECKS] = { postgres_introspect_checks_sql, NULL },
		[VIEWS] = { postgres_introspect_views_sql, NUMBER_TEXT(CATALOG_VIEW_TEXT_MAX) },
		[PARTITIONS] = { postgres_introspect_partitions_sql, NUMBER_TEXT(CATALOG_PARTITIONS_MAX) },
	};
	struct buf list = { 0 };
	struct catalog_batch b = { 0 };
	int rc = 0;

	for (int i = first; i < last; i++)
		buf_printf(&list, "%c%s", i == first ? '{' : ',', PQgetvalue(s->tables, s->rows[i], 0));
	buf_byte(&list, '}');
	for (size_t i = 0; i < ANSWERS && rc == 0; i++) {
		const char *params[] = { buf_cstr(&list), queries[i].most };

		b.rows[i] = pg_ask(s->db, s->call, queries[i].text, queries[i].most == NULL ? 1 : 2, params, err);
		rc = b.rows[i] == NULL ? -1 : 0;
	}
	for (int i = first; i < last && rc == 0; i++)
		rc = emit_table(s, &b, s->rows[i], err);
	for (size_t i = 0; i < ANSWERS; i++)
		PQclear(b.rows[i]);
	buf_fini(&list);
	return rc;
}

/* The rows of the table list that are in scope. */
static int
introspect_choose(struct pg_survey *s, struct err *err)
{
	int n = PQntuples(s->tables);

	s->rows = arena_array(call_arena(s->call), (size_t)n + 1, sizeof(*s->rows));
	if (s->rows == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many tables to describe");
	for (int i = 0; i < n; i++)
		if (catalog_serves(s->cat, schema_of(s, i), table_of(s, i)))
			s->rows[s->n++] = i;
	return 0;
}

static int
warn_schemas(struct pg_survey *s, const char *const *params, struct err *err)
{
	PGresult *res = pg_ask(s->db, s->call, postgres_introspect_missing_sql, 1, params, err);

	if (res == NULL)
		return -1;
	for (int i = 0; i < PQntuples(res); i++)
		catalog_warn(s->cat, "schema_missing", NULL, "the configured schema %s does not exist",
		    PQgetvalue(res, i, 0));
	PQclear(res);
	return 0;
}

static void
put_metadata(struct pg_survey *s)
{
	const struct sql_config *cfg = s->db->cfg;
	PGconn *conn = s->db->session.conn;
	struct buf *out = &s->cat->metadata;
	const char *version = PQparameterStatus(conn, "server_version");

	catalog_put_names(&s->cat->scope, "schemas", cfg->schemas, cfg->nschemas);
	mp_put_cstr(out, "database");
	value_label(out, PQdb(conn));
	catalog_put_names(out, "schemas", cfg->schemas, cfg->nschemas);
	mp_put_cstr(out, "host");
	value_label(out, PQhost(conn));
	snprintf(s->cat->server_version, sizeof(s->cat->server_version), "%s", version == NULL ? "" : version);
}

static int
describe_all(struct pg_survey *s, struct err *err)
{
	if (introspect_choose(s, err) == -1)
		return -1;
	for (int at = 0; at < s->n; at += BATCH) {
		call_progress(s->call, (unsigned)((int64_t)at * 1000 / s->n), "Described %d of %d tables", at, s->n);
		if (describe_batch(s, at, at + BATCH < s->n ? at + BATCH : s->n, err) == -1)
			return -1;
	}
	put_metadata(s);
	return 0;
}

int
pg_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err)
{
	struct pg_survey s = { .db = db, .call = c, .cat = cat };
	struct buf schemas = { 0 };
	PGresult *tables = NULL;
	struct fingerprint f;
	const char *params[1];
	int rc = -1;

	pg_put_schemas(&schemas, db->cfg);
	params[0] = buf_cstr(&schemas);
	/* Before the structure is read: a change in between shows as a difference later. */
	fingerprint_begin(&f);
	if (pg_fingerprint(db, c, &f, err) == -1 || warn_schemas(&s, params, err) == -1 ||
	    pg_reach(db, c, &s.reach, err) == -1 || reach_judge(&s.reach, db->cfg->connection, s.cat, err) == -1 ||
	    (tables = pg_ask(db, c, postgres_introspect_tables_sql, 1, params, err)) == NULL)
		goto out;
	fingerprint_text(&f, cat->fingerprint);
	s.tables = tables;
	/*
	 * The catalogue was just listed: decide on the current state of the database, as a scan's results are stored.
	 */
	pg_columns_expire(db->columns);
	if (db->columns != NULL)
		catalog_protect(cat, decide_column, &s);
	rc = describe_all(&s, err);
out:
	PQclear(tables);
	buf_fini(&schemas);
	return rc;
}
