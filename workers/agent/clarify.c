/* clarify.c - see clarify.h.  The state between rounds: {round, question, topics[]}. */
#include <stdio.h>

#include "workers/agent/clarify.h"
#include "workers/shared/call.h"

#define KEY          "clarification"
#define ANSWER_MAX   200u  /* significant bytes of one answer */
#define QUESTION_MAX 6000u /* with all answers */

/* Append the answer of a form field, without characters that would end its brackets. */
static void
put_answer(struct buf *out, struct span topic, struct span text)
{
	size_t len = text.len;

	if (len > ANSWER_MAX) {
		for (len = ANSWER_MAX; len > 0 && (text.p[len] & 0xc0) == 0x80; len--)
			continue;
	}
	buf_str(out, " [");
	buf_span(out, topic);
	buf_str(out, ": ");
	for (size_t i = 0; i < len; i++)
		buf_byte(out, text.p[i] == '[' || text.p[i] == ']' || text.p[i] < ' ' ? ' ' : text.p[i]);
	buf_byte(out, ']');
}

/* Append the form's answers to the last round's questions to the question. */
static void
take_form(struct buf *text, const struct mp_value *state, const struct mp_value *form)
{
	struct mp_value topics, topic;
	struct mp_iter it;
	unsigned i = 0;

	if (!mp_get(state, "topics", &topics) || topics.class != MP_ARRAY)
		return;
	for (it = mp_iter(&topics); mp_next(&it, &topic);) {
		struct span said;
		char key[16];

		snprintf(key, sizeof(key), "q%u", ++i);
		said = mp_get_str(form, key, SPAN(""));
		if (said.len > 0 && topic.class == MP_STR && text->len < QUESTION_MAX)
			put_answer(text, topic.s, said);
	}
}

void
clarify_resume(struct call *c, struct span *question, struct clarify *out)
{
	struct mp_value state, answer, form;
	struct buf text = { 0 };

	*out = (struct clarify){ .question = *question };
	if (call_asked_state(c).len == 0 || !mp_value(call_asked_state(c), &state) || state.class != MP_MAP)
		return;
	out->round = (unsigned)mp_get_uint(&state, "round", 0);
	buf_span(&text, mp_get_str(&state, "question", *question));
	if (call_asked_answer(c, KEY, &answer)) {
		struct span action = mp_get_str(&answer, "action", SPAN(""));

		out->declined = span_is_str(action, "decline") || span_is_str(action, "cancel");
		if (span_is_str(action, "accept") && mp_get(&answer, "content", &form) && form.class == MP_MAP)
			take_form(&text, &state, &form);
	}
	out->question = arena_span(call_arena(c), buf_view(&text));
	*question = out->question;
	buf_fini(&text);
}

static void
put_field(struct buf *out, const struct answer_question *q, bool german)
{
	struct buf about = { 0 };

	mp_put_map(out, q->nsuggestions > 0 ? 4 : 3);
	mp_pair_cstr(out, "type", "string");
	mp_pair_str(out, "title", q->question);
	for (size_t i = 0; i < q->nsuggestions; i++)
		buf_printf(&about, "%s%.*s",
		    i > 0      ? ", " :
			german ? "Zum Beispiel: " :
				 "For example: ",
		    SPAN_FMT(q->suggestions[i]));
	if (q->assumption.len > 0)
		buf_printf(&about, "%s%.*s", about.len > 0 ? ". " : "", SPAN_FMT(q->assumption));
	mp_pair_str(out, "description", buf_view(&about));
	if (q->nsuggestions > 0)
		mp_pair_str(out, "default", q->suggestions[0]);
	buf_fini(&about);
}

static void
put_request(struct buf *out, const struct answer *a, bool german)
{
	mp_put_map(out, 1);
	mp_put_cstr(out, KEY);
	mp_put_map(out, 2);
	mp_pair_cstr(out, "method", "elicitation/create");
	mp_put_cstr(out, "params");
	mp_put_map(out, 3);
	mp_pair_cstr(out, "mode", "form");
	mp_pair_str(out, "message",
	    a->nquestions == 1 ? a->questions[0].question :
		german         ? SPAN("Die Frage lässt sich auf mehrere Arten lesen.") :
				 SPAN("The question can be read in several ways."));
	mp_put_cstr(out, "requestedSchema");
	mp_put_map(out, 3);
	mp_pair_cstr(out, "type", "object");
	mp_put_cstr(out, "properties");
	mp_put_map(out, a->nquestions);
	for (size_t i = 0; i < a->nquestions; i++) {
		char key[16];

		snprintf(key, sizeof(key), "q%u", (unsigned)i + 1);
		mp_put_cstr(out, key);
		put_field(out, &a->questions[i], german);
	}
	mp_pair_array(out, "required", a->nquestions);
	for (size_t i = 0; i < a->nquestions; i++) {
		char key[16];

		snprintf(key, sizeof(key), "q%u", (unsigned)i + 1);
		mp_put_cstr(out, key);
	}
}

static void
put_state(struct buf *out, const struct clarify *round, const struct answer *a)
{
	size_t map = mp_open_pairs(out, mp_uint("round", round->round + 1), mp_str("question", round->question));

	mp_pair_array(out, "topics", a->nquestions);
	for (size_t i = 0; i < a->nquestions; i++)
		mp_put_str(out, a->questions[i].topic);
	mp_end(out, map);
}

bool
clarify_ask(struct call *c, const struct clarify *round, const struct reading *r, const struct answer *a)
{
	struct buf request = { 0 }, state = { 0 };
	bool asked = (call_can(c) & IPC_CAN_ELICIT) != 0 && !round->declined && round->round < CLARIFY_ROUNDS &&
	    a->nquestions > 0;

	if (!asked)
		return false;
	put_request(&request, a, r->brief.german);
	put_state(&state, round, a);
	asked = state.len <= IPC_ASK_STATE_MAX;
	if (asked)
		call_ask(c, buf_view(&request), buf_view(&state));
	buf_fini(&request);
	buf_fini(&state);
	return asked;
}
