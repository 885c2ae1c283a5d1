#include "workers/sql/sqlite/sqlite_columns_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/sql/sqlite/sqlite_text.h"

struct column_words {
	struct sqltext_token	*p;
	size_t			 n, cap;
};

static void
cut_words(struct column_words *w, struct span sql)
{
	struct sqltext s = { .dialect = SQLTEXT_SQLITE, .text = sql };
	struct sqltext_token t;

	do {
		t = sqltext_next(&s);
		w->p = mem_grow(w->p, w->n, &w->cap, sizeof(*w->p));
		w->p[w->n++] = t;
	} while (t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN);
}

static bool
columns_text_says(const struct sqltext_token *t, const char *name)
{
	return t->kind != SQLTEXT_STRING && sqltext_names(t, name);
}

static bool
is_one_of(const struct sqltext_token *t, const char *const *list)
{
	for (; *list != NULL; list++)
		if (sqltext_is(t, *list))
			return true;
	return false;
}

static const struct sqlite_object_column *
column_of(const struct sqlite_object *o, const struct sqltext_token *t)
{
	for (size_t i = 0; i < o->n; i++)
		if (columns_text_says(t, o->columns[i].name))
			return &o->columns[i];
	return NULL;
}

static bool
columns_text_mentions(const struct column_words *w, const struct sqlite_object *o)
{
	for (size_t i = 0; i < w->n; i++)
		if (columns_text_says(&w->p[i], o->name) && (i + 1 == w->n || !sqltext_is_punct(&w->p[i + 1], '.')))
			return true;
	return false;
}

/* Whether the word is this table's name or an alias given to it. */
static bool
is_alias(const struct column_words *w, const struct sqlite_object *o, const struct sqltext_token *t)
{
	if (columns_text_says(t, o->name))
		return true;
	for (size_t i = 0; i + 1 < w->n; i++) {
		size_t behind = i + 1 + sqltext_is(&w->p[i + 1], "AS");

		if (columns_text_says(&w->p[i], o->name) && behind < w->n && w->p[behind].text.len == t->text.len &&
		    strncasecmp((const char *)w->p[behind].text.p, (const char *)t->text.p, t->text.len) == 0)
			return true;
	}
	return false;
}

/* Whether the word at i names a masked column, as far as words tell. */
static bool
is_masked(const struct sqlite_columns_db *d, const struct column_words *w, size_t i)
{
	bool qualified = i >= 2 && sqltext_is_punct(&w->p[i - 1], '.'), masked = false;

	if ((w->p[i].kind != SQLTEXT_WORD && w->p[i].kind != SQLTEXT_QUOTED) ||
	    (i + 1 < w->n && sqltext_is_punct(&w->p[i + 1], '.')))
		return false;
	for (size_t k = 0; k < d->n; k++) {
		const struct sqlite_object_column *c = column_of(&d->objects[k], &w->p[i]);

		if (c == NULL || !columns_text_mentions(w, &d->objects[k]) ||
		    (qualified && !is_alias(w, &d->objects[k], &w->p[i - 2])))
			continue;
		if (c->action != COLUMNS_MASK)
			return false; /* a column of another table has the name, too: unknown which is meant */
		masked = true;
	}
	return masked;
}

static bool
is_selected(const struct column_words *w, size_t first, size_t last, bool in_list)
{
	static const char *const before[] = { "SELECT", "ALL", NULL };
	static const char *const tests[] = { "IS", "ISNULL", "NOTNULL", NULL };
	static const char *const operators[] = { "LIKE", "GLOB", "REGEXP", "MATCH", "IN", "BETWEEN", "COLLATE", "NOT",
		"AND", "OR", NULL };
	const struct sqltext_token *prev = first > 0 ? &w->p[first - 1] : NULL, *next = &w->p[last + 1];

	if (prev == NULL || sqltext_is(prev, "AS") || is_one_of(next, tests))
		return true;
	if (sqltext_is_punct(prev, '('))
		return first >= 2 && sqltext_is(&w->p[first - 2], "count") && sqltext_is_punct(next, ')');
	if (!in_list || (!sqltext_is_punct(prev, ',') && !is_one_of(prev, before)))
		return false;
	if (next->kind == SQLTEXT_PUNCT)
		return sqltext_is_punct(next, ',') || sqltext_is_punct(next, ')') || sqltext_is_punct(next, ';');
	return !is_one_of(next, operators);
}

/* The start of schema.table.column, whose last word is at i. */
static size_t
first_part(const struct column_words *w, size_t i)
{
	while (i >= 2 && sqltext_is_punct(&w->p[i - 1], '.'))
		i -= 2;
	return i;
}

