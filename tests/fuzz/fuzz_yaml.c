// libs: carrel_project carrel_base
/*
 * fuzz_yaml.c - any bytes: a tree that scans clean as msgpack, or a refusal with a message.  What is kept once reads as
 * what is kept each time.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mp.h"
#include "project/format/yaml.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(16u << 20);
	struct err err = { .code = ERR_NONE };
	struct buf out = { 0 }, plain = { 0 };
	const struct yaml_node *(*const parsers[])(struct arena *, struct span, struct err *) = { yaml_parse,
		yaml_parse_lean, yaml_parse_shared };

	for (size_t i = 0; i < 3; i++) {
		const struct yaml_node *root;

		arena_reset(a);
		err = (struct err){ .code = ERR_NONE };
		root = parsers[i](a, span_of(data, size), &err);
		out.len = 0;
		if (root == NULL) {
			if (err.code == ERR_NONE || err.message[0] == '\0' || (i == 1 && plain.len > 0))
				abort();
			continue;
		}
		yaml_to_mp(root, &out);
		if (mp_scan(buf_view(&out)) != MP_OK ||
		    (i == 1 && plain.len > 0 && !span_is(buf_view(&out), buf_view(&plain))))
			abort();
		if (i == 0)
			buf_span(&plain, buf_view(&out));
	}
	buf_fini(&plain);
	buf_fini(&out);
	arena_free(a);
	return 0;
}
