// libs: carrel_project carrel_base
/* test_yaml.c - the YAML reader: what it takes, what it refuses, and with which line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mp.h"
#include "project/format/yaml.h"

static struct arena *arena;
static struct err err;

static int
setup(void **state)
{
	(void)state;
	arena = arena_new(64u << 20);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static const struct yaml_node *
parse(const char *text)
{
	return yaml_parse(arena, span_str(text), &err);
}

static void
refused(const char *text, const char *message)
{
	assert_null(parse(text));
	assert_int_equal(err.code, ERR_INVALID_ARGUMENTS);
	if (strstr(err.message, message) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
}

static void
test_tree_and_lines(void **state)
{
	const struct yaml_node *root, *node;

	(void)state;
	root = parse("# comment\nserver:\n  host: 127.0.0.1   # here\n  port: 7878\nlist:\n- a\n- 'b'\n- {x: 1}\n");
	assert_non_null(root);
	assert_int_equal(root->kind, YAML_MAPPING);
	assert_int_equal(root->n, 2);
	node = yaml_get(yaml_get(root, "server"), "host");
	assert_non_null(node);
	assert_true(span_is_str(node->text, "127.0.0.1"));
	assert_int_equal(node->line, 3);
	node = yaml_get(root, "list");
	assert_int_equal(node->kind, YAML_SEQUENCE);
	assert_int_equal(node->n, 3);
	assert_false(node->items[0].quoted);
	assert_true(node->items[1].quoted);
	assert_int_equal(node->items[2].line, 8);
	assert_true(span_is_str(yaml_get(&node->items[2], "x")->text, "1"));
	assert_null(yaml_get(root, "none"));
	assert_null(yaml_get(NULL, "none"));
}

static void
test_nulls(void **state)
{
	const struct yaml_node *root = parse("a:\nb: ~\nc: null\nd: 'null'\ne: NULL\nf: nULL\n");

	(void)state;
	assert_non_null(root);
	assert_int_equal(yaml_get(root, "a")->kind, YAML_NULL);
	assert_int_equal(yaml_get(root, "b")->kind, YAML_NULL);
	assert_int_equal(yaml_get(root, "c")->kind, YAML_NULL);
	assert_int_equal(yaml_get(root, "d")->kind, YAML_SCALAR);
	assert_int_equal(yaml_get(root, "e")->kind, YAML_NULL);
	assert_int_equal(yaml_get(root, "f")->kind, YAML_SCALAR);
	assert_int_equal(parse("")->kind, YAML_NULL);
	assert_int_equal(parse("# only a comment\n")->kind, YAML_NULL);
	assert_int_equal(parse("---\n...\n")->kind, YAML_NULL);
	assert_int_equal(parse("\xef\xbb\xbf"
			       "a: 1")
			     ->kind,
	    YAML_MAPPING);
}

static void
test_refusals(void **state)
{
	(void)state;
	refused("a: &x 1\nb: *x\n", "line 1: anchors");
	refused("<<: {a: 1}\n", "merge keys");
	refused("a: 1\nb: *x\n", "line 2: aliases");
	refused("a: &x\n  b: 1\n", "anchors");
	refused("a: &a [&b [*a, *b]]\n", "anchors");
	refused("&a a: 1\n", "anchors");
	refused("a: !!python/object:os.system x\n", "line 1: tags");
	refused("a: !!int 1\n", "tags");
	refused("a: !!map {}\n", "tags");
	refused("a: 1\nb: 2\na: 3\n", "line 3: the key \"a\" appears twice");
	refused("a: 1\n\"a\": 3\n", "line 2: the key \"a\" appears twice");
	refused("{a: {b: 1, c: 2, b: 3}}", "the key \"b\" appears twice");
	refused("a: 1\n---\nb: 1\n", "line 2: more than one document");
	refused("? [a, b]\n: 1\n", "a key must be plain text");
	refused("? {a: b}\n: 1\n", "a key must be plain text");
	refused("? \n: 1\n", "a key is empty");
	refused("<<: {a: 1}\n", "merge keys");
	refused("a: [1, 2\n", "line ");
	refused("a:\n\t- b\n", "line 2: ");
	refused("a: b: c\n", "line 1: ");
	refused("a: 'x\n", "line ");
	refused("a: \"\\q\"\n", "line 1: ");
	refused("\x01", "control characters");
	refused("%YAML 3.0\n---\na: 1\n", "line 1: ");
}

/* The text of a, whose anchors are read: {k: v} as "k=v ", lists without their brackets. */
static void
put_flat(struct buf *out, const struct yaml_node *n)
{
	if (n->kind == YAML_SCALAR || n->kind == YAML_NULL)
		buf_printf(out, "%.*s ", SPAN_FMT(n->text));
	for (size_t i = 0; i < n->n; i++) {
		if (n->keys != NULL)
			buf_printf(out, "%.*s=", SPAN_FMT(n->keys[i].text));
		put_flat(out, &n->items[i]);
	}
}

