#include "workers/sql/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "workers/sql/value.h"

void
catalog_begin(struct catalog *cat, struct result *r, struct arena *arena, char *const *enabled, size_t nenabled)
{
	*cat = (struct catalog){ .result = r, .arena = arena, .enabled = enabled, .nenabled = nenabled,
		.named = mem_new(nenabled + 1, sizeof(bool)) };
}

void
catalog_fini(struct catalog *cat)
{
	free(cat->named);
	buf_fini(&cat->columns);
	buf_fini(&cat->primary);
	buf_fini(&cat->keys);
	buf_fini(&cat->indexes);
	buf_fini(&cat->checks);
	buf_fini(&cat->partitions);
	buf_fini(&cat->text);
	buf_fini(&cat->warnings);
	buf_fini(&cat->scope);
	buf_fini(&cat->metadata);
}

void
catalog_protect(struct catalog *cat, catalog_decide *decide, void *arg)
{
	cat->decide = decide;
	cat->decide_arg = arg;
}

enum columns_action
catalog_action(struct catalog *cat, const char *db, const char *table, const char *column)
{
	enum columns_action action;

	if (cat->decide == NULL || table == NULL || column == NULL)
		return COLUMNS_CLEAR;
	return cat->err.code == ERR_NONE && cat->decide(cat->decide_arg, db, table, column, &action, &cat->err) == 0 ?
	    action :
	    COLUMNS_HIDE;
}

static void
put_member(struct buf *b, const char *key, const char *value)
{
	mp_put_cstr(b, key);
	value_label(b, value);
}

void
catalog_table_begin(struct catalog *cat, const struct catalog_table *table)
{
	cat->table = *table;
	buf_reset(&cat->columns, 65536);
	buf_reset(&cat->primary, 65536);
	buf_reset(&cat->keys, 65536);
	buf_reset(&cat->indexes, 65536);
	buf_reset(&cat->checks, 65536);
	buf_reset(&cat->partitions, 65536);
	cat->ncolumns = cat->nkeys = cat->nindexes = cat->nchecks = cat->npartitions = cat->details = 0;
	cat->cut = cat->hides_primary = cat->hides_key = false;
}

/* Whether one more text fits into the limit for the table's details; if so, it is counted. */
static bool
has_room(struct catalog *cat, const char *text)
{
	size_t len = text == NULL ? 1 : strlen(text) + 1;

	if (len > CATALOG_DETAILS_MAX - cat->details) {
		cat->cut = true;
		return false;
	}
	cat->details += len;
	return true;
}

/* Cuts a statement to that many bytes, with an ellipsis if it was longer.  Valid until the next call. */
static const char *
shorten(struct catalog *cat, const char *text, size_t max)
{
	size_t len = text == NULL ? 0 : strlen(text);

	if (len <= max)
		return text;
	buf_reset(&cat->text, 65536);
	buf_append(&cat->text, text, utf8_cut((const uint8_t *)text, len, max));
	buf_str(&cat->text, " …");
	return buf_cstr(&cat->text);
}

static void
put_labels(struct catalog *cat, const struct catalog_column *column, size_t most)
{
	struct buf *b = &cat->columns;
	size_t mark, n = 0;

	mark = mp_pair_open_array(b, "enumLabels");
	while (n < most && n < CATALOG_LABELS_MAX && has_room(cat, column->labels[n]))
		value_label(b, column->labels[n++]);
	mp_close(b, mark, n);
}

/* A text that the column has, if there is room. */
static void
put_detail(struct catalog *cat, const char *key, const char *text)
{
	const char *shown = shorten(cat, text, CATALOG_EXPRESSION_MAX);

	if (shown != NULL && has_room(cat, shown))
		put_member(&cat->columns, key, shown);
}

