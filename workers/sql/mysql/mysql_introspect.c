/*
 * mysql_introspect.c - see mysql_introspect.h.  Each part of the structure is one answer for all tables, sorted by
 * schema and table; they are merged along the list of the tables.
 */
#include "workers/sql/mysql/mysql_introspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "workers/shared/call.h"
#include "workers/sql/mysql/mysql_catalogue.h"
#include "workers/sql/mysql/mysql_policy.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"
#include "workers/sql/mysql/mysql_types.h"
#include "workers/sql/value.h"

#define KEY_MOST	32	/* columns of an index; the servers' limit is 16 */
#define TYPE_MAX	2000u	/* bytes of a type as written; of a longer one only the name is told */

enum answer { TABLES, COLUMNS, KEYS, INDEXES, CHECKS, VIEWS, PARTITIONS, ANSWERS };

/* The first columns of each answer; and those of TABLES. */
enum { SCHEMA, TABLE };
enum { TABLE_IS_VIEW = 2, TABLE_ROWS, TABLE_COMMENT };

struct survey {
	struct sql_db	*db;
	struct call	*call;
	struct catalog	*cat;
	const struct mysql_columns *policy;	/* of everybody: a scan's results are shown to all callers */
	MYSQL_RES	*answers[ANSWERS];
	struct mysql_listing lists[ANSWERS];
	struct sql_reach reach;
};

static bool
true_in(const char *cell)
{
	return cell != NULL && cell[0] == '1';
}

static int
decide_column(void *arg, const char *schema, const char *table, const char *column, enum columns_action *action,
    struct err *err)
{
	const struct survey *s = arg;

	(void)err;
	*action = mysql_columns_action(s->policy, span_str(schema), span_str(table), span_str(column));
	return 0;
}

/* The labels of enum('a','it''s','a\\\\b'); they are kept in the call's arena. */
static size_t
read_labels(struct survey *s, const char *type, const char *labels[CATALOG_LABELS_MAX])
{
	const char *p = strchr(type, '(');
	size_t n = 0;

	if (p == NULL)
		return 0;
	while (*++p == '\'' && n < CATALOG_LABELS_MAX) {
		struct buf label = { 0 };

		for (p++; *p != '\0' && (*p != '\'' || p[1] == '\''); p++) {
			bool escape = *p == '\\' && p[1] != '\0';

			p += escape || *p == '\'';
			buf_byte(&label,
			    (uint8_t)(!escape ? *p :
				    *p == 'n' ? '\n' :
				    *p == 'r' ? '\r' :
				    *p == '0' ? '\0' :
						*p));
		}
		labels[n] = arena_cstr(call_arena(s->call), buf_view(&label));
		n += labels[n] != NULL;
		buf_fini(&label);
		p += *p != '\0'; /* to the comma behind the label */
		if (*p != ',')
			break;
	}
	return n;
}

/* MariaDB writes an expression; MySQL the value itself, unless it says DEFAULT_GENERATED. */
static const char *
default_of(struct survey *s, const char *text, const char *type, const char *extra)
{
	struct buf quoted = { 0 };
	const char *kept;

	if (text == NULL || strcmp(text, "NULL") == 0)
		return NULL;
	if (mysql_session_is_mariadb(s->db->session) || strstr(extra, "DEFAULT_GENERATED") != NULL ||
	    strcmp(mysql_types_dimension(type), "number") == 0)
		return text;
	buf_quoted(&quoted, span_str(text), '\'');
	kept = arena_cstr(call_arena(s->call), buf_view(&quoted));
	buf_fini(&quoted);
	return kept;
}

static bool
is_in_key(const char *column, const char *const *key, size_t nkey)
{
	for (size_t i = 0; i < nkey; i++)
		if (strcmp(key[i], column) == 0)
			return true;
	return false;
}

