// libs: carrel_project carrel_base
/* test_config_edit - connections added to and taken from carrel.yaml, everything else byte for byte as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "project/config/config_edit.h"

static const struct config_edit_value sqlite[] = {
	{ .key = "driver", .text = "sqlite" },
	{ .key = "path", .text = "a b/x.db" },
};

static void
adds(const char *text, const char *expected)
{
	struct buf out = { 0 };
	struct err err = { 0 };

	if (config_edit_add(span_str(text), "new", sqlite, 2, &out, &err) != 0)
		fail_msg("%s", err.message);
	assert_string_equal(buf_cstr(&out), expected);
	buf_fini(&out);
}

static void
removes(const char *id, const char *text, const char *expected)
{
	struct buf out = { 0 };
	struct err err = { 0 };

	if (config_edit_remove(span_str(text), id, &out, &err) != 0)
		fail_msg("%s", err.message);
	assert_string_equal(buf_cstr(&out), expected);
	buf_fini(&out);
}

static void
add_refused(const char *text, const char *why)
{
	struct buf out = { 0 };
	struct err err = { 0 };

	buf_str(&out, "before");
	assert_int_equal(config_edit_add(span_str(text), "new", sqlite, 2, &out, &err), -1);
	if (strstr(err.message, why) == NULL)
		fail_msg("\"%s\" lacks \"%s\"", err.message, why);
	assert_string_equal(buf_cstr(&out), "before");
	buf_fini(&out);
}

#define NEW	"  new:\n    driver: sqlite\n    path: a b/x.db\n"

static void
adding_to_nothing(void **state)
{
	(void)state;
	adds("", "connections:\n" NEW);
	adds("# only a comment\n", "# only a comment\nconnections:\n" NEW);
	adds("connections: {}\n", "connections:\n" NEW);
	adds("connections: {}  # why\nserver:\n  port: 1\n", "connections:  # why\n" NEW "server:\n  port: 1\n");
	adds("connections:\n", "connections:\n" NEW);
	adds("server: {port: 1}", "server: {port: 1}\nconnections:\n" NEW);
}

static void
adding_behind_the_others(void **state)
{
	(void)state;
	adds("connections:\n  a: {driver: sqlite, path: a.db}\n",
	    "connections:\n  a: {driver: sqlite, path: a.db}\n" NEW);
	adds("# top\nconnections: # here\n  # of a\n  a:\n    driver: sqlite # x\n    # end of a\n\n# "
	     "server's\nserver:\n  port: 1\n",
	    "# top\nconnections: # here\n  # of a\n  a:\n    driver: sqlite # x\n    # end of a\n" NEW
	    "\n# server's\nserver:\n  port: 1\n");
	/* The others' indentation is taken up. */
	adds("connections:\n    a:\n        driver: sqlite\n",
	    "connections:\n    a:\n        driver: sqlite\n    new:\n      driver: sqlite\n      path: a b/x.db\n");
}

static void
adding_is_refused(void **state)
{
	(void)state;
	add_refused("connections:\n  new: {driver: sqlite}\n", "already");
	add_refused("connections: {a: {driver: sqlite}}\n", "in braces");
	add_refused("connections: [a]\n", "no mapping");
	add_refused("- a\n", "no YAML mapping");
	add_refused("a: [\n", "line");
}

static void
values_are_quoted_where_needed(void **state)
{
	static const char *const list[] = { "public", "a,b", "no" };
	const struct config_edit_value values[] = {
		{ .key = "host", .text = "off" }, { .key = "user", .text = "a: b #c" }, { .key = "port", .text = "5432" },
		{ .key = "url", .text = "env:URL" }, { .key = "password", .text = "\"\\\n" },
		{ .key = "schemas", .n = 3, .list = (const char **)(uintptr_t)list },
	};
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(config_edit_add(SPAN(""), "new", values, 6, &out, &err), 0);
	assert_string_equal(buf_cstr(&out),
	    "connections:\n  new:\n    host: \"off\"\n    user: \"a: b #c\"\n"
	    "    port: 5432\n    url: env:URL\n    password: \"\\\"\\\\\\n\"\n    schemas: [public, \"a,b\", "
	    "\"no\"]\n");
	buf_fini(&out);
}

