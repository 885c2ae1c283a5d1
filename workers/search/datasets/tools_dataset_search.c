#include <math.h>
#include <stdio.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/vector8.h"
#include "workers/search/datasets/tools_dataset.h"
#include "workers/search/datasets/tools_dataset_search.h"
#include "workers/search/datasets/tools_dataset_text.h"
#include "workers/search/answer/put.h"
#include "workers/search/passages/find.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define TOP_K		5
#define TOP_K_MAX	20
#define SCORE_STEPS	10000.0	/* resolution of a score */
#define VECTOR_NS	(2 * CLOCK_SECOND)	/* for the vector of a question */
#define VECTOR_REST_NS	(30 * CLOCK_SECOND)	/* a pause after the endpoint failed */
#define CATCH_UP_NS	(20 * CLOCK_MS)	/* to index documents that have just arrived */

/* The document sets of the datasets; in the call's arena. */
static const struct chunk_set **
sets_of(struct call *c, const struct chunks *from, const struct datasets *all, size_t *n)
{
	const struct chunk_set **sets = arena_alloc(call_arena(c), (all->n + 1) * sizeof(struct chunk_set *));

	*n = 0;
	for (size_t i = 0; sets != NULL && i < all->n; i++)
		if ((sets[*n] = chunks_set(from, all->v[i].id)) != NULL)
			++*n;
	return sets;
}

static struct span
name_of(const struct datasets *all, const struct chunk_set *set)
{
	for (size_t i = 0; i < all->n; i++)
		if (span_is_str(all->v[i].id, set->id))
			return all->v[i].name;
	return SPAN("");
}

/*
 * The vector of the question from the endpoint that made those of the passages.  Without an answer in time the search
 * uses words only, and the endpoint is not asked for a while, so that further searches do not wait.
 */
static void
ask_vector(struct call *c, struct library *l, struct chunk_question *q)
{
	struct mp_value result, vectors, one, bytes, scale;
	struct mp_iter it;
	struct buf args = { 0 };
	struct call_ask ask = { .tool = "embed", .deadline_ns = clock_ns() + VECTOR_NS };
	struct err err;

	if (clock_ns() < l->vectors_rest_ns)
		return;
	mp_put_map(&args, 1);
	mp_pair_array(&args, "texts", 1);
	mp_put_str(&args, q->text);
	ask.args = buf_view(&args);
	if (call_sub(c, &ask, &result, &err) != 0) {
		l->vectors_rest_ns = clock_ns() + VECTOR_REST_NS;
		log_warn("passages are found by words alone: %s", err.message);
	} else if (mp_get(&result, "vectors", &vectors) && vectors.class == MP_ARRAY) {
		it = mp_iter(&vectors);
		if (mp_next(&it, &one) && one.class == MP_MAP && mp_get(&one, "bytes", &bytes) &&
		    bytes.class == MP_BIN && bytes.s.len <= VECTOR8_DIMENSIONS_MAX) {
			q->dimensions = bytes.s.len;
			q->vector = (const int8_t *)bytes.s.p;
			q->scale = mp_get(&one, "scale", &scale) && mp_is_number(&scale) ? (float)mp_number(&scale) : 0;
		}
	}
	buf_fini(&args);
}

/* The row of the passage, for further SQL. */
static void
put_row(const struct chunk_document *d, const struct chunk_text *text, struct buf *out)
{
	mp_pair_cstr(out, "column", d->column);
	if (text->row.len == 0) {
		mp_pair_uint(out, "row_number", text->row_number);
		return;
	}
	mp_pair_raw(out, "row", text->row);
}

static void
put_match(const struct datasets *all, const struct chunk_found *f, const struct chunk_text *text, struct buf *out)
{
	char number[24];
	struct buf id = { 0 };

	snprintf(number, sizeof(number), "/%llu", (unsigned long long)text->index);
	buf_str(&id, f->set->id);
	buf_byte(&id, '/');
	buf_str(&id, f->document->source_file);
	buf_str(&id, number);
	mp_put_map(out, 4);
	mp_pair_str(out, "id", buf_view(&id));
	mp_put_cstr(out, "score");
	mp_put_double(out, round((double)f->score * SCORE_STEPS) / SCORE_STEPS);
	mp_pair_str(out, "text", text->text);
	mp_put_cstr(out, "metadata");
	mp_put_map(out, f->document->column == NULL ? 5 : 7);
	mp_pair_cstr(out, "source_file", f->document->source_file);
	mp_pair_cstr(out, "dataset_id", f->set->id);
	mp_pair_str(out, "dataset_name", name_of(all, f->set));
	mp_pair_known(out, "page", text->page > 0, text->page);
	mp_pair_uint(out, "chunk_index", text->index);
	if (f->document->column != NULL)
		put_row(f->document, text, out);
	buf_fini(&id);
}

static size_t
put_matches(struct library *l, const struct datasets *all, const struct chunk_found *found, size_t n, struct buf *out)
{
	struct chunk_text text = { .index = 0 };
	size_t mark, put = 0;

	mark = mp_pair_open_array(out, "matches");
	for (size_t i = 0; i < n; i++)
		if (chunks_text(l->dirs[PLACE_DOCUMENTS], &found[i], &text)) {
			put_match(all, &found[i], &text, out);
			put++;
		}
	mp_close(out, mark, put);
	buf_fini(&text.line);
	buf_fini(&text.value);
	return put;
}

int
tool_search(struct call *c, const struct mp_value *args, struct err *err)
{
	struct chunk_question question = { .text = mp_get_str(args, "query", SPAN("")) };
	struct span id = mp_get_str(args, "dataset_id", SPAN(""));
	struct library *l = call_state(c);
	struct chunk_found found[TOP_K_MAX];
	const struct chunk_set **sets;
	struct buf out = { 0 };
	struct datasets all;
	struct mp_value top;
	size_t n, nsets, max = TOP_K;
	bool more;

	if (mp_get(args, "top_k", &top) && top.class == MP_UINT && top.u <= TOP_K_MAX)
		max = (size_t)top.u;
	if (datasets_ask(c, id, &all, err) != 0)
		return -1;
	if (id.len > 0 && all.n == 0)
		return datasets_none(id, err);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].texts_lack)
			return datasets_lack(&all.v[i], "text", err);
	chunks_check(&l->chunks, l->dirs[PLACE_DOCUMENTS], false);
	chunks_step(&l->chunks, l->dirs[PLACE_DOCUMENTS], clock_ns() + CATCH_UP_NS);
	datasets_withhold(c, &all);
	if ((sets = sets_of(c, &l->chunks, &all, &nsets)) == NULL)
		return err_set(err, ERR_INTERNAL, "the call's memory is full");
	if (chunks_want_vector(&l->chunks, sets, nsets))
		ask_vector(c, l, &question);
	if (chunks_find(&l->chunks, call_arena(c), sets, nsets, &question, max, found, &n, &more, err) != 0)
		return -1;
	mp_put_map(&out, 4);
	n = put_matches(l, &all, found, n, &out);
	mp_pair_uint(&out, "count", n);
	mp_pair_bool(&out, "truncated", more || chunks_is_busy(&l->chunks));
	mp_pair_str(&out, "request_id", call_request(c));
	return search_finish(c, &out, err);
}
