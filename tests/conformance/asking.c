/* asking.c - see fixture.h: tools that want something of the client first. */
#include <stdio.h>

#include "base/json/json_write.h"
#include "tests/conformance/fixture.h"
#include "workers/shared/call.h"

#define FORM(message, properties, required)								\
	"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"" message "\","		\
	"\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}}}"

#define ASK_NAME	FORM("What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"")
#define ASK_COLOR	FORM("What is your favorite color?", "\"color\":{\"type\":\"string\"}", "\"color\"")
#define ASK_CONFIRM	FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")
#define ASK_MODEL(text, tokens)										\
	"{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\","			\
	"\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}],\"maxTokens\":" #tokens "}}"
#define ASK_ROOTS	"{\"method\":\"roots/list\",\"params\":{}}"

static const struct span none = { NULL, 0 };

/* --- what came back: from a stranger ------------------------------------------------------ */

/* An elicitation's outcome: accepted, declined or cancelled, with the form filled in when accepted. */
static bool
filled_in(const struct call *c, const char *key, struct mp_value *content)
{
	struct mp_value answer;
	struct span action;

	if (!call_asked_answer(c, key, &answer))
		return false;
	action = mp_get_str(&answer, "action", none);
	if (!span_is_str(action, "accept"))
		return span_is_str(action, "decline") || span_is_str(action, "cancel");
	return mp_get(&answer, "content", content) && content->class == MP_MAP;
}

static int
answer_form(struct call *c, const char *key, const char *before)
{
	struct buf text = { .max = 0 };
	struct mp_value answer, content;
	int r;

	call_asked_answer(c, key, &answer);
	buf_str(&text, "action=");
	buf_span(&text, mp_get_str(&answer, "action", none));
	buf_str(&text, ", content=");
	if (mp_get(&answer, "content", &content))
		json_write(&text, &content);
	else
		buf_str(&text, "{}");
	r = fixture_text(c, before, buf_view(&text));
	buf_fini(&text);
	return r;
}

/* --- questions with something of the call's in them --------------------------------------- */

int
test_sampling(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer, content;
	struct buf requests = { .max = 0 };
	int r;

	(void)err;
	if (call_asked_answer(c, "sample", &answer)) {
		mp_get(&answer, "content", &content);
		return fixture_text(c, "LLM response: ", mp_get_str(&content, "text", SPAN("(no text)")));
	}
	buf_str(&requests,
	    "{\"sample\":{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\","
	    "\"content\":{\"type\":\"text\",\"text\":");
	json_write_string(&requests, mp_get_str(args, "prompt", none));
	buf_str(&requests, "}}],\"maxTokens\":100}}}");
	r = fixture_ask(c, buf_cstr(&requests), "");
	buf_fini(&requests);
	return r;
}

int
test_elicitation(struct call *c, const struct mp_value *args, struct err *err)
{
	struct buf requests = { .max = 0 };
	struct mp_value content;
	int r;

	(void)err;
	if (filled_in(c, "user", &content))
		return answer_form(c, "user", "User response: ");
	buf_str(&requests, "{\"user\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":");
	json_write_string(&requests, mp_get_str(args, "message", none));
	buf_str(&requests,
	    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
	    "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
	    "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
	    "\"required\":[\"username\",\"email\"]}}}}");
	r = fixture_ask(c, buf_cstr(&requests), "");
	buf_fini(&requests);
	return r;
}

/* --- fixed questions ------------------------------------------------------------------------ */

static int
ask_form(struct call *c, const char *key, const char *requests)
{
	struct mp_value content;

	if (filled_in(c, key, &content))
		return answer_form(c, key, "Elicitation completed: ");
	return fixture_ask(c, requests, "");
}

int
test_elicitation_sep1034_defaults(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return ask_form(c, "user",
	    "{\"user\":" FORM("Please review and update the form fields with defaults",
		"\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"
		"\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"
		"\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"
		"\"status\":{\"type\":\"string\",\"description\":\"User status\","
		"\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
		"\"verified\":{\"type\":\"boolean\",\"description\":\"Verification status\",\"default\":true}",
		"") "}");
}

#define CHOICES	"{\"const\":\"value1\",\"title\":\"First Option\"},{\"const\":\"value2\",\"title\":\"Second Option\"}," \
	"{\"const\":\"value3\",\"title\":\"Third Option\"}"
#define WORDS	"[\"option1\",\"option2\",\"option3\"]"

int
test_elicitation_sep1330_enums(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return ask_form(c, "user",
	    "{\"user\":" FORM("Please select options from the enum fields",
		"\"untitledSingle\":{\"type\":\"string\",\"enum\":" WORDS "},"
		"\"titledSingle\":{\"type\":\"string\",\"oneOf\":[" CHOICES "]},"
		"\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
		"\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
		"\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":" WORDS "}},"
		"\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[" CHOICES "]}}",
		"") "}");
}

