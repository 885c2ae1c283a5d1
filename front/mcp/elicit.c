#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/system/clock.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "front/mcp/elicit.h"

/* One legacy request whose client is asked questions. */
struct elicitation {
	LIST_ENTRY(elicitation)	 all;
	struct exchange		*x;
	void			(*failed)(void *arg, const struct err *err, struct span details);
	struct buf		 requests;	/* the worker's map of questions */
	struct buf		 state;		/* the worker's state */
	struct buf		 answers;	/* pairs of key and result */
	unsigned		 n;		/* questions in this round */
	unsigned		 before;	/* questions in earlier rounds: ids are never used twice */
	unsigned		 rounds;
	uint64_t		 serial;	/* serial of x: tells x from a later exchange at the same address */
	uint32_t		 answered;	/* bit i: question i of this round is answered */
};

_Static_assert(ASK_MOST < 32, "one bit each");

static const struct capability {
	unsigned	 bit;
	const char	*method, *name;
} capabilities[] = {
	{ IPC_CAN_ELICIT,     "elicitation/create",     "elicitation" },
	{ IPC_CAN_ELICIT_URL, "elicitation/create",     "elicitation.url" },
	{ IPC_CAN_SAMPLE,     "sampling/createMessage", "sampling" },
	{ IPC_CAN_ROOTS,      "roots/list",             "roots" },
};

#define NCAPABILITIES	(sizeof(capabilities) / sizeof(capabilities[0]))

unsigned
elicit_can(const struct mp_value *given)
{
	struct mp_value v, member;
	unsigned can = 0;

	if (given->class != MP_MAP)
		return 0;
	/* An empty object stands for forms: earlier revisions know no other kind. */
	if (mp_get(given, "elicitation", &v) && v.class == MP_MAP) {
		if (v.n == 0 || mp_get(&v, "form", &member))
			can |= IPC_CAN_ELICIT;
		if (mp_get(&v, "url", &member))
			can |= IPC_CAN_ELICIT_URL;
	}
	if (mp_get(given, "sampling", &v) && v.class == MP_MAP)
		can |= IPC_CAN_SAMPLE;
	if (mp_get(given, "roots", &v) && v.class == MP_MAP)
		can |= IPC_CAN_ROOTS;
	return can;
}

/* The capability that one question of a worker needs; 0: no kind that clients know. */
static unsigned
needed_for(const struct mp_value *request)
{
	struct span none = { NULL, 0 }, method = mp_get_str(request, "method", none);
	struct mp_value params;

	if (request->class != MP_MAP || !mp_get(request, "params", &params) || params.class != MP_MAP)
		return 0;
	if (span_is_str(method, "elicitation/create"))
		return span_is_str(mp_get_str(&params, "mode", none), "url") ? IPC_CAN_ELICIT_URL : IPC_CAN_ELICIT;
	for (size_t i = 0; i < NCAPABILITIES; i++)
		if (span_is_str(method, capabilities[i].method))
			return capabilities[i].bit;
	return 0;
}

unsigned
elicit_needs(const struct mp_value *requests)
{
	struct mp_iter it = mp_iter(requests);
	struct mp_value request;
	unsigned needed = 0, one;
	struct span key;

	if (requests->class != MP_MAP || requests->n == 0 || requests->n > ASK_MOST)
		return 0;
	while (mp_next_pair(&it, &key, &request)) {
		if ((one = needed_for(&request)) == 0)
			return 0;
		needed |= one;
	}
	return needed;
}

static void
put_empty(struct buf *out, const char *name, bool is_needed)
{
	if (is_needed)
		json_put_raw(out, name, SPAN("{}"));
}

/* Error -32021, with the capability that the client would have had to declare. */
static void
refuse_modern(struct exchange *x, unsigned missing)
{
	struct buf data = { .max = 1024 };

	json_put_object(&data, NULL);
	json_put_object(&data, "requiredCapabilities");
	if ((missing & (IPC_CAN_ELICIT | IPC_CAN_ELICIT_URL)) != 0) {
		json_put_object(&data, "elicitation");
		put_empty(&data, "form", (missing & IPC_CAN_ELICIT) != 0);
		put_empty(&data, "url", (missing & IPC_CAN_ELICIT_URL) != 0);
		json_end_object(&data);
	}
	put_empty(&data, "sampling", (missing & IPC_CAN_SAMPLE) != 0);
	put_empty(&data, "roots", (missing & IPC_CAN_ROOTS) != 0);
	json_end_object(&data);
	json_end_object(&data);
	mcp_error(x, 400, RPC_CAPABILITY_MISSING, "this needs a capability that the client did not declare",
	    buf_view(&data));
	buf_fini(&data);
}

