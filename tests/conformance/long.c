/* long.c - see fixture.h: tools that become tasks where the client has them. */
#include "tests/conformance/fixture.h"
#include "workers/shared/call.h"

static const struct span none = { NULL, 0 };

#define CONFIRM(about)	"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"" about "\","	\
	"\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"confirm\":{\"type\":\"boolean\"}},\"required\":[\"confirm\"]}}}"
#define NAME	"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"What is your name?\","	\
	"\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}}"

int
greet(struct call *c, const struct mp_value *args, struct err *err)
{
	struct buf text = { .max = 0 };
	int r;

	(void)err;
	buf_span(&text, mp_get_str(args, "name", SPAN("World")));
	buf_byte(&text, '!');
	r = fixture_text(c, "Hello, ", buf_view(&text));
	buf_fini(&text);
	return r;
}

int
slow_compute(struct call *c, const struct mp_value *args, struct err *err)
{
	uint64_t seconds = mp_get_uint(args, "seconds", 1);

	call_lasts(c, false);
	if (!call_wait(c, -1, false, (unsigned)(seconds < 60 ? seconds : 60) * 1000, err))
		return -1;
	return fixture_text(c, "Computed: ", mp_get_str(args, "label", SPAN("done")));
}

int
failing_job(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	call_lasts(c, true);
	if (!call_wait(c, -1, false, 1000, err))
		return -1;
	return err_set(err, ERR_DATABASE_ERROR, "This job fails on purpose");
}

int
protocol_error_job(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	call_lasts(c, false);
	if (!call_wait(c, -1, false, 200, err))
		return -1;
	return err_set(err, ERR_INTERNAL, "This job breaks on purpose");
}

int
confirm_delete(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer;

	(void)err;
	call_lasts(c, false);
	if (!call_asked_answer(c, "confirm", &answer))
		return fixture_ask(c, "{\"confirm\":" CONFIRM("Delete it?") "}", "");
	return fixture_text(c, "Asked about ", mp_get_str(args, "filename", SPAN("a file")));
}

int
multi_input(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer;

	(void)args, (void)err;
	call_lasts(c, false);
	if (!call_asked_answer(c, "first", &answer) || !call_asked_answer(c, "second", &answer))
		return fixture_ask(c, "{\"first\":" NAME ",\"second\":" CONFIRM("Sure?") "}", "");
	return fixture_text(c, "Both were answered", none);
}

/* Asks before it is a task, and is one afterwards. */
int
test_tool_with_task(struct call *c, const struct mp_value *args, struct err *err)
{
	struct mp_value answer, content;

	(void)args;
	if (!call_asked_answer(c, "user_name", &answer) || !mp_get(&answer, "content", &content))
		return fixture_ask(c, "{\"user_name\":" NAME "}", "");
	call_lasts(c, false);
	if (!call_wait(c, -1, false, 500, err))
		return -1;
	return fixture_text(c, "Hello, ", mp_get_str(&content, "name", none));
}
