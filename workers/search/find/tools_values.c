#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "workers/search/answer/put.h"
#include "workers/search/find/tools_values.h"
#include "workers/search/index/dict_search.h"
#include "workers/shared/call.h"

#define LIMIT_DEFAULT	50
#define LIMIT_MAX	200
#define NEAR_SHOWN	5
#define NEAR_MAX	32	/* of one connection */

/* A match and where it is from. */
struct value_found {
	struct dict_match	 m;
	const struct connection	*c;
	size_t			 at;	/* order of finding */
};

struct searching {
	struct call			*call;
	const struct connection		*connections;	/* n of them, in one array */
	size_t				 n, limit;
	struct value_found		*found;
	size_t				 nfound, cap;
};

/* Why values of a ready connection may be missing, the likeliest first. */
static const struct {
	const char		*reason;
	enum dict_verdict	 verdict;	/* DICT_TAKEN: text columns that are not in the profile */
} left_out[] = {
	{ "more_values_than_kept", DICT_MANY },
	{ "column_not_profiled", DICT_TAKEN },
	{ "values_too_long", DICT_PROSE },
};

#define LEFT_OUT	(sizeof(left_out) / sizeof(left_out[0]))

/* The columns that the dictionary lacks for the reason, and some of their names. */
static size_t
left_columns(const struct scans *s, size_t reason, struct span examples[static DICT_EXAMPLES], size_t *nexamples)
{
	size_t n = dict_judged(s->dict, left_out[reason].verdict, examples, nexamples);

	if (left_out[reason].verdict != DICT_TAKEN)
		return n;
	n += dict_judged(s->dict, DICT_MANY, examples, nexamples) +
	    dict_judged(s->dict, DICT_PROSE, examples, nexamples);
	*nexamples = 0;
	return s->text_columns > n ? s->text_columns - n : 0;
}

static void
put_left_out(const struct scans *s, struct buf *out)
{
	struct span examples[DICT_EXAMPLES];
	size_t nexamples, columns, mark;

	mark = mp_pair_open_array(out, "leftOut");
	for (size_t i = 0; i < LEFT_OUT && s->dict != NULL; i++) {
		size_t map;

		if ((columns = left_columns(s, i, examples, &nexamples)) == 0)
			continue;
		map = mp_open_pairs(out, mp_cstr("reason", left_out[i].reason), mp_uint("columns", columns));
		mp_pair_array(out, "examples", nexamples);
		for (size_t k = 0; k < nexamples; k++)
			mp_put_str(out, examples[k]);
		mp_end(out, map);
	}
	mp_end(out, mark);
}

/* Why a value that was not found may nevertheless be in the database. */
static const char *
miss_reason(const struct connection *c)
{
	struct span examples[DICT_EXAMPLES];
	size_t nexamples;

	if (strcmp(library_dictionary(c), "ready") != 0)
		return library_dictionary(c);
	for (size_t i = 0; i < LEFT_OUT; i++)
		if (left_columns(&c->scans, i, examples, &nexamples) > 0)
			return left_out[i].reason;
	return "value_not_in_sample";
}

static void
put_searched(const struct connection *c, struct buf *out)
{
	const struct scans *s = &c->scans;
	size_t map;

	mp_put_map(out, 3);
	mp_pair_maybe(out, "connectionId", span_str(c->id));
	mp_put_cstr(out, "coverage");
	map = mp_open_pairs(out, mp_known("sampledRows", s->has_sample_rows, s->sample_rows),
	    mp_known("valuesPerColumn", s->has_values_per_column, s->values_per_column),
	    mp_uint("profiledColumns", s->dict == NULL ? 0 : dict_columns(s->dict)), mp_cstr("syncId", s->dict_sync),
	    mp_cstr("profiledAt", s->dict_at));
	put_left_out(s, out);
	mp_end(out, map);
	mp_pair_maybe(out, "status", span_str(library_dictionary(c)));
}

/* As one dictionary would order them, then by connection. */
static int
by_rank(const void *a, const void *b)
{
	const struct value_found *x = a, *y = b;
	int order;

	if (x->m.rank != y->m.rank)
		return x->m.rank < y->m.rank ? -1 : 1;
	if (x->m.folded != y->m.folded)
		return x->m.folded ? 1 : -1;
	if (x->m.rank < 2) {
		if (x->m.has_cardinality != y->m.has_cardinality)
			return x->m.has_cardinality ? -1 : 1;
		if (x->m.cardinality != y->m.cardinality)
			return x->m.cardinality < y->m.cardinality ? -1 : 1;
		if ((order = span_cmp(x->m.table, y->m.table)) != 0 ||
		    (order = span_cmp(x->m.column, y->m.column)) != 0 ||
		    (order = span_cmp(x->m.value, y->m.value)) != 0)
			return order;
	}
	return (x->at > y->at) - (x->at < y->at);
}

