/*
 * duckdb_introspect.c - relations, columns, keys and indexes from DuckDB's catalogue, for a scan and its fingerprint.
 *
 * Each list is read as a whole, in the order of schema and table, and the lists are walked side by side: a function of
 * the catalogue describes everything each time that it is called.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mp.h"
#include "workers/shared/call.h"
#include "workers/sql/declared.h"
#include "workers/sql/duckdb/duckdb.h"
#include "workers/sql/duckdb/duckdb_db.h"
#include "workers/sql/duckdb/duckdb_introspect.h"
#include "workers/sql/duckdb/duckdb_sql.h"
#include "workers/sql/duckdb/duckdb_text.h"
#include "workers/sql/value.h"

#define KEY_MOST	64	/* columns of a key */

/* The lists, and the columns that they begin with. */
enum list { TABLES, COLUMNS, KEYS, UNIQUE, INDEXES, LISTS };
enum { OF_SCHEMA, OF_TABLE, OF_NAME };
enum { TABLE_KIND = 2, TABLE_ROWS, TABLE_COMMENT, TABLE_DEFINITION, TABLE_WIDTH };
enum { COLUMN_TYPE = 3, COLUMN_NULLABLE, COLUMN_PRIMARY, COLUMN_COMMENT, COLUMN_EXPRESSION, COLUMN_WIDTH };
enum { KEY_TO_TABLE = 3, KEY_TO_COLUMN, KEY_CONSTRAINT, KEY_FIRST, KEY_WIDTH };
enum { UNIQUE_NUMBER = 3, UNIQUE_CONSTRAINT, UNIQUE_PRIMARY, UNIQUE_WIDTH };
enum { INDEX_UNIQUE = 3, INDEX_SQL, INDEX_WIDTH };

static const struct {
	const char	*sql;
	uint64_t	 width;
} lists[LISTS] = {
	[TABLES] = { duckdb_tables_sql, TABLE_WIDTH },
	[COLUMNS] = { duckdb_columns_sql, COLUMN_WIDTH },
	[KEYS] = { duckdb_keys_sql, KEY_WIDTH },
	[UNIQUE] = { duckdb_unique_sql, UNIQUE_WIDTH },
	[INDEXES] = { duckdb_indexes_sql, INDEX_WIDTH },
};

struct fact {
	const char	**texts;
	struct fact	 *next;
};

struct duckdb_survey {
	struct sql_db	*db;
	struct call	*call;
	struct catalog	*cat;
	struct fact	*first[LISTS];	/* of the rest of a list */
	size_t		 ntables;
	char		 version[DUCKDB_FILE_VERSION];
};

static int
too_many(struct err *err)
{
	return err_set(err, ERR_RESULT_TOO_LARGE, "the database has too many tables to describe");
}

/* A view of files is a table to its readers.  Its definition tells paths, and changes with what is in the files. */
static void
show_files(struct fact *view)
{
	view->texts[TABLE_KIND] = "table";
	view->texts[TABLE_DEFINITION] = NULL;
}

static int
read_list(struct duckdb_survey *s, enum list l, struct err *err)
{
	struct fact **end = &s->first[l];
	int rc;

	if (duckdb_session_run(s->db, span_str(lists[l].sql), false, err) == -1)
		return -1;
	while ((rc = duckdb_session_next(s->db, err)) == 1) {
		struct fact *f = arena_alloc(call_arena(s->call), sizeof(*f));

		if (f == NULL ||
		    (f->texts = arena_array(call_arena(s->call), lists[l].width, sizeof(*f->texts))) == NULL)
			return too_many(err);
		for (uint64_t i = 0; i < lists[l].width; i++)
			f->texts[i] = duckdb_session_text(s->db, i);
		if (l == TABLES && s->db->files.n > 0)
			show_files(f);
		f->next = NULL;
		*end = f;
		end = &f->next;
		s->ntables += l == TABLES;
	}
	return rc;
}

static int
read_all(struct duckdb_survey *s, struct err *err)
{
	for (enum list l = TABLES; l < LISTS; l++)
		if (read_list(s, l, err) == -1)
			return -1;
	return 0;
}

static bool
serves_schema(const struct sql_config *cfg, const char *schema)
{
	bool served = cfg->nschemas == 0;

	for (size_t i = 0; i < cfg->nschemas; i++)
		served = served || strcmp(cfg->schemas[i], schema) == 0;
	return served;
}

/* Whether the connection serves the table: its schema and its name are configured. */
static bool
is_served(const struct sql_config *cfg, const struct fact *f)
{
	return serves_schema(cfg, f->texts[OF_SCHEMA]) &&
	    catalog_is_enabled(cfg->enabled, cfg->nenabled, f->texts[OF_SCHEMA], f->texts[OF_TABLE]);
}

