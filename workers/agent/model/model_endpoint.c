#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/json/document.h"
#include "base/json/json_read.h"
#include "base/json/json_schema.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/agent/model/model_endpoint.h"
#include "workers/agent/model/model_http.h"
#include "workers/shared/call.h"

#define ANSWER_MAX   (4u << 20) /* bytes */
#define TRIES	     3u /* of one request while the endpoint is busy */
#define BACKOFF_MS   500u
#define SAID_MAX     8192u /* bytes of a wrong answer that are repeated to the model */
#define ANSWER_TOKENS 4000u
#define BYTES_A_TOKEN 3u /* a cautious estimate, if the endpoint does not count */

/* How the form of the answer is requested from an endpoint, best first. */
enum form { FORM_SCHEMA, FORM_OBJECT, FORM_TEXT };

struct model_engine {
	struct model_http	 http;
	struct buf		 name;
	enum ipc_model_data		 data;
	uint64_t		 timeout_ms, calls_max, tokens_max;
	enum form		 form;	/* the best form that the endpoint has not refused */
};

struct model_engine *
model_open(const struct ipc_configure_agent *m)
{
	struct model_engine *e;
	struct err err;

	if (m->model_url.len == 0)
		return NULL;
	e = mem_new(1, sizeof(*e));
	buf_span(&e->name, m->model_name);
	e->data = (enum ipc_model_data)m->model_data;
	e->timeout_ms = m->model_timeout_ms;
	e->calls_max = m->model_calls_max;
	e->tokens_max = m->model_tokens_max;
	if (model_http_open(&e->http,
		&(struct model_at){
		    IPC_OUTSIDE_MODEL, m->model_url, m->model_host, m->model_key, "/chat/completions", ANSWER_MAX },
		&err) == 0)
		return e;
	log_warn("no model reads questions: %s", err.message);
	model_close(e);
	return NULL;
}

void
model_close(struct model_engine *e)
{
	if (e == NULL)
		return;
	model_http_close(&e->http);
	buf_fini(&e->name);
	free(e);
}

struct span
model_name(const struct model_engine *e)
{
	return buf_view(&e->name);
}

enum ipc_model_data
model_data(const struct model_engine *e)
{
	return e->data;
}

struct model_http *
model_engine_http(struct model_engine *e)
{
	return &e->http;
}

/* The model's last answer, and what was wrong with it. */
struct repair {
	struct buf said, wrong;
};

static void
put_message(cJSON *messages, const char *role, struct span content)
{
	cJSON *message = document_put_object(messages, NULL);

	document_put_text(message, "role", role);
	document_put_span(message, "content", content);
}

static void
put_form(cJSON *request, enum form form, const struct model_ask *ask)
{
	cJSON *response = form < FORM_TEXT ? document_put_object(request, "response_format") : NULL, *schema;

	if (form == FORM_SCHEMA) {
		document_put_text(response, "type", "json_schema");
		schema = document_put_object(response, "json_schema");
		document_put_text(schema, "name", ask->name);
		document_put_bool(schema, "strict", true);
		document_put_json(schema, "schema", ask->schema);
	} else if (form == FORM_OBJECT)
		document_put_text(response, "type", "json_object");
}

static void
put_request(struct buf *out, const struct model_engine *e, const struct model_ask *ask, const struct repair *repair)
{
	cJSON *request = document_new(), *messages;
	struct buf system = { 0 };

	buf_str(&system, ask->system);
	buf_str(&system, "\nAnswer with one JSON object that fits this JSON Schema, and nothing else:\n");
	buf_span(&system, ask->schema);
	document_put_span(request, "model", buf_view(&e->name));
	document_put_uint(request, "temperature", 0);
	document_put_uint(request, "max_tokens", ANSWER_TOKENS);
	messages = document_put_list(request, "messages");
	put_message(messages, "system", buf_view(&system));
	put_message(messages, "user", ask->user);
	if (repair->wrong.len > 0) {
		put_message(messages, "assistant", buf_view(&repair->said));
		put_message(messages, "user", buf_view(&repair->wrong));
	}
	put_form(request, e->form, ask);
	document_finish(out, request);
	buf_fini(&system);
}

/* Parse JSON into the arena.  False: not JSON. */
static bool
read_json(struct arena *a, struct span text, struct mp_value *v)
{
	struct buf mp = BUF_MAX(ANSWER_MAX);
	size_t at;
	bool good = json_read(text, &mp, &at) == JSON_OK && mp_value(arena_span(a, buf_view(&mp)), v);

	buf_fini(&mp);
	return good;
}

/* The first object with balanced brackets in the text; empty: none. */
static struct span
first_object(struct span text)
{
	const uint8_t *from = memchr(text.p, '{', text.len), *end = text.p + text.len;
	unsigned depth = 0;
	bool quoted = false;

	for (const uint8_t *p = from; p != NULL && p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '{')
			depth++;
		else if (!quoted && *p == '}' && --depth == 0)
			return span_of(from, (size_t)(p + 1 - from));
	}
	return SPAN("");
}