static const struct {
	const char	*text, *flat, *refused;
} shared[] = {
	{ "a: &x 1\nb: *x\n", "a=1 b=1 ", NULL },
	{ "a: &x [1, &y {k: v}]\nb: [*y, *x]\n", "a=1 k=v b=k=v 1 k=v ", NULL },
	{ "a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "a=1 b=1 c=2 d=2 ", NULL },
	{ "a: &x\nb: *x\n", "a= b= ", NULL },
	{ "&k a: 1\n*k : 2\n", NULL, "line 2: the key \"a\" appears twice" },
	{ "&k a: 1\nb: {*k : 2}\n", "a=1 b=a=2 ", NULL },
	{ "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3, r: 4}\n", "a=p=1 q=2 b=q=3 r=4 p=1 ", NULL },
	{ "a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y]}\n", "a=p=1 b=p=2 q=3 c=p=1 q=3 ", NULL },
	{ "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n", "a=p=1 b=q=2 p=1 c=q=2 p=1 ", NULL },
	{ "\"<<\": 1\n", "<<=1 ", NULL },
	{ "a: &x [1]\nb: {<<: *x}\n", NULL, "line 2: a merge key has no mapping" },
	{ "a: *x\n", NULL, "line 1: an alias means no anchor" },
	{ "a: &x [*x]\n", NULL, "line 1: an alias is within its own anchor" },
	{ "a: &x {<<: *x}\n", NULL, "line 1: an alias is within its own anchor" },
	{ "a: &x [1]\nb: {*x : 2}\n", NULL, "a key must be plain text" },
	{ "a: !t &x 1\n", NULL, "tags are not supported" },
};

static void
test_shared(void **state)
{
	struct buf deep = { 0 }, wide = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		const struct yaml_node *root = yaml_parse_shared(arena, span_str(shared[i].text), &err);
		struct buf flat = { 0 };

		if (root != NULL)
			put_flat(&flat, root);
		if (root == NULL ? shared[i].flat != NULL || strstr(err.message, shared[i].refused) == NULL :
				   shared[i].flat == NULL || strcmp(buf_cstr(&flat), shared[i].flat) != 0)
			fail_msg("%s: %s", shared[i].text, root == NULL ? err.message : buf_cstr(&flat));
		buf_fini(&flat);
	}
	/* Each anchor has the one before in it: the depth counts through aliases, and so do the nodes. */
	buf_str(&deep, "a0: &a0 [x]\n");
	buf_str(&wide, "a0: &a0 [x, x]\n");
	for (unsigned i = 1; i < 40; i++) {
		buf_printf(&deep, "a%u: &a%u [*a%u]\n", i, i, i - 1);
		buf_printf(&wide, "a%u: &a%u [*a%u, *a%u]\n", i, i, i - 1, i - 1);
	}
	assert_null(yaml_parse_shared(arena, buf_view(&deep), &err));
	assert_non_null(strstr(err.message, "nested too deeply"));
	assert_null(yaml_parse_shared(arena, buf_view(&wide), &err));
	assert_non_null(strstr(err.message, "its aliases make it larger than can be read"));
	buf_fini(&deep);
	buf_fini(&wide);
}

static void
same_trees(const struct yaml_node *a, const struct yaml_node *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->quoted, b->quoted);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->n, b->n);
	assert_true(span_is(a->text, b->text));
	for (size_t i = 0; i < a->n; i++) {
		if (a->keys != NULL) {
			assert_true(span_is(a->keys[i].text, b->keys[i].text));
			assert_int_equal(a->keys[i].quoted, b->keys[i].quoted);
			assert_int_equal(b->keys[i].line, 0);
		}
		same_trees(&a->items[i], &b->items[i]);
	}
}

