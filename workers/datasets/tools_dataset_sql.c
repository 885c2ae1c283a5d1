/*
 * tools_dataset_sql.c - carrel_sql: finds the datasets that a statement names, and runs it on the worker of their
 * connection.  That worker decides whether it may run, with the database's own grammar; here only its tokens are
 * scanned.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/sql_quote.h"
#include "base/utf8.h"
#include "policy/datasets.h"
#include "workers/datasets/datasets.h"

/* --- words ------------------------------------------------------------------------------- */

/* The position after the comment at `at`; 0: no comment. */
static size_t
behind_comment(struct span sql, size_t at)
{
	const uint8_t *p = sql.p;
	size_t end = at + 2;

	if (sql.len - at < 2)
		return 0;
	if (p[at] == '-' && p[at + 1] == '-') {
		while (end < sql.len && p[end] != '\n')
			end++;
		return end;
	}
	if (p[at] != '/' || p[at + 1] != '*')
		return 0;
	while (end + 1 < sql.len && !(p[end] == '*' && p[end + 1] == '/'))
		end++;
	return end + 1 < sql.len ? end + 2 : sql.len;
}

static bool
is_escaping(struct span sql, size_t at)
{
	return at > 0 && ascii_lower(sql.p[at - 1]) == 'e' && (at == 1 || !ascii_is_alnum(sql.p[at - 2]));
}

/* The position after the quoted text or name at `at`; 0: none. */
static size_t
behind_quoted(struct span sql, size_t at)
{
	struct span id;
	size_t end = 0;

	switch (sql.p[at]) {
	case '\'':
		end = sql_quote_end(sql, at, '\'', is_escaping(sql, at) ? SQL_QUOTE_ESCAPES : SQL_QUOTE_DOUBLED);
		break;
	case '"':
	case '`':
		end = sql_quote_end(sql, at, sql.p[at], SQL_QUOTE_DOUBLED);
		break;
	case '[': /* a quoted name of SQLite, or PostgreSQL's ARRAY[…], which may contain names */
		if (!datasets_is_named_at(sql, at + 1, &id))
			return 0;
		end = sql_quote_end(sql, at, ']', SQL_QUOTE_PLAIN);
		break;
	case '$':
		if (sql_dollar_tag(sql, at) == 0)
			return 0;
		end = sql_dollar_end(sql, at);
		break;
	default:
		return 0;
	}
	return end > 0 ? end : sql.len;
}

/* The next name of a dataset from *at on; *at moves after it.  False: none left. */
static bool
next_name(struct span sql, size_t *at, struct span *id)
{
	while (*at < sql.len) {
		uint8_t c = sql.p[*at];
		size_t end = behind_comment(sql, *at), quoted = end > 0 ? 0 : behind_quoted(sql, *at);
		bool name = (c == '"' || c == '`' || c == '[') && datasets_is_named_at(sql, *at + 1, id);

		if (end == 0 && quoted == 0 && datasets_is_named_at(sql, *at, id))
			name = true;
		*at = end > 0 ? end : quoted > 0 ? quoted : name ? *at + DATASETS_NAME - 1 : *at + 1;
		if (name)
			return true;
	}
	return false;
}

/* --- datasets ---------------------------------------------------------------------------- */

static struct dataset *
published(const struct datasets *all, struct span id)
{
	for (size_t i = 0; i < all->n; i++)
		if (datasets_is_id(all->v[i].id, id))
			return &all->v[i];
	return NULL;
}

static int
of_two_connections(const struct dataset *a, const struct dataset *b, struct err *err)
{
	return err_set(err, ERR_INVALID_SQL,
	    "the datasets %.*s and %.*s are in different databases, and a statement reads one: ask each in a statement "
	    "of "
	    "its own and put the answers together",
	    SPAN_FMT(a->id), SPAN_FMT(b->id));
}

/*
 * Mark the datasets that sql names; *first is one of them, or any dataset when it names none.  Unpublished names are
 * left to the worker, which does not find them: the name may also be that of a query in WITH.
 */
static int
find_named(struct span sql, const struct datasets *all, bool *named, struct dataset **first,
    struct err *err)
{
	struct span id;
	size_t at = 0;

	*first = NULL;
	while (next_name(sql, &at, &id)) {
		struct dataset *d = published(all, id);

		if (d == NULL)
			continue;
		*first = *first == NULL ? d : *first;
		if (!span_is(d->connection, (*first)->connection))
			return of_two_connections(*first, d, err);
		named[d - all->v] = true;
	}
	*first = *first == NULL ? &all->v[0] : *first;
	return 0;
}

static void
put_execution(struct call *c, struct span sql, const struct datasets *all, const bool *named, struct buf *out)
{
	const struct dataset_limits *most = &((const struct library *)call_state(c))->limits;
	size_t mark, n = 0;

	mp_put_map(out, 6);
	mp_pair_str(out, "sql", sql);
	mp_put_cstr(out, "datasets");
	mark = mp_open_array(out);
	for (size_t i = 0; i < all->n; i++) {
		if (!named[i])
			continue;
		mp_put_map(out, 3);
		mp_pair_str(out, "id", all->v[i].id);
		mp_pair_str(out, "db", all->v[i].db);
		mp_pair_str(out, "table", all->v[i].table);
		n++;
	}
	mp_close(out, mark, n);
	mp_pair_uint(out, "max_rows", most->rows);
	mp_pair_uint(out, "ms", most->ms);
	mp_pair_uint(out, "memory", most->memory);
	mp_pair_uint(out, "threads", most->threads);
}

static int
check_length(struct call *c, struct span sql, struct err *err)
{
	const struct dataset_limits *most = &((const struct library *)call_state(c))->limits;
	size_t n = utf8_count(sql);

	return n <= most->characters ? 0 :
				       err_set(err, ERR_SQL_TOO_LONG,
					   "the statement has %zu characters, at most %llu are accepted; replace long "
					   "lists of values by a join or a range",
					   n, (unsigned long long)most->characters);
}

int
tool_sql(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span sql = mp_get_str(args, "sql", SPAN("")), id = mp_get_str(args, "dataset_id", SPAN(""));
	struct buf execution = { 0 };
	struct dataset *first;
	struct datasets all;
	bool *named;

	if (check_length(c, sql, err) != 0 || datasets_ask(c, id, &all, err) != 0)
		return -1;
	if (all.n == 0)
		return id.len > 0 ? datasets_none(id, err) :
				    err_set(err, ERR_DATASET_NOT_FOUND,
					"no dataset is published, so there is nothing that SQL could read; the owner "
					"publishes one with `carrel dataset publish`");
	if ((named = arena_alloc(call_arena(c), all.n)) == NULL)
		return err_set(err, ERR_INTERNAL, "too many datasets at once");
	memset(named, 0, all.n);
	if (find_named(sql, &all, named, &first, err) != 0)
		return -1;
	put_execution(c, sql, &all, named, &execution);
	search_stands_on(c, library_connection(call_state(c), first->connection));
	call_continue(c, "dataset_execution", first->connection, buf_view(&execution), SPAN("\x80"));
	buf_fini(&execution);
	return 0;
}
