// libs: carrel_project carrel_base
/* fuzz_json_edit.c - a member put into any file that is taken comes out again, and leaves a file that is taken. */
#include <stdlib.h>

#include "project/format/json_edit.h"
#include "tests/fuzz/fuzz.h"

static const char *const keys[] = { "projects", "/home/u/p", "mcpServers", "carrel" };

static void
round_trip(struct span text, bool comments)
{
	const struct json_edit_path path = { 4, keys };
	struct buf with = { 0 }, again = { 0 }, without = { 0 };
	struct span value;
	struct err err;

	if (json_edit_set(text, path, SPAN("{\"type\":\"http\",\"args\":[1,{}]}"), comments, &with, &err) != 0) {
		if (with.len > 0)
			abort();
	} else if (json_edit_get(buf_view(&with), path, comments, &value, &err) != 1 ||
	    json_edit_set(buf_view(&with), path, SPAN("null"), comments, &again, &err) != 0 ||
	    json_edit_remove(buf_view(&again), path, comments, &without, &err) != 0 ||
	    json_edit_get(buf_view(&without), path, comments, &value, &err) != 0)
		abort();
	buf_fini(&with);
	buf_fini(&again);
	buf_fini(&without);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	round_trip(span_of(data, size), false);
	round_trip(span_of(data, size), true);
	return 0;
}