/* The next fact of the list about the table, else NULL.  Those of tables before it are passed over. */
static const struct fact *
take_fact(struct duckdb_survey *s, enum list l, const struct fact *table)
{
	struct fact *f;

	for (; (f = s->first[l]) != NULL; s->first[l] = f->next) {
		int r = strcmp(f->texts[OF_SCHEMA], table->texts[OF_SCHEMA]);

		if (r == 0)
			r = strcmp(f->texts[OF_TABLE], table->texts[OF_TABLE]);
		if (r > 0)
			return NULL;
		if (r == 0) {
			s->first[l] = f->next;
			return f;
		}
	}
	return NULL;
}

struct dimension_word {
	const char	*begin, *dimension;
};

/* Legend: from the top, the first row that a type's name begins with; arrays and everything else are strings. */
static const struct dimension_word dimensions[] = {
	{ "TIME", "time" }, { "DATE", "time" }, { "BOOLEAN", "boolean" }, { "TINYINT", "number" },
	{ "SMALLINT", "number" }, { "INTEGER", "number" }, { "BIGINT", "number" }, { "HUGEINT", "number" },
	{ "UTINYINT", "number" }, { "USMALLINT", "number" }, { "UINTEGER", "number" }, { "UBIGINT", "number" },
	{ "UHUGEINT", "number" }, { "FLOAT", "number" }, { "DOUBLE", "number" }, { "DECIMAL", "number" },
};

static const char *
dimension_of(const char *type)
{
	size_t n = strlen(type);

	for (size_t i = 0; n > 0 && type[n - 1] != ']' && i < sizeof(dimensions) / sizeof(dimensions[0]); i++)
		if (strncmp(type, dimensions[i].begin, strlen(dimensions[i].begin)) == 0)
			return dimensions[i].dimension;
	return "string";
}

/* "ENUM('a', 'b')": the labels; the type is shown without them. */
static void
take_labels(struct duckdb_survey *s, struct catalog_column *c)
{
	struct sqltext text = { .dialect = SQLTEXT_PLAIN, .text = span_str(c->native) };
	const char **labels = arena_array(call_arena(s->call), CATALOG_LABELS_MAX, sizeof(*labels));
	struct sqltext_token t;

	if (labels == NULL || strncmp(c->native, "ENUM(", 5) != 0)
		return;
	while ((t = sqltext_next(&text)).kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN)
		if (t.kind == SQLTEXT_STRING && c->nlabels < CATALOG_LABELS_MAX)
			labels[c->nlabels++] = sqltext_unquoted(call_arena(s->call), t.text);
	c->native = c->normalized = c->native[strlen(c->native) - 1] == ']' ? "ENUM[]" : "ENUM";
	c->labels = labels;
	c->is_enum = true;
}

static int
decide_column(void *arg, const char *schema, const char *table, const char *column, enum columns_action *action,
    struct err *err)
{
	const struct duckdb_survey *s = arg;

	(void)err;
	*action = duckdb_columns_action(s->db->columns, schema, table, column);
	return 0;
}

/* The expression, unless it names a protected column and may so tell what it holds. */
static const char *
shown_expression(const struct duckdb_survey *s, const char *text)
{
	return text == NULL || duckdb_columns_names_any(s->db->columns, text) ? NULL : text;
}

/* Declarations up to column number `column`: true if it is generated.  The checks among them are described. */
static bool
pass_declared(struct duckdb_survey *s, struct declared *d, size_t column)
{
	bool generated = false;

	for (; d->kind != DECLARED_END && d->column <= column; (void)declared_next(d))
		if (d->kind == DECLARED_CHECK)
			catalog_add_check(s->cat,
			    &(const struct catalog_check){
				.expression = shown_expression(s,
				    arena_printf(call_arena(s->call), "%.*s", SPAN_FMT(d->expression))) });
		else
			generated = generated || d->column == column;
	return generated;
}