/* End the call with an error. */
static void
give_up(struct exchange *x, void (*failed)(void *arg, const struct err *err, struct span details),
    enum err_code code, const char *message)
{
	struct err e;

	exchange_cancel_call(x);
	err_set(&e, code, "%s", message);
	failed(x, &e, SPAN_NONE);
}

static void
refuse_legacy(struct exchange *x, void (*failed)(void *arg, const struct err *err, struct span details),
    unsigned missing)
{
	char message[256];
	size_t i = 0;

	while (i < NCAPABILITIES - 1 && (missing & capabilities[i].bit) == 0)
		i++;
	snprintf(message, sizeof(message),
	    "This needs an answer of the client's, which did not declare the capability \"%s\".", capabilities[i].name);
	give_up(x, failed, ERR_SERVICE_UNAVAILABLE, message);
}

/* version 1, expiry 8 big-endian unix seconds, random 8, the worker's state, MAC 32 */
#define STATE_VERSION	1
#define STATE_HEAD	17u

/* The MAC of a state and of its principal, tool and arguments. */
static void
sign_state(const struct exchange *x, struct span body, struct span tool, struct span args, uint8_t mac[SIGNER_MAC])
{
	const struct span parts[] = { body, span_str(x->who->id), tool, args };

	signer_sign_parts(&x->front->states, parts, sizeof(parts) / sizeof(parts[0]), mac);
}

static void
put_state(struct buf *out, const struct exchange *x, struct span own)
{
	struct buf raw = { .max = STATE_HEAD + IPC_ASK_STATE_MAX + SIGNER_MAC };
	uint64_t until = clock_unix_ms() / 1000 + ASK_STATE_S;
	uint8_t head[STATE_HEAD] = { STATE_VERSION }, mac[SIGNER_MAC];
	struct span tool, args;

	for (unsigned i = 0; i < 8; i++)
		head[1 + i] = (uint8_t)(until >> (56 - 8 * i));
	randombytes_buf(head + 9, 8); /* no two states are the same */
	buf_append(&raw, head, sizeof(head));
	buf_span(&raw, own);
	router_identify(x->calling.call, &tool, &args);
	sign_state(x, buf_view(&raw), tool, args, mac);
	buf_append(&raw, mac, sizeof(mac));
	b64url_encode(out, buf_view(&raw));
	buf_fini(&raw);
}

/* Why the state is refused; NULL: the state is valid, and *own is the worker's part of raw. */
static const char *
check_state(struct span text, struct buf *raw, const struct exchange *x, const struct call_request *q,
    struct span *own)
{
	static const char wrong[] = "the requestState is not one that was given out for this request";
	uint8_t mac[SIGNER_MAC];
	uint64_t until = 0;
	struct span body;

	if (!b64url_decode(raw, text) || raw->full || raw->len < STATE_HEAD + SIGNER_MAC || raw->p[0] != STATE_VERSION)
		return wrong;
	body = span_of(raw->p, raw->len - SIGNER_MAC);
	sign_state(x, body, q->tool->name, q->msg.args, mac);
	if (sodium_memcmp(mac, raw->p + body.len, SIGNER_MAC) != 0)
		return wrong;
	for (unsigned i = 1; i < 9; i++)
		until = until << 8 | raw->p[i];
	if (clock_unix_ms() / 1000 > until)
		return "the requestState has expired; make the request again without it";
	*own = span_of(raw->p + STATE_HEAD, body.len - STATE_HEAD);
	return NULL;
}

/* Copy the members of inputResponses that can be answers. */
static void
take_answers(const struct mp_value *given, struct buf *out)
{
	struct mp_iter it = mp_iter(given);
	size_t mark = mp_open_map(out), n = 0;
	struct mp_value v;
	struct span key;

	while (given->class == MP_MAP && mp_next_pair(&it, &key, &v))
		if (v.class == MP_MAP) {
			mp_put_str(out, key);
			buf_span(out, v.raw);
			n++;
		}
	mp_close(out, mark, n);
}

bool
elicit_resume(struct exchange *x, const struct mp_value *params, struct call_request *q, struct buf *raw,
    struct buf *answers)
{
	struct mp_value state, responses;
	const char *problem;