static void
put_match(const struct value_found *f, struct buf *out)
{
	mp_put_pairs(out, mp_cstr("connectionId", f->c->id), mp_maybe("sourceName", f->m.table),
	    mp_maybe("columnName", f->m.column), mp_maybe("matchedValue", f->m.value),
	    mp_known("cardinality", f->m.has_cardinality, f->m.cardinality),
	    mp_when(f->m.folded, mp_bool("folded", true)));
}

static void
keep_found(struct searching *s, const struct connection *c, const struct dict_match *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->found = array_grow(s->found, s->nfound, &s->cap, sizeof(*s->found));
		s->found[s->nfound] = (struct value_found){ v[i], c, s->nfound };
		s->nfound++;
	}
}

/* Search every connection; the misses are written to misses.  Returns matches in all. */
static size_t
search_all(struct searching *s, struct span value, struct buf *misses)
{
	size_t total = 0, mark = mp_open_array(misses), n = 0;

	s->nfound = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct connection *c = &s->connections[i];
		struct dict_match *v;
		size_t found = 0, all = 0;

		if (c->scans.dict != NULL)
			found = dict_search(c->scans.dict, call_arena(s->call), value, s->limit, &v, &all);
		keep_found(s, c, v, found);
		total += all;
		if (all > 0)
			continue;
		n++;
		mp_put_pairs(misses, mp_maybe("connectionId", span_str(c->id)), mp_cstr("reason", miss_reason(c)));
	}
	mp_close(misses, mark, n);
	return total < DICT_TOTAL_MAX ? total : DICT_TOTAL_MAX;
}

/* What was found, as a list of at most `most`. */
static void
put_found(struct searching *s, const char *key, size_t most, struct buf *out)
{
	size_t shown = s->nfound < most ? s->nfound : most;

	if (s->nfound > 0)
		qsort(s->found, s->nfound, sizeof(*s->found), by_rank);
	mp_pair_array(out, key, shown);
	for (size_t i = 0; i < shown; i++)
		put_match(&s->found[i], out);
}

/* Values that are spelt nearly so, of a value that is found nowhere. */
static void
search_near(struct searching *s, struct span value)
{
	s->nfound = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct connection *c = &s->connections[i];
		struct dict_match *v;
		size_t n;

		if (c->scans.dict == NULL)
			continue;
		n = dict_near(c->scans.dict, call_arena(s->call), value, NEAR_MAX, &v);
		keep_found(s, c, v, n);
	}
}

static void
put_value(struct searching *s, struct span value, struct buf *out)
{
	struct buf misses = { 0 };
	size_t total = search_all(s, value, &misses), mark = mp_open_map(out), members = 5;

	mp_pair_maybe(out, "value", value);
	mp_pair_uint(out, "totalMatches", total);
	mp_pair_bool(out, "truncated", total > (s->nfound < s->limit ? s->nfound : s->limit));
	put_found(s, "matches", s->limit, out);
	mp_pair_raw(out, "misses", buf_view(&misses));
	if (total == 0)
		search_near(s, value);
	if (total == 0 && s->nfound > 0) {
		put_found(s, "closeSpellings", NEAR_SHOWN, out);
		members++;
	}
	mp_close(out, mark, members);
	buf_fini(&misses);
}

int
tool_dictionary_search(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct searching s = { .call = c, .limit = search_limit(args, LIMIT_DEFAULT, LIMIT_MAX) };
	struct mp_value values, one;
	struct buf out = { 0 };
	struct connection *only;
	struct mp_iter it;

	if (search_connection(c, args, &only, err) != 0)
		return -1;
	if (!mp_get(args, "values", &values) || values.class != MP_ARRAY)
		return err_set(err, ERR_INVALID_ARGUMENTS, "values is missing");
	s.connections = only != NULL ? only : l->connections;
	s.n = only != NULL ? 1 : l->nconnections;
	mp_put_map(&out, 2);
	mp_pair_array(&out, "searched", s.n);
	for (size_t i = 0; i < s.n; i++) {
		search_stands_on(c, &s.connections[i]);
		put_searched(&s.connections[i], &out);
	}
	mp_pair_array(&out, "results", values.n);
	it = mp_iter(&values);
	while (mp_next(&it, &one))
		put_value(&s, one.class == MP_STR ? one.s : SPAN(""), &out);
	free(s.found);
	return search_finish(c, &out, err);
}
