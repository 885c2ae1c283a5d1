#include <string.h>

#include "base/system/clock.h"
#include "base/ascii.h"
#include "base/text/sqltext.h"
#include "base/utf8.h"
#include "policy/datasets_names.h"
#include "project/config/drivers.h"
#include "semantic/dialect.h"
#include "workers/search/datasets/tools_dataset.h"
#include "workers/search/datasets/tools_dataset_sql.h"
#include "workers/search/answer/put.h"
#include "workers/shared/call.h"

/* The next name of a dataset, bare or quoted.  False if absent. */
static bool
next_name(struct sqltext *s, struct span *id)
{
	struct sqltext_token t;

	while ((t = sqltext_next(s)).kind != SQLTEXT_END) {
		size_t quote = t.text.len > 0 && ascii_is_any(t.text.p[0], "\"`[");

		if (datasets_is_named_at(s->text, s->at - t.text.len + quote, id))
			return true;
	}
	return false;
}

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
 * The datasets that sql names are marked, as databases of that dialect read it; *first is one of them, or NULL.  What
 * is not published the worker does not find: the name may also be that of a query in WITH.
 */
static int
mark_named(struct sqltext s, const struct datasets *all, bool *named, struct dataset **first, struct err *err)
{
	struct span id;

	memset(named, 0, all->n);
	*first = NULL;
	while (next_name(&s, &id)) {
		struct dataset *d = published(all, id);

		if (d == NULL)
			continue;
		*first = *first == NULL ? d : *first;
		if (!span_is(d->connection, (*first)->connection))
			return of_two_connections(*first, d, err);
		named[d - all->v] = true;
	}
	return 0;
}

static const struct dialect *
dialect_of(struct call *c, const struct dataset *d)
{
	const struct connection *from = library_connection(call_state(c), d->connection);

	return from == NULL ? NULL : dialect_find(span_str(from->driver));
}

/*
 * sql is read as each dialect in turn, until one is that of the datasets named by it then: what is a comment in one
 * may be none in another.  Where none is, no dataset counts as named, and the database that is asked refuses the
 * statement: of the datasets that any reading names, the first one's; else the first that there is.  *first: one of
 * the database.
 */
static int
find_named(struct call *c, struct span sql, const struct datasets *all, bool *named, struct dataset **first,
    struct err *err)
{
	struct dataset *any = &all->v[all->n];

	for (size_t i = 0; i < ndrivers; i++) {
		const struct dialect *d = dialect_find(span_str(drivers[i]->name));
		int result;

		if (d == NULL)
			continue;
		result = mark_named((struct sqltext){ .dialect = d->text, .text = sql }, all, named, first, err);
		if (*first != NULL && dialect_of(c, *first) == d)
			return result;
		if (*first != NULL && *first < any)
			any = *first;
	}
	memset(named, 0, all->n);
	*first = any < &all->v[all->n] ? any : &all->v[0];
	return 0;
}

static void
put_execution(struct call *c, struct span sql, const struct datasets *all, const bool *named, uint64_t since,
    struct buf *out)
{
	const struct dataset_limits *most = &((const struct library *)call_state(c))->limits;
	size_t mark;

	mp_put_map(out, 7);
	mp_pair_str(out, "sql", sql);
	mark = mp_pair_open_array(out, "datasets");
	for (size_t i = 0; i < all->n; i++) {
		if (!named[i])
			continue;
		mp_put_pairs(out, mp_str("id", all->v[i].id), mp_str("db", all->v[i].db),
		    mp_str("table", all->v[i].table));
	}
	mp_end(out, mark);
	mp_pair_uint(out, "max_rows", most->rows);
	mp_pair_uint(out, "ms", most->ms);
	mp_pair_uint(out, "until", since + most->ms * CLOCK_MS); /* it may wait for a worker */
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
	uint64_t since = clock_ns();
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
	if (find_named(c, sql, &all, named, &first, err) != 0)
		return -1;
	for (size_t i = 0; i < all.n; i++)
		if (named[i] && all.v[i].table_lacks)
			return datasets_lack(&all.v[i], "the table", err);
	if (first->table_lacks)
		return datasets_lack(first, "the table", err);
	put_execution(c, sql, &all, named, since, &execution);
	search_stands_on(c, library_connection(call_state(c), first->connection));
	call_continue(c, "dataset_execution", first->connection, buf_view(&execution), MP_EMPTY_MAP);
	buf_fini(&execution);
	return 0;
}