	if (!mcp_is_modern(x))
		return true;
	if (mp_get(params, "inputResponses", &responses)) {
		answers->max = IPC_ARGS_MAX;
		take_answers(&responses, answers);
		q->msg.answers = buf_view(answers);
	}
	if (!mp_get(params, "requestState", &state) || state.class == MP_NIL)
		return true;
	raw->max = STATE_HEAD + IPC_ASK_STATE_MAX + SIGNER_MAC;
	problem = state.class != MP_STR ? "\"requestState\" must be a string" :
					  check_state(state.s, raw, x, q, &q->msg.state);
	if (problem != NULL)
		mcp_error(x, 200, RPC_INVALID_PARAMS, problem, SPAN_NONE);
	return problem == NULL;
}

static void
answer_input_required(struct exchange *x, const struct mp_value *requests, struct span own)
{
	struct buf out = { .max = 0 };

	json_put_key(&out, "inputRequests");
	json_write(&out, requests);
	json_put_key(&out, "requestState");
	buf_byte(&out, '"');
	put_state(&out, x, own);
	buf_byte(&out, '"');
	exchange_cancel_call(x); /* the retry is a call of its own */
	mcp_answer_as(x, "input_required", buf_view(&out));
	buf_fini(&out);
}

/* "r-3f2a9c01-1b4.2": unique over all requests of this front, also those of earlier runs. */
static void
put_id(struct buf *out, const struct elicitation *a, unsigned i)
{
	char request_id[REQUEST_ID_MAX];

	request_id_print(a->x->serial, request_id);
	buf_printf(out, "%s.%u", request_id, a->before + i);
}

static void
put_question(struct buf *out, const struct elicitation *a, unsigned i, const struct mp_value *request)
{
	struct mp_value params;

	json_put_object(out, NULL);
	json_put_cstr(out, "jsonrpc", "2.0");
	json_put_key(out, "id");
	buf_byte(out, '"');
	put_id(out, a, i);
	buf_byte(out, '"');
	json_put_str(out, "method", mp_get_str(request, "method", SPAN("")));
	json_put_key(out, "params");
	mp_get(request, "params", &params);
	json_write(out, &params);
	json_end_object(out);
}

void
elicit_drop(struct exchange *x)
{
	struct elicitation *a = x->calling.asking;

	x->calling.asking = NULL;
	LIST_REMOVE(a, all);
	buf_fini(&a->requests);
	buf_fini(&a->state);
	buf_fini(&a->answers);
	free(a);
}

static struct elicitation *
asking_of(struct exchange *x)
{
	struct elicitation *a = x->calling.asking;

	if (a != NULL)
		return a;
	a = mem_new(1, sizeof(*a));
	a->x = x;
	a->serial = x->serial;
	x->calling.asking = a;
	LIST_INSERT_HEAD(&x->front->asking, a, all);
	return a;
}

/* Writing may find that the client has gone.  Then a and its exchange are freed already. */
static bool
is_still_asking(const struct front *f, const struct elicitation *a, uint64_t serial)
{
	const struct elicitation *other;

	LIST_FOREACH(other, &f->asking, all)
		if (other == a)
			return other->serial == serial;
	return false;
}

static void
send_questions(struct elicitation *a)
{
	struct front *f = a->x->front;
	uint64_t serial = a->serial;
	struct buf line = { .max = 0 };

	for (unsigned i = 0; is_still_asking(f, a, serial) && i < a->n; i++) {
		struct mp_value requests, request = { .class = MP_NIL };
		struct mp_iter it;
		struct span key;

		mp_value(buf_view(&a->requests), &requests);
		it = mp_iter(&requests);
		for (unsigned j = 0; j <= i; j++)
			mp_next_pair(&it, &key, &request);
		buf_reset(&line, SIZE_MAX);
		put_question(&line, a, i, &request);
		a->x->transport->notify(a->x, buf_view(&line));
	}
	buf_fini(&line);
}

static void
ask_legacy(struct exchange *x, const struct ipc_ask *msg, const struct mp_value *requests,
    void (*failed)(void *arg, const struct err *err, struct span details))
{
	struct elicitation *a;

	if (!x->transport->can_notify(x)) {
		give_up(x, failed, ERR_SERVICE_UNAVAILABLE,
		    "This needs an answer of the client's, which does not take requests on this stream.");
		return;
	}
	a = asking_of(x);
	if (a->rounds++ == ASK_ROUNDS_MAX) {
		give_up(x, failed, ERR_SERVICE_UNAVAILABLE, "The client was asked too many times.");
		return;
	}
	a->failed = failed;
	a->before += a->n;
	a->n = (unsigned)requests->n;
	a->answered = 0;
	buf_reset(&a->requests, IPC_CHUNK_MAX);
	buf_span(&a->requests, msg->requests);
	buf_reset(&a->state, IPC_ASK_STATE_MAX);
	buf_span(&a->state, msg->state);
	buf_reset(&a->answers, IPC_ARGS_MAX);
	send_questions(a);
}

