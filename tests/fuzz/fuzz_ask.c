// libs: carrel_ask carrel_project carrel_base
/* fuzz_ask.c - any text as a question: it is read within its bounds, and no word of an answer is left over. */
#include <stdlib.h>

#include "ask/ask.h"
#include "ask/ask_model.h"
#include "base/json/json_read.h"
#include "tests/fuzz/fuzz.h"

static struct ask_model *
fuzz_model(void)
{
	static const char text[] = "{\"sources\": [{\"name\": \"orders\", \"grain\": [\"id\"], \"timeDimension\": "
				   "\"placed_on\", \"measures\": [{\"name\": \"revenue\","
				   "\"expr\": \"sum(amount)\", \"aggregate\": \"sum\", \"additive\": \"full\"}], "
				   "\"dimensions\": [{\"name\": \"placed_on\", \"type\": \"time\","
				   "\"time\": true}, {\"name\": \"status\", \"type\": \"string\", \"values\": "
				   "[\"paid\", \"open\"]}, {\"name\": \"seats\", \"type\": \"number\"}]}],"
				   "\"nodes\": [{\"name\": \"orders\", \"source\": 0}]}";
	struct buf b = { 0 };
	struct mp_value v;
	struct err err;
	size_t at;
	struct ask_model *m;

	if (json_read(span_str(text), &b, &at) != JSON_OK || !mp_value(buf_view(&b), &v) ||
	    (m = ask_model_read(&v, &err)) == NULL)
		abort();
	buf_fini(&b);
	return m;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct ask_model *m;
	struct arena *a = arena_new((size_t)64 << 20);
	struct ask_context c = { .now = INT64_C(1747224000) };
	struct ask_reading *r = arena_alloc(a, sizeof(*r));
	struct err err;

	if (m == NULL)
		m = fuzz_model();
	if (r != NULL && ask_read(m, &c, span_of(data, len), NULL, a, r, &err) == 0 && r->status == ASK_ANSWER &&
	    r->shape != ASK_LIST)
		for (size_t i = 0; i < r->nwords; i++)
			if (r->words[i].consumed_by.len == 0)
				abort();
	arena_free(a);
	return 0;
}