static void
add_columns(struct survey *s, const MYSQL_ROW table, const char *const *key, size_t nkey)
{
	enum { NAME = 2, WRITTEN, TYPE, NULLABLE, READABLE, COMMENT, DEFAULT, EXTRA, GENERATED };
	const char *labels[CATALOG_LABELS_MAX];
	MYSQL_ROW row;

	while ((row = mysql_catalogue_take(&s->lists[COLUMNS], table)) != NULL) {
		bool is_enum = strcmp(row[TYPE], "enum") == 0;
		const char *native = strlen(row[WRITTEN]) > TYPE_MAX ? row[TYPE] : row[WRITTEN];

		s->cat->table.unreadable = s->cat->table.unreadable && !true_in(row[READABLE]);
		catalog_add_column(s->cat, &(struct catalog_column){
			.name = row[NAME],
			.native = native,
			.normalized = native,
			.bare = row[TYPE],
			.dimension = mysql_types_dimension(row[TYPE]),
			.nullable = true_in(row[NULLABLE]),
			.primary_key = is_in_key(row[NAME], key, nkey),
			.comment = row[COMMENT],
			.is_enum = is_enum,
			.nlabels = is_enum ? read_labels(s, row[WRITTEN], labels) : 0,
			.labels = labels,
			.identity = strstr(row[EXTRA], "auto_increment") != NULL ? "by default" : NULL,
			.default_text =
			    row[GENERATED] == NULL ? default_of(s, row[DEFAULT], row[TYPE], row[EXTRA]) : NULL,
			.generated = row[GENERATED],
		});
	}
}

static void
add_keys(struct survey *s, const MYSQL_ROW table)
{
	enum { NAME = 2, COLUMN, TO_SCHEMA, TO_TABLE, TO_COLUMN, FIRST };

	for (MYSQL_ROW row; (row = mysql_catalogue_take(&s->lists[KEYS], table)) != NULL;)
		catalog_add_key(s->cat,
		    &(struct catalog_key){
			row[COLUMN], row[TO_SCHEMA], row[TO_TABLE], row[TO_COLUMN], row[NAME], true_in(row[FIRST]) });
}

enum { INDEX_NAME = 2, INDEX_UNIQUE, INDEX_KIND, INDEX_COLUMN, INDEX_LENGTH };

/* The definition tells what columns do not: the kind, and parts of columns. */
static void
take_index(struct survey *s, const MYSQL_ROW table, struct catalog_index *index, const char *columns[KEY_MOST],
    struct buf *definition)
{
	struct mysql_listing *list = &s->lists[INDEXES];
	MYSQL_ROW row = list->next;
	bool plain = strcmp(row[INDEX_KIND], "BTREE") == 0 || strcmp(row[INDEX_KIND], "HASH") == 0;

	*index = (struct catalog_index){ .name = row[INDEX_NAME], .unique = true_in(row[INDEX_UNIQUE]),
		.primary = strcmp(row[INDEX_NAME], "PRIMARY") == 0, .columns = columns };
	buf_printf(definition, "%s INDEX ", plain ? (index->unique ? "UNIQUE" : "") : row[INDEX_KIND]);
	buf_quoted(definition, span_str(index->name), '`');
	for (; (row = mysql_catalogue_peek(list, table)) != NULL && strcmp(row[INDEX_NAME], index->name) == 0;
	     (void)mysql_catalogue_take(list, table)) {
		buf_str(definition, index->ncolumns == 0 ? " (" : ", ");
		buf_quoted(definition, span_str(row[INDEX_COLUMN] == NULL ? "" : row[INDEX_COLUMN]), '`');
		if (row[INDEX_LENGTH] != NULL)
			buf_printf(definition, "(%s)", row[INDEX_LENGTH]);
		plain = plain && row[INDEX_LENGTH] == NULL && row[INDEX_COLUMN] != NULL;
		if (row[INDEX_COLUMN] == NULL && s->policy != NULL) /* an expression, which is not told */
			index->named = COLUMNS_HIDE;
		if (index->ncolumns < KEY_MOST)
			columns[index->ncolumns++] = row[INDEX_COLUMN];
	}
	buf_byte(definition, ')');
	index->definition = plain ? NULL : buf_cstr(definition);
}

/* Returns the number of columns of the primary key. */
static size_t
add_indexes(struct survey *s, const MYSQL_ROW table, const char *key[KEY_MOST])
{
	const char *columns[KEY_MOST];
	struct buf definition = { 0 };
	struct catalog_index index;
	size_t nkey = 0;

	while (mysql_catalogue_peek(&s->lists[INDEXES], table) != NULL) {
		buf_reset(&definition, 4096);
		take_index(s, table, &index, columns, &definition);
		catalog_add_index(s->cat, &index);
		for (size_t i = 0; index.primary && i < index.ncolumns && nkey < KEY_MOST; i++)
			key[nkey++] = columns[i];
	}
	buf_fini(&definition);
	return nkey;
}