static void
changing(void **state)
{
	static const char file[] =
	    "# top\nconnections:\n  a:\n    driver: postgres   # the server\n    url: env:A # why: a\n"
	    "    schemas:\n      - public\n      - sales\n    # last\n    workers: 2\n\n  # about b\n  b:\n    driver: "
	    "sqlite\nserver: {port: 1}\n";
	static const char *const list[] = { "one", "two" };
	const struct config_edit_value values[] = {
		{ .key = "url", .text = "env:B" }, { .key = "schemas", .n = 2, .list = (const char **)(uintptr_t)list },
		{ .key = "workers" }, { .key = "host" }, { .key = "user", .text = "reader" },
	};
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(config_edit_set(SPAN(file), "a", values, 5, &out, &err), 0);
	assert_string_equal(buf_cstr(&out),
	    "# top\nconnections:\n  a:\n    driver: postgres   # the server\n    url: env:B # why: a\n"
	    "    schemas: [one, two]\n    # last\n    user: reader\n\n  # about b\n  b:\n    driver: sqlite\nserver: "
	    "{port: 1}\n");
	buf_reset(&out, SIZE_MAX);
	assert_int_equal(config_edit_set(SPAN(file), "c", values, 5, &out, &err), -1);
	assert_int_equal(err.code, ERR_CONNECTION_NOT_FOUND);
	assert_int_equal(config_edit_set(SPAN("connections:\n  a: {driver: sqlite}\n"), "a", values, 1, &out, &err),
	    -1);
	assert_int_equal(config_edit_set(SPAN("connections:\n  a:\n    url: \"x # y\" # z\n"), "a", values, 1, &out,
			     &err),
	    0);
	assert_string_equal(buf_cstr(&out), "connections:\n  a:\n    url: env:B\n");
	buf_fini(&out);
}

static void
removing(void **state)
{
	static const char three[] = "# top\nconnections:\n  # about a\n  a: {driver: sqlite}\n\n  # about b\n  b:\n"
				    "    driver: sqlite\n  c:\n    driver: sqlite\n\n# tail\nserver:\n  port: 1\n";
	struct buf out = { 0 };
	struct err err;

	(void)state;
	removes("a", three,
	    "# top\nconnections:\n\n  # about b\n  b:\n    driver: sqlite\n  c:\n    driver: sqlite\n"
	    "\n# tail\nserver:\n  port: 1\n");
	removes("b", three,
	    "# top\nconnections:\n  # about a\n  a: {driver: sqlite}\n\n  c:\n    driver: sqlite\n"
	    "\n# tail\nserver:\n  port: 1\n");
	removes("c", three,
	    "# top\nconnections:\n  # about a\n  a: {driver: sqlite}\n\n  # about b\n  b:\n"
	    "    driver: sqlite\n\n# tail\nserver:\n  port: 1\n");
	removes("a", "connections:\n  a: {driver: sqlite}\nserver: {port: 1}\n",
	    "connections: {}\nserver: {port: 1}\n");
	assert_int_equal(config_edit_remove(SPAN("connections: {}\n"), "a", &out, &err), -1);
	assert_int_equal(err.code, ERR_CONNECTION_NOT_FOUND);
	assert_int_equal(config_edit_remove(SPAN("server: {port: 1}\n"), "a", &out, &err), -1);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adding_to_nothing),
		cmocka_unit_test(adding_behind_the_others),
		cmocka_unit_test(adding_is_refused),
		cmocka_unit_test(values_are_quoted_where_needed),
		cmocka_unit_test(changing),
		cmocka_unit_test(removing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
