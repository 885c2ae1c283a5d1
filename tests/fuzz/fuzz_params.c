// libs: carrel_front
/*
 * fuzz_params.c - a schema on the first line, arguments on the second, header
 * lines behind them: whatever is declared, a call without arguments agrees
 * with it, and one whose headers all agree does so again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "front/calls/params.h"
#include "tests/fuzz/fuzz.h"

/* The bytes up to the next LF, which is taken too. */
static struct span
next_line(struct span *rest)
{
	const uint8_t *lf = rest->len == 0 ? NULL : memchr(rest->p, '\n', rest->len);
	struct span line = span_of(rest->p, lf == NULL ? rest->len : (size_t)(lf - rest->p));
	size_t used = line.len + (lf != NULL);

	*rest = span_of(rest->p + used, rest->len - used);
	return line;
}

static bool
read_json(struct span text, struct buf *out, struct mp_value *v)
{
	size_t at;

	return json_read(text, out, &at) == JSON_OK && mp_value(buf_view(out), v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t empty_map = 0x80;
	struct span rest = span_of(data, size);
	struct span schema_text = next_line(&rest), args_text = next_line(&rest);
	struct buf a = { .max = 1 << 20 }, b = { .max = 1 << 20 };
	struct mp_value schema, args, none;
	char said[PARAMS_PROBLEM_MAX];
	struct params p;

	mp_value(span_of(&empty_map, 1), &none);
	if (read_json(schema_text, &a, &schema) && params_read(&schema, &p) == NULL) {
		if (p.n > PARAMS_MAX || params_check(&p, &none, rest, said) != NULL)
			abort();
		if (read_json(args_text, &b, &args) && params_check(&p, &args, rest, said) == NULL &&
		    params_check(&p, &args, rest, said) != NULL)
			abort();
	}
	buf_fini(&a);
	buf_fini(&b);
	return 0;
}
