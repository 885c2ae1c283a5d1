// libs: carrel_import
/*
 * fuzz_lookml.c - any bytes as a file of LookML, or as a filter expression (the first byte says which, and of what
 * type): a tree or a refusal with a line; a condition that is whole SQL with nothing in it but x, or a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/sqltext.h"
#include "tests/fuzz/fuzz.h"
#include "workers/import/knowledge/looker_filters.h"
#include "workers/import/knowledge/lookml_text.h"

static void
check_tree(const struct yaml_node *n, unsigned depth)
{
	if (depth > LOOKML_DEPTH_MAX + 1 || (n->kind == YAML_MAPPING && n->n > 0 && n->keys == NULL))
		abort();
	for (size_t i = 0; n->kind != YAML_SCALAR && i < n->n; i++)
		check_tree(&n->items[i], depth + 1);
}

static void
check_condition(struct span condition)
{
	static const char *const words[] = { "x", "is", "null", "not", "or", "and", "length", "substr", "replace",
		NULL };
	struct sqltext s = { SQLTEXT_PLAIN, condition, 0 };
	struct sqltext_token t;
	int depth = 0;

	while ((t = sqltext_next(&s)).kind != SQLTEXT_END) {
		depth += sqltext_is_punct(&t, '(') - sqltext_is_punct(&t, ')');
		if (t.kind == SQLTEXT_BROKEN || t.kind == SQLTEXT_QUOTED || sqltext_is_punct(&t, ';') || depth < 0 ||
		    (t.kind == SQLTEXT_WORD && !span_is_any(t.text, words)))
			abort();
	}
	if (depth != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .code = ERR_NONE };
	struct arena *a;
	struct buf out = { 0 };
	const struct yaml_node *root;
	struct span text;

	if (size < 1)
		return 0;
	text = span_of(data + 1, size - 1);
	if ((data[0] & 4) != 0) {
		a = arena_new((size_t)1 << 28);
		if ((root = lookml_parse(a, text, &err)) != NULL)
			check_tree(root, 0);
		else if (strncmp(err.message, "line ", 5) != 0)
			abort();
		arena_free(a);
	} else if (looker_filter((enum looker_type)(data[0] & 3), text, SPAN("x"), &out) == NULL && out.len > 0)
		check_condition(buf_view(&out));
	buf_fini(&out);
	return 0;
}