/* A check that names a protected column is left out: it may tell its values. */
static void
add_checks(struct survey *s, const MYSQL_ROW table)
{
	enum { NAME = 2, EXPRESSION };
	MYSQL_ROW row;

	while ((row = mysql_catalogue_take(&s->lists[CHECKS], table)) != NULL)
		if (!mysql_columns_names_any(s->policy, span_str(row[EXPRESSION])))
			catalog_add_check(s->cat, &(struct catalog_check){ row[NAME], row[EXPRESSION] });
}

static int
emit_table(struct survey *s, const MYSQL_ROW table, struct err *err)
{
	enum { DEFINITION = 2, PARTITION = 2 };
	MYSQL_ROW view = mysql_catalogue_take(&s->lists[VIEWS], table);
	bool open = !mysql_columns_shows_any(s->policy, span_str(table[SCHEMA]), span_str(table[TABLE]));
	const char *key[KEY_MOST];
	size_t nkey;

	catalog_table_begin(s->cat, &(struct catalog_table){
		.db = table[SCHEMA],
		.name = table[TABLE],
		.kind = true_in(table[TABLE_IS_VIEW]) ? "view" : "table",
		/* Where rows are hidden by who asks the server's estimate is of the rows of all. */
		.rows = s->db->cfg->identity != NULL || table[TABLE_ROWS] == NULL ?
		    -1 :
		    strtoll(table[TABLE_ROWS], NULL, 10),
		.comment = table[TABLE_COMMENT],
		.unreadable = true, /* until a column can be read */
		.definition = view == NULL || !open ? NULL : view[DEFINITION],
	});
	for (MYSQL_ROW row; (row = mysql_catalogue_take(&s->lists[PARTITIONS], table)) != NULL;)
		if (open) /* names such as p_ssn_A tell values */
			catalog_add_partition(s->cat, row[PARTITION]);
	nkey = add_indexes(s, table, key);
	add_columns(s, table, key, nkey);
	add_keys(s, table);
	add_checks(s, table);
	return catalog_table_end(s->cat, err);
}

/* Everything of the structure; estimates of rows are none of it. */
static void
add_to_fingerprint(struct survey *s, struct fingerprint *f)
{
	const struct sql_config *cfg = s->db->cfg;
	MYSQL_ROW row;

	for (unsigned i = TABLES; i < ANSWERS; i++) {
		mysql_data_seek(s->answers[i], 0);
		while ((row = mysql_fetch_row(s->answers[i])) != NULL) {
			if (!catalog_is_enabled(cfg->enabled, cfg->nenabled, row[SCHEMA], row[TABLE]))
				continue;
			for (unsigned k = 0; k < mysql_num_fields(s->answers[i]); k++)
				if (i != TABLES || k != TABLE_ROWS)
					fingerprint_add(f, span_str(row[k]));
		}
	}
}

static void
free_answers(struct survey *s)
{
	for (unsigned i = 0; i < ANSWERS; i++)
		mysql_free_result(s->answers[i]);
}

static int
ask_all(struct survey *s, struct err *err)
{
	const struct mysql_catalogue_ask asked[ANSWERS] = {
		[TABLES] = { mysql_tables_sql, "!!!.." },
		[COLUMNS] = { mysql_columns_sql, "!!!!!....!." },
		[KEYS] = { mysql_keys_sql, "!!!!!!!!" },
		[INDEXES] = mysql_catalogue_asks[MYSQL_CATALOGUE_INDEXES],
		[CHECKS] = { mysql_session_is_mariadb(s->db->session) ? mysql_checks_mariadb_sql : mysql_checks_sql,
		    "!!!!" },
		[VIEWS] = mysql_catalogue_asks[MYSQL_CATALOGUE_VIEWS],
		[PARTITIONS] = { mysql_partitions_sql, "!!!." },
	};

	for (unsigned i = 0; i < ANSWERS; i++)
		if ((s->answers[i] =
			    mysql_statement_ask_of_schemas(s->db, s->call, asked[i].text, asked[i].shape, err)) == NULL)
			return -1;
	return 0;
}

int
mysql_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	struct survey s = { .db = db, .call = c };
	int rc = ask_all(&s, err);

	if (rc == 0)
		add_to_fingerprint(&s, f);
	free_answers(&s);
	return rc;
}