/* What is kept once reads as what is kept each time: drawn columns of tables, some with keys that others lack. */
static void
test_lean(void **state)
{
	static const char *const keys[] = { "name", "type", "'type'", "pk", "descriptions", "n" };
	const struct yaml_node *plain, *lean, *tables;
	struct buf text = { 0 };
	unsigned seed = 1;

	(void)state;
	buf_str(&text, "tables:\n");
	for (unsigned i = 0; i < 3000; i++) {
		buf_printf(&text, "  t%u:\n    - {name: id, type: number}\n    -\n", i);
		seed = seed * 1103515245 + 12345;
		for (unsigned k = 0; k < 6; k++)
			if ((seed >> (16 + k) & 1) != 0 && !(k == 2 && (seed >> 17 & 1) != 0))
				buf_printf(&text, "      %s%.*u: \"c%u %s\"\n", keys[k], k == 5 ? 4 : 0, k == 5 ? i : 0,
				    i % 90, k == 4 ? "a text that is too long to be kept once in any case" : "");
	}
	plain = yaml_parse(arena, buf_view(&text), &err);
	lean = yaml_parse_lean(arena, buf_view(&text), &err);
	assert_non_null(plain);
	assert_non_null(lean);
	same_trees(plain, lean);
	tables = yaml_get(lean, "tables");
	assert_ptr_equal(tables->items[7].items[0].keys, tables->items[8].items[0].keys);
	assert_ptr_equal(tables->items[7].items[0].items[1].text.p, tables->items[8].items[0].items[1].text.p);
	assert_null(yaml_parse_lean(arena, SPAN("- {a: 1, b: 2}\n- {a: 1, b: 2}\n- {a: 1,\n  a: 2}\n"), &err));
	assert_non_null(strstr(err.message, "line 4: the key \"a\" appears twice"));
	buf_fini(&text);
}

static void
test_bytes(void **state)
{
	static const char nul[] = "a: \0b\n";

	(void)state;
	assert_null(yaml_parse(arena, span_of(nul, sizeof(nul) - 1), &err));
	refused("a: 1\nb: 2\nc: \xff\xfe\n", "line 3: the text is not valid UTF-8");
	refused("a: 1\nb: \x01\n", "line 2: control characters");
	refused("a: \xc0\xaf\n", "UTF-8");
	refused("a: \xed\xa0\x80\n", "UTF-8");
	/* UTF-16 with its byte-order mark is bytes like any other: not UTF-8. */
	assert_null(yaml_parse(arena,
	    span_of("\xff\xfe"
		    "a\0:\0 \0b\0",
		10),
	    &err));
	/* An escaped NUL is text, but never a C string. */
	const struct yaml_node *root = parse("a: \"x\\0y\"\n");
	assert_non_null(root);
	assert_int_equal(yaml_get(root, "a")->text.len, 3);
	assert_null(yaml_cstr(arena, yaml_get(root, "a")));
}

static void
test_limits(void **state)
{
	struct buf b = { 0 };
	const struct yaml_node *root;

	(void)state;
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		buf_str(&b, "[");
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		buf_str(&b, "]");
	root = yaml_parse(arena, buf_view(&b), &err);
	assert_non_null(root);
	buf_reset(&b, SIZE_MAX);
	for (int i = 0; i < 100000; i++)
		buf_str(&b, "[");
	assert_null(yaml_parse(arena, buf_view(&b), &err));
	assert_non_null(strstr(err.message, "nested too deeply"));
	buf_reset(&b, SIZE_MAX);
	for (int i = 0; i < 100000; i++)
		buf_str(&b, "- ");
	assert_null(yaml_parse(arena, buf_view(&b), &err));
	buf_reset(&b, SIZE_MAX);
	buf_str(&b, "[");
	for (int i = 0; i < YAML_NODES_MAX; i++)
		buf_str(&b, "1,\n");
	buf_str(&b, "]");
	assert_null(yaml_parse(arena, buf_view(&b), &err));
	assert_non_null(strstr(err.message, "holds more than can be read"));
	buf_reset(&b, SIZE_MAX);
	while (b.len <= YAML_BYTES_MAX)
		buf_str(&b, "# a long comment, over and over again, to make it large\n");
	assert_null(yaml_parse(arena, buf_view(&b), &err));
	assert_non_null(strstr(err.message, "larger than"));
	buf_fini(&b);
}