int
test_missing_capability(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer;

	(void)args, (void)err;
	if (call_asked_answer(c, "sample", &answer))
		return fixture_text(c, "The client can sample.", none);
	return fixture_ask(c, "{\"sample\":" ASK_MODEL("Anything", 10) "}", "");
}

int
test_streaming_elicitation(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	call_progress(c, 500, "Asking");
	if (!call_poll(c, err))
		return -1;
	return ask_form(c, "user_name", "{\"user_name\":" ASK_NAME "}");
}

/* Hello, whoever answered the form for a name; or the form once more. */
int
test_input_required_result_elicitation(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value content = { .class = MP_NIL };
	struct span name;

	(void)args, (void)err;
	if (filled_in(c, "user_name", &content)) {
		name = mp_get_str(&content, "name", none);
		if (content.class != MP_MAP)
			return fixture_text(c, "Hello, whoever you are!", none);
		if (name.p != NULL)
			return fixture_text(c, "Hello, ", name);
	}
	return fixture_ask(c, "{\"user_name\":" ASK_NAME "}", "");
}

int
test_input_required_result_sampling(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer, content;

	(void)args, (void)err;
	if (!call_asked_answer(c, "capital_question", &answer) || !mp_get(&answer, "content", &content))
		return fixture_ask(c, "{\"capital_question\":" ASK_MODEL("What is the capital of France?", 100) "}",
		    "");
	return fixture_text(c, "Sampling response: ", mp_get_str(&content, "text", none));
}

int
test_input_required_result_list_roots(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer, roots;
	char text[64];

	(void)args, (void)err;
	if (!call_asked_answer(c, "client_roots", &answer) || !mp_get(&answer, "roots", &roots) ||
	    roots.class != MP_ARRAY)
		return fixture_ask(c, "{\"client_roots\":" ASK_ROOTS "}", "");
	snprintf(text, sizeof(text), "Client roots: %zu", roots.n);
	return fixture_text(c, text, none);
}

/* --- with a state of the worker's own ---------------------------------------------------------- */

/* Also test_input_required_result_tampered_state: who bends the state never comes here. */
int
test_input_required_result_request_state(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value content;

	(void)args, (void)err;
	if (filled_in(c, "confirm", &content) && span_is_str(call_asked_state(c), "confirming"))
		return fixture_text(c, "state-ok", none);
	return fixture_ask(c, "{\"confirm\":" ASK_CONFIRM "}", "confirming");
}

int
test_input_required_result_multiple_inputs(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value content, answer;

	(void)args, (void)err;
	if (filled_in(c, "user_name", &content) && call_asked_answer(c, "greeting", &answer) &&
	    call_asked_answer(c, "client_roots", &answer))
		return fixture_text(c, "All inputs were received", none);
	return fixture_ask(c,
	    "{\"user_name\":" ASK_NAME
	    ",\"greeting\":" ASK_MODEL("Generate a greeting", 50) ",\"client_roots\":" ASK_ROOTS "}",
	    "three");
}

int
test_input_required_result_multi_round(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span state = call_asked_state(c);
	struct mp_value content;

	(void)args, (void)err;
	if (span_is_str(state, "second") && filled_in(c, "step2", &content))
		return fixture_text(c, "Both rounds are complete", none);
	if (span_is_str(state, "second") || (span_is_str(state, "first") && filled_in(c, "step1", &content)))
		return fixture_ask(c, "{\"step2\":" ASK_COLOR "}", "second");
	return fixture_ask(c, "{\"step1\":" ASK_NAME "}", "first");
}

/* Asks only what the client said it can be asked. */
int
test_input_required_result_capabilities(struct call *c, const struct mp_value *args, struct err *err)
{
	static const struct {
		unsigned can;
		const char *key, *request;
	} questions[] = {
		{ IPC_CAN_ELICIT, "user_name", ASK_NAME },
		{ IPC_CAN_SAMPLE, "greeting", ASK_MODEL("Generate a greeting", 50) },
		{ IPC_CAN_ROOTS, "client_roots", ASK_ROOTS },
	};
	struct buf requests = { .max = 0 };
	struct mp_value answer;
	unsigned wanted = 0;

	(void)args, (void)err;
	buf_byte(&requests, '{');
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if ((call_can(c) & questions[i].can) != 0 && !call_asked_answer(c, questions[i].key, &answer))
			buf_printf(&requests, "%s\"%s\":%s", wanted++ > 0 ? "," : "", questions[i].key,
			    questions[i].request);
	buf_byte(&requests, '}');
	if (wanted > 0)
		fixture_ask(c, buf_cstr(&requests), "");
	else
		fixture_text(c, "Nothing is left to ask", none);
	buf_fini(&requests);
	return 0;
}