int
sqlite_columns_text_check(const struct sqlite_columns_db *d, struct span sql, size_t *at, struct err *err)
{
	static const char *const ends[] = { "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", NULL };
	uint8_t in_list[256] = { 0 };
	struct column_words w = { 0 };
	unsigned depth = 0;
	int rc = 0;

	cut_words(&w, sql);
	for (size_t i = 0; i + 1 < w.n && rc == 0; i++) {
		const struct sqltext_token *t = &w.p[i];

		if (sqltext_is_punct(t, '(') && depth < 255)
			in_list[++depth] = false;
		else if (sqltext_is_punct(t, ')'))
			depth -= depth > 0;
		else if (sqltext_is(t, "SELECT"))
			in_list[depth] = true;
		else if (is_one_of(t, ends))
			in_list[depth] = false;
		else if (is_masked(d, &w, i) && !is_selected(&w, first_part(&w, i), i, in_list[depth] != 0)) {
			*at = (size_t)(t->text.p - sql.p);
			rc = err_set(err, ERR_FORBIDDEN_SQL,
			    "the column %.*s is masked (character %zu): this connection's column "
			    "policy shows it as " COLUMNS_MASKED
			    ", so it cannot be compared, ordered, grouped, joined or computed with; "
			    "select it as it is, count it, test it for NULL, or leave it out",
			    SPAN_FMT(t->text), utf8_count(span_of(sql.p, *at)) + 1);
		}
	}
	free(w.p);
	return rc;
}

static bool
stands_in_front(const struct sqlite_columns_db *d, const struct sqltext_token *t)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->objects[i].fronted && sqltext_names(t, d->objects[i].name))
			return true;
	return false;
}

/* A name that a view replaces is safe, unless it is qualified with a schema. */
static bool
is_unseen(const struct sqlite_columns_db *d, const struct column_words *w, size_t i)
{
	static const char *const statistics[] = { "sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4",
		"sqlite_temp_schema", "sqlite_temp_master" };
	static const char *const catalogues[] = { "sqlite_schema", "sqlite_master" };
	bool temporary = i >= 2 && sqltext_is_punct(&w->p[i - 1], '.') && sqltext_names(&w->p[i - 2], "temp");

	for (size_t k = 0; k < sizeof(statistics) / sizeof(statistics[0]); k++)
		if (sqltext_names(&w->p[i], statistics[k]))
			return true;
	for (size_t k = 0; temporary && k < sizeof(catalogues) / sizeof(catalogues[0]); k++)
		if (sqltext_names(&w->p[i], catalogues[k]))
			return true;
	for (size_t k = 0; k < d->n; k++) {
		const struct sqlite_object *o = &d->objects[k];

		if (o->fronted || !sqltext_names(&w->p[i], o->name))
			continue;
		if (o->kind == SQLITE_OBJECT_SHADOW ? sqlite_columns_db_is_closed(d, o) : o->protected)
			return true;
	}
	return false;
}

bool
sqlite_columns_text_joins_unseen(const struct sqlite_columns_db *d, struct span sql)
{
	struct column_words w = { 0 };
	bool joins = false, unseen = false;

	cut_words(&w, sql);
	for (size_t i = 0; i < w.n && !joins; i++)
		joins = sqltext_is(&w.p[i], "NATURAL") || sqltext_is(&w.p[i], "USING");
	for (size_t i = 0; i < w.n && joins && !unseen; i++)
		unseen = is_unseen(d, &w, i);
	free(w.p);
	return unseen;
}

char *
sqlite_columns_text_temporary(const struct sqlite_columns_db *d, struct span sql)
{
	struct buf out = { 0 };
	struct column_words w = { 0 };
	size_t done = 0;
	char *text = NULL;

	cut_words(&w, sql);
	for (size_t i = 0; i + 2 < w.n; i++) {
		size_t at = (size_t)(w.p[i].text.p - sql.p);

		if (!sqltext_names(&w.p[i], "main") || !sqltext_is_punct(&w.p[i + 1], '.') ||
		    !stands_in_front(d, &w.p[i + 2]))
			continue;
		buf_span(&out, span_of(sql.p + done, at - done));
		buf_str(&out, "temp");
		done = at + w.p[i].text.len;
	}
	if (done > 0) {
		buf_span(&out, span_of(sql.p + done, sql.len - done));
		text = mem_text(buf_view(&out));
	}
	buf_fini(&out);
	free(w.p);
	return text;
}