static void
test_many_keys(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "key%d: %d\n", i, i);
	assert_non_null(yaml_parse(arena, buf_view(&b), &err));
	buf_str(&b, "key5: again\n");
	assert_null(yaml_parse(arena, buf_view(&b), &err));
	assert_non_null(strstr(err.message, "line 100001: the key \"key5\" appears twice"));
	buf_fini(&b);
}

static void
test_full_arena(void **state)
{
	struct arena *small = arena_new(256);

	(void)state;
	assert_null(yaml_parse(small, span_str("a: [1,2,3,4,5,6,7,8,9,10,11,12,13,14]\n"), &err));
	assert_non_null(strstr(err.message, "more than can be read"));
	arena_free(small);
}

static void
test_bool(void **state)
{
	const struct yaml_node *root = parse("[true, False, yes, NO, on, Off, 'true', tRUE, 1, ~, y]");
	static const int want[] = { 1, 0, 1, 0, 1, 0, -1, -1, -1, -1, -1 };

	(void)state;
	assert_non_null(root);
	for (size_t i = 0; i < root->n; i++) {
		bool v = false;
		int got = yaml_bool(&root->items[i], &v) ? v : -1;

		assert_int_equal(got, want[i]);
	}
}

static void
test_uint(void **state)
{
	const struct yaml_node *root = parse("[0, 7878, +5, 012, 0x1F, 0o17, 18446744073709551615, "
					     "18446744073709551616, -1, 1.0, '5', 1e3, 0x, 1_000, abc, '']");
	static const long long want[] = { 0, 7878, 5, 12, 31, 15, -1, -2, -2, -2, -2, -2, -2, -2, -2, -2 };

	(void)state;
	assert_non_null(root);
	for (size_t i = 0; i < root->n; i++) {
		unsigned long long v = 0;
		bool ok = yaml_uint(&root->items[i], &v);

		assert_int_equal(ok ? (long long)v : -2, want[i]);
	}
}

static void
mp_of(const char *text, const char *want, size_t len)
{
	struct buf b = { 0 };
	const struct yaml_node *root = parse(text);

	assert_non_null(root);
	yaml_to_mp(root, &b);
	assert_int_equal(b.len, len);
	assert_memory_equal(b.p, want, len);
	assert_int_equal(mp_scan(buf_view(&b)), MP_OK);
	buf_fini(&b);
}

#define MP_OF(text, want)	mp_of((text), (want), sizeof(want) - 1)

static void
test_to_mp(void **state)
{
	(void)state;
	MP_OF("{a: 1, b: [true, ~, x]}",
	    "\x82\xa1"
	    "a\x01\xa1"
	    "b\x93\xc3\xc0\xa1x");
	MP_OF("[-5, '5', 0x10, yes]",
	    "\x94\xfb\xa1"
	    "5\x10\xa3yes");
	MP_OF("1.5", "\xcb\x3f\xf8\0\0\0\0\0\0");
	MP_OF("[.5, 5., -1e3]", "\x93\xcb\x3f\xe0\0\0\0\0\0\0\xcb\x40\x14\0\0\0\0\0\0\xcb\xc0\x8f\x40\0\0\0\0\0");
	MP_OF("-.inf", "\xcb\xff\xf0\0\0\0\0\0\0");
	MP_OF("[., e5, 1e, 2024-01-01, 1.2.3, -]",
	    "\x96\xa1.\xa2"
	    "e5\xa2"
	    "1e\xaa"
	    "2024-01-01\xa5"
	    "1.2.3\xa1-");
	MP_OF("|\n  text\n", "\xa5text\n");
	MP_OF("!!str 12",
	    "\xa2"
	    "12");
}

int
main(void)
{
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_tree_and_lines), T(test_nulls), T(test_refusals), T(test_shared), T(test_lean), T(test_limits),
		T(test_tree_and_lines), T(test_nulls), T(test_refusals), T(test_bytes), T(test_limits),
		T(test_many_keys), T(test_full_arena), T(test_bool), T(test_uint), T(test_to_mp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
