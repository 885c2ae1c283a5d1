// libs: carrel_project carrel_base
/*
 * fuzz_source.c - several files in one input, divided by 0xff: put, composed,
 * written, replaced and removed in any order.  What is written reads back.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "project/model/source.h"
#include "tests/fuzz/fuzz.h"

static const char *const paths[] = { "_schema/a.yaml", "b.yaml", "c.yaml", "_schema/d.yaml" };

static void
changed(void *arg, const struct source *before, const struct source *after)
{
	size_t *n = arg;

	/* Both must still be readable here. */
	*n += before != NULL ? strlen(before->name) + before->ncolumns : 0;
	*n += after != NULL ? strlen(after->name) + after->nmeasures : 0;
}

static void
write_all(const struct source_set *set)
{
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);
		struct arena *a = arena_new(64u << 20);
		struct buf yaml = { 0 }, mp = { 0 };
		struct err err;

		if (source_set_get(set, span_str(s->name)) != s)
			abort();
		source_set_yaml(set, s, &yaml);
		if (yaml_parse(a, buf_view(&yaml), &err) == NULL)
			abort();
		source_mp(s, &mp);
		if (mp_scan(buf_view(&mp)) != MP_OK)
			abort();
		buf_fini(&yaml);
		buf_fini(&mp);
		arena_free(a);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_set *set = source_set_new();
	size_t at = 0, n = 0;

	for (unsigned i = 0; at < size && i < 12; i++) {
		const uint8_t *end = memchr(data + at, 0xff, size - at);
		size_t len = end == NULL ? size - at : (size_t)(end - (data + at));

		if (len == 1 && data[at] == '-')
			source_set_remove(set, paths[i % 4]);
		else
			(void)source_set_put(set, paths[i % 4], span_of(data + at, len), NULL);
		if (i % 3 == 2)
			source_set_compose(set, changed, &n);
		at += len + 1;
	}
	source_set_compose(set, changed, &n);
	write_all(set);
	for (size_t i = 0; i < source_set_troubles(set); i++)
		if (source_set_trouble(set, i).reason[0] == '\0')
			abort();
	source_set_free(set);
	return 0;
}