/* Read choices[0].message.content and the token counts of the endpoint's answer.  False: malformed. */
static bool
read_content(struct arena *a, struct span body, struct span *content, uint64_t *tokens)
{
	struct mp_value root, list, one, message, usage;
	struct mp_iter it;

	*tokens = body.len / BYTES_A_TOKEN;
	if (!read_json(a, body, &root) || root.class != MP_MAP)
		return false;
	if (mp_get(&root, "usage", &usage) && usage.class == MP_MAP)
		*tokens = mp_get_uint(&usage, "total_tokens", 0);
	if (!mp_get(&root, "choices", &list) || list.class != MP_ARRAY)
		return false;
	it = mp_iter(&list);
	if (!mp_next(&it, &one) || one.class != MP_MAP || !mp_get(&one, "message", &message) || message.class != MP_MAP)
		return false;
	*content = mp_get_str(&message, "content", SPAN(""));
	return content->len > 0;
}

/* Check the content against the schema and the caller's check; the problem goes into repair. */
static bool
take_content(struct arena *a, const struct model_ask *ask, struct span content, struct mp_value *answer,
    struct repair *repair)
{
	struct schema_result issues;
	struct mp_value schema;
	struct span object = first_object(content);
	const char *problem = NULL;

	buf_reset(&repair->said, SAID_MAX);
	buf_append(&repair->said, content.p, utf8_cut(content.p, content.len, SAID_MAX));
	buf_reset(&repair->wrong, SAID_MAX);
	if (!read_json(a, content, answer) && (object.len == 0 || !read_json(a, object, answer))) {
		buf_str(&repair->wrong, "That is no JSON object.");
		return false;
	}
	if (!read_json(a, ask->schema, &schema))
		return false;
	if (!schema_check(&schema, answer, &issues)) {
		buf_str(&repair->wrong, "That does not fit the schema:");
		for (size_t i = 0; i < issues.total && i < SCHEMA_ISSUES_MAX; i++)
			buf_printf(&repair->wrong, " %s %s.", issues.issues[i].path, issues.issues[i].problem);
		return false;
	}
	if (ask->check != NULL && (problem = ask->check(ask->arg, a, answer)) != NULL) {
		buf_str(&repair->wrong, problem);
		return false;
	}
	return true;
}

/* Wait before a retry.  False with *err: the call must end. */
static bool
back_off(struct model_use *u, unsigned try, uint64_t retry_ms, uint64_t until_ns, struct err *err)
{
	uint64_t ms = retry_ms > 0 ? retry_ms : (uint64_t)BACKOFF_MS << try, left = until_ns - clock_ns();

	if (until_ns < clock_ns() || ms > left / CLOCK_MS)
		return true;
	return call_wait(u->call, -1, false, (unsigned)ms, err);
}

/* Whether one more request is within the question's limits. */
static bool
may_call(const struct model_use *u, size_t bytes, char why[160])
{
	if (u->calls >= u->engine->calls_max)
		snprintf(why, 160, "it was called as often as model.calls_max allows");
	else if (u->tokens + bytes / BYTES_A_TOKEN > u->engine->tokens_max)
		snprintf(why, 160, "the question needs more tokens than model.tokens_max allows");
	else
		return true;
	return false;
}

/* Send one request, with retries while the endpoint is busy.  As model_ask(); *body is the answer. */
static int
post(struct model_use *u, const struct model_ask *ask, const struct repair *repair, struct buf *body, char why[160],
    struct err *err)
{
	struct model_engine *e = u->engine;
	struct buf request = { 0 };
	uint64_t retry_ms;
	long status = 0;
	int result = 1;

	for (unsigned try = 0; try < TRIES; try++) {
		uint64_t until = clock_ns() + e->timeout_ms * CLOCK_MS;

		until = until < u->until_ns ? until : u->until_ns;

		buf_reset(&request, SIZE_MAX);
		put_request(&request, e, ask, repair);
		if (!may_call(u, request.len, why))
			break;
		u->calls++;
		result =
		    model_http_post(&e->http, u->call, buf_view(&request), until, body, &status, &retry_ms, why, err);
		if (result != 0 || (status >= 200 && status < 300))
			break;
		result = 1;
		snprintf(why, 160, "it answered with HTTP status %ld", status);
		if ((status == 400 || status == 404 || status == 422) && e->form < FORM_TEXT) {
			e->form++; /* the endpoint may not support this form */
			continue;
		}
		if (status != 429 && status < 500)
			break;
		if (try + 1 < TRIES && !back_off(u, try, retry_ms, until, err)) {
			result = -1;
			break;
		}
	}
	buf_fini(&request);
	return result;
}

int
model_ask(struct model_use *u, const struct model_ask *ask, struct mp_value *answer, char why[160], struct err *err)
{
	struct arena *a = call_arena(u->call);
	struct repair repair = { .said = { 0 } };
	struct buf body = { 0 };
	struct span content;
	uint64_t tokens;
	int result = 1;

	for (unsigned turn = 0; turn < 2; turn++) {
		if ((result = post(u, ask, &repair, &body, why, err)) != 0)
			break;
		result = 1;
		snprintf(why, 160, "its answer was not what was asked for");
		content = SPAN("");
		if (!read_content(a, buf_view(&body), &content, &tokens)) {
			u->tokens += tokens;
			break;
		}
		u->tokens += tokens;
		if (take_content(a, ask, content, answer, &repair)) {
			result = 0;
			break;
		}
	}
	buf_fini(&repair.said);
	buf_fini(&repair.wrong);
	buf_fini(&body);
	return result;
}
