/* simple.c - see fixture.h: tools that only answer. */
#include "base/mp.h"
#include "ipc/messages.h"
#include "tests/conformance/fixture.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define STEP_MS	50	/* between what a call says before its answer */

int
test_simple_text(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_text(c, "This is a simple text response for testing.", span_str(""));
}

int
test_image_content(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_content(c, "[" FIXTURE_IMAGE "]");
}

int
test_audio_content(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_content(c, "[{\"type\":\"audio\",\"data\":\"" FIXTURE_WAV "\",\"mimeType\":\"audio/wav\"}]");
}

int
test_embedded_resource(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_content(c,
	    "[{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\","
	    "\"mimeType\":\"text/plain\",\"text\":\"This is an embedded resource content.\"}}]");
}

int
test_multiple_content_types(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_content(c,
	    "[{\"type\":\"text\",\"text\":\"Multiple content types test:\","
	    "\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5}}," FIXTURE_IMAGE ","
	    "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\","
	    "\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]");
}

int
test_error_handling(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)c, (void)args;
	return err_set(err, ERR_DATABASE_ERROR, "This tool intentionally returns an error for testing");
}

static bool
say(struct call *c, const char *text, struct err *err)
{
	struct buf data = { .max = 0 };

	mp_put_cstr(&data, text);
	call_notice(c, IPC_LEVEL_INFO, "fixture", buf_view(&data));
	buf_fini(&data);
	return call_wait(c, -1, false, STEP_MS, err);
}

int
test_tool_with_logging(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	if (!say(c, "Tool execution started", err) || !say(c, "Tool processing data", err) ||
	    !say(c, "Tool execution completed", err))
		return -1;
	return fixture_text(c, "Tool with logging executed", span_str(""));
}

int
test_logging_tool(struct call *c, const struct mp_value *args, struct err *err)
{
	return test_tool_with_logging(c, args, err);
}

int
test_tool_with_progress(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	for (unsigned permille = 0; permille <= 1000; permille += 500) {
		call_progress(c, permille, "Completed step %u of 100", permille / 10);
		if (!call_wait(c, -1, false, STEP_MS, err))
			return -1;
	}
	return fixture_text(c, "Tool with progress executed", span_str(""));
}

int
json_schema_2020_12_tool(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)err;
	return fixture_text(c, "Hello, ", mp_get_str(args, "name", SPAN("whoever you are")));
}

int
test_x_mcp_header(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)err;
	return fixture_text(c, "Region: ", mp_get_str(args, "region", SPAN("none")));
}

/* Nothing has changed but that it is said so. */
int
test_trigger_tool_change(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	serve_changed(IPC_LISTS_TOOLS, span_str(""));
	return fixture_text(c, "Whoever listens hears that the tools changed.", span_str(""));
}

int
test_trigger_prompt_change(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	serve_changed(IPC_LISTS_PROMPTS, span_str(""));
	return fixture_text(c, "Whoever listens hears that the prompts changed.", span_str(""));
}