void
catalog_add_column(struct catalog *cat, const struct catalog_column *column)
{
	enum columns_action action = catalog_action(cat, cat->table.db, cat->table.name, column->name);
	bool clear = action == COLUMNS_CLEAR;
	const char *bare = clear ? NULL : column->bare;
	struct buf *b = &cat->columns;
	size_t mark, at;

	cat->hides_primary = cat->hides_primary || (action == COLUMNS_HIDE && column->primary_key);
	if (action == COLUMNS_HIDE)
		return;
	mark = mp_open_map(b);
	put_member(b, "name", column->name);
	put_member(b, "nativeType", bare == NULL ? column->native : bare);
	put_member(b, "normalizedType", bare == NULL ? column->normalized : bare);
	put_member(b, "dimensionType", column->dimension);
	mp_pair_bool(b, "nullable", column->nullable);
	mp_put_cstr(b, "primaryKey");
	at = b->len;
	mp_put_bool(b, column->primary_key);
	put_member(b, "comment", column->comment);
	if (column->is_enum)
		put_labels(cat, column, clear ? column->nlabels : 0);
	put_detail(cat, "default", clear ? column->default_text : NULL);
	put_detail(cat, "generated", clear ? column->generated : NULL);
	put_detail(cat, "identity", column->identity);
	at = b->len - at;
	mp_end(b, mark); /* moves what is behind the mark */
	at = b->len - at;
	if (column->primary_key)
		buf_append(&cat->primary, &at, sizeof(at));
	cat->ncolumns++;
}

/* Says of all columns that they are not of the primary key. */
static void
drop_primary(struct catalog *cat)
{
	size_t at;

	for (size_t i = 0; i < cat->primary.len; i += sizeof(at)) {
		memcpy(&at, cat->primary.p + i, sizeof(at));
		mp_put_bool(&(struct buf){ .p = cat->columns.p + at, .cap = 1 }, false);
	}
}

static bool
is_told(struct catalog *cat, const char *db, const char *table, const char *column)
{
	return table[0] != '\0' && (column == NULL || column[0] != '\0') &&
	    catalog_action(cat, db, table, column) != COLUMNS_HIDE;
}

void
catalog_add_key(struct catalog *cat, const struct catalog_key *key)
{
	struct buf *b = &cat->keys;

	if (key->first) {
		cat->key_at = b->len;
		cat->key_number = cat->nkeys;
		cat->hides_key = false;
	}
	cat->hides_key = cat->hides_key || !is_told(cat, cat->table.db, cat->table.name, key->column) ||
	    !is_told(cat, key->to_db, key->to_table, key->to_column);
	if (cat->hides_key) {
		b->len = cat->key_at;
		cat->nkeys = cat->key_number;
		return;
	}
	mp_put_map(b, 6);
	put_member(b, "fromColumn", key->column);
	put_member(b, "toCatalog", NULL);
	put_member(b, "toDb", key->to_db);
	put_member(b, "toTable", key->to_table);
	put_member(b, "toColumn", key->to_column);
	put_member(b, "constraintName", key->constraint);
	cat->nkeys++;
}

void
catalog_add_index(struct catalog *cat, const struct catalog_index *index)
{
	const char *definition = shorten(cat, index->definition, CATALOG_INDEX_TEXT_MAX);
	enum columns_action action = index->named;
	struct buf *b = &cat->indexes;

	for (size_t i = 0; i < index->ncolumns; i++) {
		enum columns_action one = catalog_action(cat, cat->table.db, cat->table.name, index->columns[i]);

		action = one > action ? one : action;
	}
	/* A definition may have protected values in it, and without it the columns would be declared unique. */
	if (action == COLUMNS_HIDE || (action != COLUMNS_CLEAR && definition != NULL))
		return;
	if (!has_room(cat, index->name) || !has_room(cat, definition))
		return;
	mp_put_map(b, 5);
	put_member(b, "name", index->name);
	mp_pair_array(b, "columns", index->ncolumns);
	for (size_t i = 0; i < index->ncolumns; i++)
		value_label(b, index->columns[i]);
	mp_pair_bool(b, "unique", index->unique);
	mp_pair_bool(b, "primary", index->primary);
	put_member(b, "definition", definition);
	cat->nindexes++;
}

void
catalog_add_check(struct catalog *cat, const struct catalog_check *check)
{
	const char *expression = shorten(cat, check->expression, CATALOG_EXPRESSION_MAX);

	if (expression == NULL || !has_room(cat, check->name) || !has_room(cat, expression))
		return;
	mp_put_map(&cat->checks, 2);
	put_member(&cat->checks, "name", check->name);
	put_member(&cat->checks, "expression", expression);
	cat->nchecks++;
}

void
catalog_add_partition(struct catalog *cat, const char *name)
{
	if (!has_room(cat, name))
		return;
	value_label(&cat->partitions, name);
	cat->npartitions++;
}

