#include <string.h>

#include "workers/search/ontology/ask_values.h"
#include "workers/search/answer/put.h"
#include "workers/search/index/dict_search.h"
#include "workers/shared/call.h"

#define MATCHES_MAX	40u	/* for one word */

/* Samples name a table by the last part of its name, unquoted. */
static bool
is_sampled_table(const char *table, struct span sampled)
{
	const char *dot = strrchr(table, '.');
	struct span name = span_str(dot == NULL ? table : dot + 1);

	if (name.len > 2 && (name.p[0] == '"' || name.p[0] == '`'))
		name = span_of(name.p + 1, name.len - 2);
	return span_is_folded(name, sampled);
}

/* Put one entry for each source of an ontology that has the sampled column as a dimension. */
static size_t
put_places(const struct library *l, const struct connection *from, const struct dict_match *match, bool exact,
    struct buf *out)
{
	const struct source_set *set = from->models.set;
	size_t n = 0;

	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		if (s->table == NULL || !is_sampled_table(s->table, match->table) || !ontologies_have(l, from, s))
			continue;
		for (size_t k = 0; k < s->ncolumns; k++) {
			const struct source_column *c = &s->columns[k];

			if (c->visibility == SOURCE_HIDDEN ||
			    !span_is_folded(span_str(c->expr != NULL ? c->expr : c->name), match->column))
				continue;
			mp_put_pairs(out, mp_cstr("source", s->name), mp_cstr("column", c->name),
			    mp_str("value", match->value), mp_bool("exact", exact));
			n++;
		}
	}
	return n;
}

static size_t
put_word(struct call *c, const struct connection *from, struct span word, struct buf *out)
{
	struct dict_match *v;
	size_t all, n = 0, found = dict_search(from->scans.dict, call_arena(c), word, MATCHES_MAX, &v, &all);

	for (size_t i = 0; i < found && v[i].rank == 0; i++)
		n += put_places(call_state(c), from, &v[i], span_is(v[i].value, word), out);
	return n;
}

int
tool_ask_values(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span id = mp_get_str(args, "connection", (struct span){ 0 });
	const struct connection *from = library_connection(l, id);
	struct mp_value words, one;
	struct buf out = { 0 };
	struct mp_iter it;
	size_t mark, n = 0;
	size_t map;

	if (from == NULL)
		return library_no_connection(l, id, call_details(c), err);
	if (!mp_get(args, "words", &words) || words.class != MP_ARRAY || words.n > ASK_WORDS_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "words must be a list of at most %u texts", ASK_WORDS_MAX);
	map = mp_open_map(&out);
	mark = mp_pair_open_array(&out, "values");
	it = mp_iter(&words);
	while (from->scans.dict != NULL && n < ASK_VALUES_MAX && mp_next(&it, &one))
		if (one.class == MP_STR && one.s.len > 0)
			n += put_word(c, from, one.s, &out);
	mp_close(&out, mark, n);
	mp_pair_bool(&out, "sampled", from->scans.dict != NULL);
	mp_end(&out, map);
	return search_finish(c, &out, err);
}
