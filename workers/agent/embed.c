#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "base/json/document.h"
#include "base/json/json_read.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "base/vector8.h"
#include "workers/agent/agent.h"
#include "workers/agent/embed.h"
#include "workers/agent/model/model_http.h"
#include "workers/shared/call.h"

#define ANSWER_MAX (16u << 20) /* bytes of one answer: 64 vectors of 4096 numbers */
#define EMBED_NS   (10 * CLOCK_SECOND)
#define TRIES	   2u /* of one request while the endpoint is busy */
#define BACKOFF_MS 500u

struct embedder {
	struct model_http http;
	struct buf name;
	size_t dimensions; /* 0: any */
};

struct embedder *
embed_open(const struct ipc_configure_agent *m)
{
	const struct model_at at = { .place = IPC_OUTSIDE_EMBEDDINGS,
		.url = m->embeddings_url,
		.host = m->embeddings_host,
		.key = m->embeddings_key,
		.path = "/embeddings",
		.answer_max = ANSWER_MAX };
	struct embedder *e;
	struct err err;

	if (m->embeddings_url.len == 0)
		return NULL;
	e = mem_new(1, sizeof(*e));
	buf_span(&e->name, m->embeddings_name);
	e->dimensions = m->embeddings_dimensions;
	if (model_http_open(&e->http, &at, &err) == 0)
		return e;
	log_warn("no endpoint makes vectors of texts: %s", err.message);
	embed_close(e);
	return NULL;
}

void
embed_close(struct embedder *e)
{
	if (e != NULL) {
		buf_fini(&e->name);
		model_http_close(&e->http);
	}
	free(e);
}

struct model_http *
embed_http(struct embedder *e)
{
	return &e->http;
}

static int
put_request(struct buf *out, const struct embedder *e, const struct mp_value *texts, struct err *err)
{
	struct mp_iter it = mp_iter(texts);
	struct mp_value text;
	cJSON *request;

	for (size_t n = 0; mp_next(&it, &text); n++)
		if (text.s.len == 0 || utf8_count(text.s) > EMBED_CHARACTERS_MAX)
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "texts[%zu] is empty or longer than %u characters; cut it into passages", n,
			    EMBED_CHARACTERS_MAX);
	request = document_new();
	document_put_span(request, "model", buf_view(&e->name));
	document_put_text(request, "encoding_format", "float");
	document_put_value(request, "input", texts);
	document_finish(out, request);
	return 0;
}

/* Send the request; the body of a successful answer goes into out. */
static int
post_texts(struct embedder *e, struct call *c, struct span request, struct buf *out, struct err *err)
{
	uint64_t until = clock_ns() + EMBED_NS, retry_ms = 0;
	char why[160] = "";
	long status = 0;
	int result;

	if (until > call_deadline(c))
		until = call_deadline(c);
	for (unsigned try = 0; try < TRIES; try++) {
		result = model_http_post(&e->http, c, request, until, out, &status, &retry_ms, why, err);
		if (result < 0)
			return -1;
		if (result == 0 && status >= 200 && status < 300)
			return 0;
		if (result == 0)
			snprintf(why, sizeof(why), "it answered with HTTP status %ld", status);
		retry_ms = retry_ms > 0 ? retry_ms : BACKOFF_MS;
		if (result != 0 || (status != 429 && status < 500) || clock_ns() + retry_ms * CLOCK_MS > until)
			break;
		if (try + 1 < TRIES && !call_wait(c, -1, false, (unsigned)retry_ms, err))
			return -1;
	}
	return err_set(err, ERR_SERVICE_UNAVAILABLE,
	    "The endpoint of embeddings.url gave no vectors: %s. Look at embeddings in carrel.yaml.", why);
}

/* The vectors of an answer: one for each text, all of the same length. */
struct embed_vectors {
	size_t n, dimensions;
	float *numbers; /* text by text */
	bool *have;
};