int
mysql_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err)
{
	enum { SERVED = 2, READABLE };
	const struct sql_config *cfg = db->cfg;
	MYSQL_RES *result = mysql_statement_ask_of_schemas(db, c, mysql_reach_sql, "!!..", err);
	MYSQL_ROW row;

	*r = (struct sql_reach){ .known = true, .account = mysql_session_handle(db->session)->user };
	if (result == NULL)
		return -1;
	while ((row = mysql_fetch_row(result)) != NULL) {
		if (!true_in(row[SERVED]))
			reach_add_other(r, call_arena(c), row[SCHEMA]);
		else if (catalog_is_enabled(cfg->enabled, cfg->nenabled, row[SCHEMA], row[TABLE])) {
			r->ntables++;
			if (true_in(row[READABLE]))
				r->nreadable++;
			else if (r->nrefused < SQL_REACH_REFUSED)
				r->refused[r->nrefused++] = arena_printf(call_arena(c), "%s.%s",
				    value_clean(call_arena(c), row[SCHEMA]), value_clean(call_arena(c), row[TABLE]));
		}
	}
	mysql_free_result(result);
	return 0;
}

/* Databases of the configuration that there are not. */
static int
warn_missing(struct survey *s, struct err *err)
{
	MYSQL_RES *there = mysql_statement_ask_of_schemas(s->db, s->call, mysql_missing_sql, "!", err);

	if (there == NULL)
		return -1;
	for (size_t i = 0; i < s->db->guard.nschemas; i++) {
		struct span schema = s->db->guard.schemas[i];
		bool found = false;

		mysql_data_seek(there, 0);
		for (MYSQL_ROW row; !found && (row = mysql_fetch_row(there)) != NULL;)
			found = span_is_folded(span_str(row[0]), schema);
		if (!found)
			catalog_warn(s->cat, "schema_missing", NULL, "the configured schema %.*s does not exist",
			    SPAN_FMT(schema));
	}
	mysql_free_result(there);
	return 0;
}

static void
put_schemas(struct buf *out, const struct sql_db *db)
{
	mp_pair_array(out, "schemas", db->guard.nschemas);
	for (size_t i = 0; i < db->guard.nschemas; i++)
		mp_put_str(out, db->guard.schemas[i]);
}

static void
put_metadata(struct survey *s)
{
	const MYSQL *m = mysql_session_handle(s->db->session);
	struct buf *out = &s->cat->metadata;

	put_schemas(&s->cat->scope, s->db);
	mp_pair_cstr(out, "database", s->db->database);
	put_schemas(out, s->db);
	mp_put_cstr(out, "host");
	value_label(out, m->host);
	snprintf(s->cat->server_version, sizeof(s->cat->server_version), "%s", m->server_version);
}

static int
describe_all(struct survey *s, struct err *err)
{
	uint64_t n = mysql_num_rows(s->answers[TABLES]), at = 0;

	for (unsigned i = 0; i < ANSWERS; i++)
		s->lists[i] = mysql_catalogue_list(s->answers[i]);
	for (MYSQL_ROW table; (table = s->lists[TABLES].next) != NULL;) {
		if (catalog_serves(s->cat, table[SCHEMA], table[TABLE]) && emit_table(s, table, err) == -1)
			return -1;
		call_progress(s->call, (unsigned)(at * 1000 / n), "Described %llu of %llu tables",
		    (unsigned long long)at, (unsigned long long)n);
		at++;
		(void)mysql_catalogue_take(&s->lists[TABLES], table);
	}
	put_metadata(s);
	return 0;
}

int
mysql_introspect(struct sql_db *db, struct call *c, struct catalog *cat, struct err *err)
{
	struct survey s = { .db = db, .call = c, .cat = cat };
	struct fingerprint f;
	int rc = -1;

	fingerprint_begin(&f);
	if (mysql_reach(db, c, &s.reach, err) == 0 && reach_judge(&s.reach, db->cfg->connection, cat, err) == 0 &&
	    ask_all(&s, err) == 0 &&
	    mysql_policy_enter_scan(db, c, s.answers[VIEWS], s.answers[INDEXES], &s.policy, err) == 0 &&
	    warn_missing(&s, err) == 0) {
		if (s.policy != NULL)
			catalog_protect(cat, decide_column, &s);
		add_to_fingerprint(&s, &f);
		fingerprint_text(&f, cat->fingerprint);
		rc = describe_all(&s, err);
	}
	free_answers(&s);
	return rc;
}