static void
describe_columns(struct duckdb_survey *s, const struct fact *table)
{
	struct declared d;
	const struct fact *f;

	declared_begin(&d, SQLTEXT_DUCKDB, span_str(table->texts[TABLE_DEFINITION]));
	(void)declared_next(&d);
	for (size_t at = 0; (f = take_fact(s, COLUMNS, table)) != NULL; at++) {
		struct catalog_column c = { .name = f->texts[OF_NAME],
			.native = f->texts[COLUMN_TYPE],
			.normalized = f->texts[COLUMN_TYPE],
			.dimension = dimension_of(f->texts[COLUMN_TYPE]),
			.comment = f->texts[COLUMN_COMMENT],
			.nullable = f->texts[COLUMN_NULLABLE] != NULL,
			.primary_key = f->texts[COLUMN_PRIMARY] != NULL };
		bool generated = pass_declared(s, &d, at);

		take_labels(s, &c);
		*(generated ? &c.generated : &c.default_text) = shown_expression(s, f->texts[COLUMN_EXPRESSION]);
		catalog_add_column(s->cat, &c);
	}
	(void)pass_declared(s, &d, DECLARED_TABLE);
}

static void
describe_keys(struct duckdb_survey *s, const struct fact *table)
{
	const struct fact *f;

	while ((f = take_fact(s, KEYS, table)) != NULL)
		catalog_add_key(s->cat,
		    &(const struct catalog_key){ .column = f->texts[OF_NAME],
			.to_db = f->texts[OF_SCHEMA], /* DuckDB has no keys across schemas */
			.to_table = f->texts[KEY_TO_TABLE],
			.to_column = f->texts[KEY_TO_COLUMN],
			.constraint = f->texts[KEY_CONSTRAINT],
			.first = f->texts[KEY_FIRST] != NULL });
}

/* A primary or unique key has an index, which is described by its columns. */
static void
describe_unique(struct duckdb_survey *s, const struct fact *table)
{
	const char *columns[KEY_MOST];
	const struct fact *f = take_fact(s, UNIQUE, table), *next;

	for (size_t n = 0; f != NULL; f = next) {
		if (n < KEY_MOST)
			columns[n++] = f->texts[OF_NAME];
		next = take_fact(s, UNIQUE, table);
		if (next != NULL && strcmp(next->texts[UNIQUE_NUMBER], f->texts[UNIQUE_NUMBER]) == 0)
			continue;
		catalog_add_index(s->cat,
		    &(const struct catalog_index){ .name = f->texts[UNIQUE_CONSTRAINT],
			.unique = true,
			.primary = f->texts[UNIQUE_PRIMARY] != NULL,
			.ncolumns = n,
			.columns = columns });
		n = 0;
	}
}

static void
describe_indexes(struct duckdb_survey *s, const struct fact *table)
{
	const struct fact *f;

	while ((f = take_fact(s, INDEXES, table)) != NULL)
		if (f->texts[INDEX_SQL] == NULL || !duckdb_columns_names_any(s->db->columns, f->texts[INDEX_SQL]))
			catalog_add_index(s->cat,
			    &(const struct catalog_index){ .name = f->texts[OF_NAME],
				.definition = f->texts[INDEX_SQL],
				.unique = f->texts[INDEX_UNIQUE] != NULL });
}

/* Whether a view shows something protected, or looks at it. */
static bool
is_guarded(const struct duckdb_survey *s, const struct fact *view)
{
	return duckdb_columns_names_any(s->db->columns, view->texts[TABLE_DEFINITION]) ||
	    duckdb_columns_shows_any(s->db->columns, view->texts[OF_SCHEMA], view->texts[OF_TABLE]);
}

static int
describe_table(struct duckdb_survey *s, const struct fact *f, struct err *err)
{
	struct catalog_table table = { .db = f->texts[OF_SCHEMA],
		.name = f->texts[OF_TABLE],
		.kind = f->texts[TABLE_KIND],
		.comment = f->texts[TABLE_COMMENT],
		.rows = f->texts[TABLE_ROWS] == NULL ? -1 : strtoll(f->texts[TABLE_ROWS], NULL, 10),
		.data_version = s->version,
		.definition = strcmp(f->texts[TABLE_KIND], "view") == 0 ? f->texts[TABLE_DEFINITION] : NULL };

	if (table.definition != NULL && is_guarded(s, f))
		table.definition = NULL;

	if (!call_poll(s->call, err))
		return -1;
	catalog_table_begin(s->cat, &table);
	describe_columns(s, f);
	describe_keys(s, f);
	describe_unique(s, f);
	describe_indexes(s, f);
	return catalog_table_end(s->cat, err);
}

/* Warns about tables whose files cannot be read. */
static void
warn_unreadable(struct duckdb_survey *s)
{
	for (size_t i = 0; i < s->db->files.n; i++) {
		const char *name = s->db->files.v[i].name, *fault = duckdb_names_fault(&s->db->names, span_str(name));

		if (fault != NULL)
			catalog_warn(s->cat, "files_unreadable", name, "the files of %s cannot be read: %s", name,
			    fault);
		else if (s->db->files.v[i].found.nameless > 0)
			catalog_warn(s->cat, "files_unreadable", name,
			    "files of %s whose paths are not in UTF-8 are left out: %zu", name,
			    s->db->files.v[i].found.nameless);
	}
}

