/* ask.c - what the tools share: asking, writing members, naming connections. */
#include <math.h>
#include <string.h>

#include "workers/search/array.h"
#include "workers/search/search.h"

#define SHORT_QUESTION	3	/* words that carry something */
#define CANDIDATES	(4 * MATCH_HITS_MAX)	/* two lists, and the parents of families in them */

/*
 * What part of the question the first answer, or its family, is: of all its
 * words, also those that nothing is found by.  One answer is all that a short
 * question asks for, and less and less of a longer one.
 */
static float
confidence(const struct answers *a)
{
	float words = (float)a->q.ncontent / SHORT_QUESTION, asked = a->q.asked;

	return a->n == 0 || asked <= 0 ?
	    0 :
	    a->v[0].share * a->q.whole / asked * powf(words > 1 ? words : 1, ranking.longer);
}

int
search_ask(struct library *l, struct arena *a, struct span text, const struct connection *only,
    unsigned kinds, size_t limit, struct answers *out, struct err *err)
{
	struct match_result *r = arena_alloc(a, sizeof(*r));
	size_t nparts;

	*out = (struct answers){ 0 };
	out->v = arena_array(a, CANDIDATES, sizeof(*out->v));
	if (r == NULL || out->v == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the question needs more memory than a call may have");
	out->parts = library_parts(l, only, &nparts);
	question_read(&out->q, l->vocab, a, text, out->parts, nparts, kinds, library_documents(l));
	match(&out->q, out->parts, nparts, kinds, MATCH_HITS_MAX, kinds == KIND_BIT(KIND_WIKI), r);
	out->nranked = rank_fuse(a, &out->q, text, out->parts, kinds, r, CANDIDATES, out->v);
	out->n = out->nranked < limit ? out->nranked : limit;
	out->total = r->total;
	out->confident = confidence(out) >= ranking.confident;
	return 0;
}

size_t
search_near(struct library *l, struct arena *a, struct span text, const struct connection *only,
    enum kind kind, size_t max, struct answers *out)
{
	size_t n = 0;

	if (search_ask(l, a, text, only, KIND_BIT(kind), 50, out, NULL) != 0)
		return 0;
	for (size_t i = 0; i < out->n && n < max; i++) {
		enum field f = match_field(&out->q, out->parts[out->v[i].part].segment, out->v[i].doc);

		if (f == FIELD_NAME || f == FIELD_DISPLAY)
			out->v[n++] = out->v[i];
	}
	return out->n = n;
}

void
put_table_ref(struct buf *out, const struct schema *s, const struct schema_table *t)
{
	mp_put_map(out, 3);
	mp_pair_maybe(out, "catalog", schema_span(s, t->catalog));
	mp_pair_maybe(out, "db", schema_span(s, t->db));
	mp_pair_maybe(out, "name", schema_span(s, t->name));
}

void
put_strings(struct buf *out, const char *key, const struct wiki_strings *s)
{
	mp_put_cstr(out, key);
	mp_put_array(out, s->n);
	for (size_t i = 0; i < s->n; i++)
		mp_put_str(out, s->v[i]);
}

void
put_provenance(struct buf *out, const struct wiki_page *w)
{
	mp_put_cstr(out, "provenance");
	if (!w->has_provenance) {
		mp_put_nil(out);
		return;
	}
	mp_put_map(out, 4);
	mp_pair_some(out, "author", w->author);
	mp_pair_some(out, "at", w->at);
	mp_pair_some(out, "runId", w->run_id);
	mp_pair_some(out, "status", w->status);
}

int
search_connection(struct call *call, const struct mp_value *args, struct connection **c, struct err *err)
{
	struct library *l = call_state(call);
	struct mp_value v;

	*c = NULL;
	if (!mp_get(args, "connectionId", &v) || v.class != MP_STR)
		return 0;
	if ((*c = library_connection(l, v.s)) != NULL)
		return 0;
	return library_no_connection(l, v.s, call_details(call), err);
}

int
search_finish(struct call *c, struct buf *out, struct err *err)
{
	if (out->full || out->len > IPC_RAW_MAX) {
		buf_fini(out);
		return err_set(err, ERR_RESULT_TOO_LARGE, "the result is too large; ask for less at once");
	}
	call_result(c, buf_view(out));
	buf_fini(out);
	return 0;
}