int
catalog_table_end(struct catalog *cat, struct err *err)
{
	const char *definition = shorten(cat, cat->table.definition, CATALOG_VIEW_TEXT_MAX);
	struct buf *b = row_stream_row(cat->result, 1);

	if (cat->err.code != ERR_NONE) {
		*err = cat->err;
		return -1;
	}
	if (cat->hides_primary)
		drop_primary(cat);
	if (definition != NULL && !has_room(cat, definition))
		definition = NULL;
	if (cat->cut)
		catalog_warn(cat, "details_cut", cat->table.name,
		    "%s has more labels, indexes, checks, partitions or text than a scan keeps", cat->table.name);
	mp_put_map(b, 15);
	put_member(b, "catalog", NULL);
	put_member(b, "db", cat->table.db);
	put_member(b, "name", cat->table.name);
	put_member(b, "kind", cat->table.kind);
	put_member(b, "comment", cat->table.comment);
	mp_put_cstr(b, "estimatedRows");
	if (cat->table.rows < 0)
		mp_put_nil(b);
	else
		mp_put_int(b, cat->table.rows);
	mp_pair_array(b, "columns", cat->ncolumns);
	buf_span(b, buf_view(&cat->columns));
	mp_pair_array(b, "foreignKeys", cat->nkeys);
	buf_span(b, buf_view(&cat->keys));
	put_member(b, "definition", definition);
	mp_pair_array(b, "indexes", cat->nindexes);
	buf_span(b, buf_view(&cat->indexes));
	mp_put_cstr(b, "checks");
	mp_put_array(b, cat->nchecks);
	buf_span(b, buf_view(&cat->checks));
	mp_pair_bool(b, "materialized", cat->table.materialized);
	mp_pair_array(b, "partitions", cat->npartitions);
	buf_span(b, buf_view(&cat->partitions));
	/* Used by the scan itself; not written to its files. */
	put_member(b, "dataVersion", cat->table.data_version);
	mp_pair_bool(b, "readable", !cat->table.unreadable);
	cat->ntables++;
	cat->total_columns += cat->ncolumns;
	switch (row_stream_row_done(cat->result, err)) {
	case RESULT_GO_ON:
		return 0;
	case RESULT_STOP:
		return err_set(err, ERR_RESULT_TOO_LARGE,
		    "the description of the database is too large; name the tables that matter "
		    "in enabled_tables, or fewer schemas");
	case RESULT_FAILED:
		break;
	}
	return -1;
}

void
catalog_put_names(struct buf *out, const char *key, char *const *names, size_t n)
{
	mp_pair_array(out, key, n);
	for (size_t i = 0; i < n; i++)
		value_label(out, names[i]);
}

void
catalog_warn(struct catalog *cat, const char *code, const char *table, const char *fmt, ...)
{
	struct buf *b = &cat->warnings;
	char message[2048];
	va_list ap;

	if (cat->nwarnings == CATALOG_WARNINGS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	mp_put_map(b, table == NULL ? 3 : 4);
	put_member(b, "code", code);
	put_member(b, "message", message);
	mp_pair_bool(b, "recoverable", true);
	if (table != NULL)
		put_member(b, "table", table);
	cat->nwarnings++;
}

bool
catalog_entry_fits(const char *entry, const char *db, const char *name)
{
	size_t len = strlen(entry), nlen = strlen(name), dlen;

	if (strcmp(entry, name) == 0)
		return true;
	if (db == NULL || len <= nlen || strcmp(entry + len - nlen, name) != 0 || entry[len - nlen - 1] != '.')
		return false;
	len -= nlen + 1;
	dlen = strlen(db);
	/* The rest is "db", or "catalog.db" with any catalog. */
	return len >= dlen && memcmp(entry + len - dlen, db, dlen) == 0 &&
	    (len == dlen || entry[len - dlen - 1] == '.');
}

bool
catalog_serves(struct catalog *cat, const char *db, const char *name)
{
	bool served = cat->nenabled == 0;

	for (size_t i = 0; i < cat->nenabled; i++)
		if (catalog_entry_fits(cat->enabled[i], db, name))
			served = cat->named[i] = true;
	return served;
}

void
catalog_warn_missing(struct catalog *cat)
{
	for (size_t i = 0; i < cat->nenabled; i++)
		if (!cat->named[i])
			catalog_warn(cat, "table_missing", cat->enabled[i],
			    "enabled_tables names %s, which this connection does not have", cat->enabled[i]);
}

bool
catalog_is_enabled(char *const *enabled, size_t n, const char *db, const char *name)
{
	if (n == 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (catalog_entry_fits(enabled[i], db, name))
			return true;
	return false;
}