static void
put_metadata(struct duckdb_survey *s)
{
	const char *path = s->db->files.n > 0 ? s->db->cfg->connection : s->db->file.path;
	const char *slash = strrchr(path, '/');
	struct buf *out = &s->cat->metadata;

	/* The file's name without its directory: artifacts are committed and shared. */
	mp_put_cstr(out, "file_path");
	value_label(out, slash == NULL ? path : slash + 1);
	catalog_put_names(&s->cat->scope, "schemas", s->db->cfg->schemas, s->db->cfg->nschemas);
	snprintf(s->cat->server_version, sizeof(s->cat->server_version), "%s", duck.library_version() + 1);
}

/* Numbers of rows are left out: they are no part of the structure. */
static void
add_fact(struct fingerprint *f, enum list l, const struct fact *fact)
{
	for (uint64_t i = 0; i < lists[l].width; i++)
		if (l != TABLES || i != TABLE_ROWS)
			fingerprint_add(f, span_str(fact->texts[i] == NULL ? "" : fact->texts[i]));
}

static void
digest_lists(struct duckdb_survey *s, struct fingerprint *f)
{
	fingerprint_begin(f);
	for (enum list l = TABLES; l < LISTS; l++)
		for (const struct fact *fact = s->first[l]; fact != NULL; fact = fact->next)
			if (is_served(s->db->cfg, fact))
				add_fact(f, l, fact);
}

static int
survey_begin(struct duckdb_survey *s, struct err *err)
{
	duckdb_session_begin(s->db, s->call, call_deadline(s->call));
	if (duckdb_reopen(s->db, s->call, err) == -1)
		return -1;
	if (s->db->files.n > 0)
		snprintf(s->version, sizeof(s->version), "%016" PRIx64, duckdb_files_version(&s->db->files));
	else
		duckdb_file_version(&s->db->file, s->version);
	if (read_all(s, err) == -1)
		return -1;
	return duckdb_columns_enter(s->db, COLUMNS_ANYBODY, err);
}

int
duckdb_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	struct duckdb_survey s = { .db = db, .call = c };
	int rc = survey_begin(&s, err);

	if (rc == 0)
		digest_lists(&s, f);
	duckdb_session_end(db);
	return rc;
}

static int
describe_all(struct duckdb_survey *s, struct err *err)
{
	size_t i = 0;

	warn_unreadable(s);
	for (const struct fact *f = s->first[TABLES]; f != NULL; f = f->next, i++) {
		if (i % 16 == 0)
			call_progress(s->call, (unsigned)(i * 1000 / s->ntables), "Described %zu of %zu tables", i,
			    s->ntables);
		if (serves_schema(s->db->cfg, f->texts[OF_SCHEMA]) &&
		    catalog_serves(s->cat, f->texts[OF_SCHEMA], f->texts[OF_TABLE]) && describe_table(s, f, err) == -1)
			return -1;
	}
	put_metadata(s);
	return 0;
}

static void
count_tables(const struct duckdb_survey *s, struct sql_reach *r)
{
	*r = (struct sql_reach){ .known = true };
	for (const struct fact *f = s->first[TABLES]; f != NULL; f = f->next)
		if (!serves_schema(s->db->cfg, f->texts[OF_SCHEMA]))
			reach_add_other(r, call_arena(s->call), f->texts[OF_SCHEMA]);
		else if (is_served(s->db->cfg, f))
			r->ntables++;
	r->nreadable = r->ntables; /* there are no privileges */
}

int
duckdb_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err)
{
	struct duckdb_survey s = { .db = db, .call = c };
	int rc = read_list(&s, TABLES, err);

	if (rc == 0)
		count_tables(&s, r);
	return rc;
}

int
duckdb_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err)
{
	struct duckdb_survey s = { .db = db, .call = c, .cat = cat };
	struct sql_reach reach;
	struct fingerprint f;
	int rc = survey_begin(&s, err);

	catalog_protect(cat, decide_column, &s);
	if (rc == 0) {
		digest_lists(&s, &f);
		fingerprint_text(&f, cat->fingerprint);
		count_tables(&s, &reach);
		if (db->files.n == 0) /* tables of files are in one schema; warn_unreadable() tells which are missing */
			rc = reach_judge(&reach, db->cfg->connection, cat, err);
		if (rc == 0)
			rc = describe_all(&s, err);
	}
	duckdb_session_end(db);
	return rc;
}