void
elicit_client(struct exchange *x, const struct ipc_ask *msg,
    void (*failed)(void *arg, const struct err *err, struct span details))
{
	struct mp_value requests;
	unsigned needed, missing;

	needed = mp_value(msg->requests, &requests) ? elicit_needs(&requests) : 0;
	missing = needed & ~x->accepts.can;
	if (needed == 0) {
		log_error("%.*s asks the client a question of a kind that MCP does not have; the call fails",
		    SPAN_FMT(x->target.tool->name));
		give_up(x, failed, ERR_INTERNAL, err_text(ERR_INTERNAL));
	} else if (mcp_is_modern(x) && missing == 0)
		answer_input_required(x, &requests, msg->state);
	else if (mcp_is_modern(x)) {
		exchange_cancel_call(x);
		refuse_modern(x, missing);
	} else if (missing != 0)
		refuse_legacy(x, failed, missing);
	else
		ask_legacy(x, msg, &requests, failed);
}

static bool
is_of(const struct exchange *x, const void *client, const uint8_t *session)
{
	return client != NULL ? x->client == client :
				x->session.known && memcmp(x->session.body, session, SESSION_BODY) == 0;
}

/* Index of the unanswered question with this id; a->n: none. */
static unsigned
waiting_as(const struct elicitation *a, struct span id)
{
	struct buf text = { .max = 64 };
	unsigned i;

	for (i = 0; i < a->n; i++) {
		buf_reset(&text, 64);
		put_id(&text, a, i);
		if ((a->answered & UINT32_C(1) << i) == 0 && span_is(buf_view(&text), id))
			break;
	}
	buf_fini(&text);
	return i;
}

/* The legacy request that has an unanswered question with this id; NULL: none. */
static struct elicitation *
find_asking(struct front *f, const void *client, const uint8_t *session, struct span id, unsigned *which)
{
	struct elicitation *a;

	LIST_FOREACH(a, &f->asking, all)
		if (is_of(a->x, client, session) && (*which = waiting_as(a, id)) < a->n)
			return a;
	return NULL;
}

/* Key of question i in the worker's map. */
static struct span
key_of(const struct elicitation *a, unsigned i)
{
	struct span key = { NULL, 0 };
	struct mp_value requests, v;
	struct mp_iter it;

	mp_value(buf_view(&a->requests), &requests);
	it = mp_iter(&requests);
	for (unsigned j = 0; j <= i; j++)
		mp_next_pair(&it, &key, &v);
	return key;
}

/* All questions are answered: send the answers to the worker.  a is kept for another round. */
static void
go_on(struct elicitation *a)
{
	struct buf answers = { .max = IPC_ARGS_MAX };

	mp_put_map(&answers, a->n);
	buf_span(&answers, buf_view(&a->answers));
	router_resume(a->x->calling.call, buf_view(&a->state), buf_view(&answers));
	buf_fini(&answers);
}

/* The client sent an error, or a result that cannot be an answer. */
static void
refused(struct elicitation *a, const struct mp_value *message)
{
	struct mp_value error;
	struct span why = { NULL, 0 };
	char text[256];

	if (mp_get(message, "error", &error) && error.class == MP_MAP)
		why = mp_get_str(&error, "message", why);
	if (why.len > 128)
		why.len = utf8_cut(why.p, why.len, 128);
	snprintf(text, sizeof(text), "The client did not answer what it was asked%s%.*s.", why.len > 0 ? ": " : "",
	    SPAN_FMT(why));
	give_up(a->x, a->failed, ERR_QUERY_CANCELLED, text);
}

bool
elicit_answered(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *message)
{
	struct mp_value id, result;
	struct elicitation *a;
	unsigned which;

	if (!mp_get(message, "id", &id) || id.class != MP_STR ||
	    (a = find_asking(f, client, session, id.s, &which)) == NULL)
		return false;
	a->answered |= UINT32_C(1) << which;
	if (!mp_get(message, "result", &result) || result.class != MP_MAP) {
		refused(a, message);
		return true;
	}
	mp_put_str(&a->answers, key_of(a, which));
	buf_span(&a->answers, result.raw);
	if (a->answers.full)
		give_up(a->x, a->failed, ERR_INVALID_ARGUMENTS, "The client's answers are too large.");
	else if (a->answered == ((UINT32_C(1) << a->n) - 1))
		go_on(a);
	return true;
}
