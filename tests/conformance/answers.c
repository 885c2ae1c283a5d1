/* answers.c - see fixture.h: JSON text as what a worker answers with. */
#include <stdlib.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "tests/conformance/fixture.h"
#include "workers/shared/call.h"

/* What the fixture itself wrote is JSON, or the fixture is wrong. */
static void
pack(const char *json, struct buf *out)
{
	size_t at;

	if (json_read(span_str(json), out, &at) != JSON_OK)
		abort();
}

int
fixture_object(struct call *c, const char *object)
{
	struct buf packed = { .max = 0 };

	pack(object, &packed);
	call_result(c, buf_view(&packed));
	buf_fini(&packed);
	return 0;
}

int
fixture_content(struct call *c, const char *content)
{
	struct buf packed = { .max = 0 };

	pack(content, &packed);
	call_result_content(c, SPAN("\x80"), buf_view(&packed));
	buf_fini(&packed);
	return 0;
}

int
fixture_text(struct call *c, const char *text, struct span what)
{
	struct buf whole = { .max = 0 }, json = { .max = 0 };

	buf_str(&whole, text);
	buf_span(&whole, what);
	buf_str(&json, "[{\"type\":\"text\",\"text\":");
	json_write_string(&json, buf_view(&whole));
	buf_str(&json, "}]");
	fixture_content(c, buf_cstr(&json));
	buf_fini(&whole);
	buf_fini(&json);
	return 0;
}

int
fixture_ask(struct call *c, const char *requests, const char *state)
{
	struct buf packed = { .max = 0 };

	pack(requests, &packed);
	call_ask(c, buf_view(&packed), span_str(state));
	buf_fini(&packed);
	return 0;
}