static bool
take_vector(struct embed_vectors *v, size_t at, const struct mp_value *list)
{
	struct mp_iter it = mp_iter(list);
	struct mp_value number;
	float *to = v->numbers + at * EMBED_DIMENSIONS_MAX;
	double square = 0;

	if (list->n == 0 || list->n > EMBED_DIMENSIONS_MAX || (v->dimensions != 0 && list->n != v->dimensions))
		return false;
	v->dimensions = list->n;
	for (size_t i = 0; mp_next(&it, &number); i++) {
		if (!mp_is_number(&number) || !isfinite(mp_number(&number)) || fabs(mp_number(&number)) > 1e6)
			return false;
		to[i] = (float)mp_number(&number);
		square += (double)to[i] * (double)to[i];
	}
	if (square < 1e-30)
		return false;
	for (size_t i = 0; i < v->dimensions; i++)
		to[i] = (float)((double)to[i] / sqrt(square));
	v->have[at] = true;
	return true;
}

/* Read data[], each element with the number of its text.  False: the answer is malformed. */
static bool
take_vectors(struct embed_vectors *v, struct span body)
{
	struct buf packed = BUF_MAX(ANSWER_MAX);
	struct mp_value root, list, one, numbers;
	struct mp_iter it;
	size_t at, n = 0;
	bool good = json_read(body, &packed, &at) == JSON_OK && mp_value(buf_view(&packed), &root) &&
	    root.class == MP_MAP && mp_get(&root, "data", &list) && list.class == MP_ARRAY && list.n == v->n;

	if (good)
		for (it = mp_iter(&list); good && mp_next(&it, &one); n++) {
			good = one.class == MP_MAP && (at = (size_t)mp_get_uint(&one, "index", n)) < v->n &&
			    !v->have[at] && mp_get(&one, "embedding", &numbers) && numbers.class == MP_ARRAY &&
			    take_vector(v, at, &numbers);
		}
	buf_fini(&packed);
	return good;
}

static void
put_vector(struct buf *out, const float *numbers, size_t n)
{
	size_t map;

	int8_t bytes[EMBED_DIMENSIONS_MAX];
	float scale = vector8_pack(numbers, n, bytes);

	map = mp_open_pairs(out, mp_double("scale", (double)scale));
	mp_put_cstr(out, "bytes");
	mp_put_bin(out, span_of(bytes, n));
	mp_end(out, map);
}

static void
answer_vectors(struct call *c, const struct embedder *e, const struct embed_vectors *v)
{
	struct buf head = { 0 };
	size_t map = mp_open_pairs(&head, mp_str("model", buf_view(&e->name)), mp_uint("dimensions", v->dimensions));

	mp_pair_array(&head, "vectors", v->n);
	for (size_t i = 0; i < v->n; i++)
		put_vector(&head, v->numbers + i * EMBED_DIMENSIONS_MAX, v->dimensions);
	mp_end(&head, map);
	call_result(c, buf_view(&head));
	buf_fini(&head);
}

static int
read_answer(struct call *c, const struct embedder *e, size_t n, struct span body, struct err *err)
{
	struct embed_vectors v = { .n = n, .dimensions = e->dimensions };
	bool good;

	v.numbers = mem_new(n, EMBED_DIMENSIONS_MAX * sizeof(*v.numbers));
	v.have = mem_new(n, sizeof(*v.have));
	if ((good = take_vectors(&v, body)))
		answer_vectors(c, e, &v);
	free(v.numbers);
	free(v.have);
	if (good)
		return 0;
	return e->dimensions > 0 ?
	    err_set(err, ERR_SERVICE_UNAVAILABLE,
		"The endpoint of embeddings.url did not answer with a vector of embeddings.dimensions, %zu, for each "
		"text.",
		e->dimensions) :
	    err_set(err, ERR_SERVICE_UNAVAILABLE,
		"The endpoint of embeddings.url did not answer with a vector for each text, all of one length.");
}

int
tool_embed(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct agent *agent = call_state(c);
	struct embedder *e = agent->embedder;
	struct buf request = { 0 }, body = { 0 };
	struct mp_value texts;
	int result;

	if (e == NULL)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "No endpoint of embeddings is in use; set embeddings.url and embeddings.name in carrel.yaml.");
	if (!mp_get(args, "texts", &texts) || texts.class != MP_ARRAY || texts.n == 0 || texts.n > EMBED_TEXTS_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "texts must be 1 to %u texts", EMBED_TEXTS_MAX);
	result = put_request(&request, e, &texts, err);
	if (result == 0)
		result = post_texts(e, c, buf_view(&request), &body, err);
	if (result == 0)
		result = read_answer(c, e, texts.n, buf_view(&body), err);
	buf_fini(&request);
	buf_fini(&body);
	return result;
}
