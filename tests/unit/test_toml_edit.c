// libs: carrel_project
/* test_toml_edit - a table put into, replaced in and taken out of TOML files as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "project/format/toml_edit.h"

static const char *const keys[] = { "mcp_servers", "carrel" };
static const struct toml_edit_path path = { 2, keys };

#define LINES	"[mcp_servers.carrel]\nurl = \"u\"\n"

/* Set gives with; removing that gives text again. */
static void
appends(const char *text, const char *with)
{
	struct buf out = { 0 }, back = { 0 };
	struct err err;

	assert_int_equal(toml_edit_set(span_str(text), path, SPAN(LINES), &out, &err), 0);
	assert_string_equal(buf_cstr(&out), with);
	assert_int_equal(toml_edit_remove(buf_view(&out), path, &back, &err), 0);
	if (back.len > 0 && (*text == '\0' || text[strlen(text) - 1] != '\n'))
		back.len--; /* the end of the last line was ours, which the caller knows */
	assert_string_equal(buf_cstr(&back), text);
	buf_fini(&out);
	buf_fini(&back);
}

static void
appending(void **state)
{
	(void)state;
	appends("", LINES);
	appends("a = 1\n", "a = 1\n\n" LINES);
	appends("a = 1", "a = 1\n\n" LINES);
	appends("[mcp_servers.docs]\ncommand = \"x\"\nargs = [\n  \"[mcp_servers.carrel]\", # ]\n]\n",
	    "[mcp_servers.docs]\ncommand = \"x\"\nargs = [\n  \"[mcp_servers.carrel]\", # ]\n]\n\n" LINES);
	appends("t = \"\"\"\n[mcp_servers.carrel]\n\\\"\"\"\"\"\n",
	    "t = \"\"\"\n[mcp_servers.carrel]\n\\\"\"\"\"\"\n\n" LINES);
	appends("t = '''\n[mcp_servers.carrel]\n'''\n", "t = '''\n[mcp_servers.carrel]\n'''\n\n" LINES);
	appends("[mcp_servers]\n[mcp_servers.carrel2]\n[mcp_servers.\"a.b\"]\n[[x]]\n",
	    "[mcp_servers]\n[mcp_servers.carrel2]\n[mcp_servers.\"a.b\"]\n[[x]]\n\n" LINES);
	appends("d = { mcp_servers = { carrel = 1 } } # {\n", "d = { mcp_servers = { carrel = 1 } } # {\n\n" LINES);
	appends("a = 1\r\n\r\n[b]\r\n", "a = 1\r\n\r\n[b]\r\n\n" LINES);
}

static void
becomes(const char *text, const char *with)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(toml_edit_set(span_str(text), path, SPAN(LINES), &out, &err), 0);
	assert_string_equal(buf_cstr(&out), with);
	buf_fini(&out);
}

static void
replacing(void **state)
{
	struct span lines;
	struct err err;

	(void)state;
	becomes("[mcp_servers.carrel]\nurl = \"old\"\n", LINES);
	becomes("a = 1\n[ mcp_servers . \"carrel\" ] # x\nurl = \"old\"\nargs = [\n 1,\n]\n[mcp_servers.carrel.env]\nA "
		"= \"b\"\n\n# next\n[b]\nc = 1\n",
	    "a = 1\n" LINES "\n# next\n[b]\nc = 1\n");
	becomes("['mcp_servers'.'carrel']\nurl = 1\n[z]\n", LINES "[z]\n");
	assert_int_equal(toml_edit_get(SPAN("[a]\n[mcp_servers.carrel]\nx = 1\n\n[b]\n"), path, &lines, &err), 1);
	assert_true(span_is_str(lines, "[mcp_servers.carrel]\nx = 1\n"));
	assert_int_equal(toml_edit_get(SPAN("[a]\n"), path, &lines, &err), 0);
}

static void
refusing(void **state)
{
	static const char *const texts[] = {
		"mcp_servers = { carrel = {} }\n", "[mcp_servers]\ncarrel = { url = 1 }\n", "mcp_servers.carrel.url = 1\n",
		"[mcp_servers]\ncarrel.url = 1\n", "[[mcp_servers.carrel]]\n", "[mcp_servers.carrel]\n[b]\n[mcp_servers.carrel.env]\n",
		"a = \"\n", "a = [1\n", "a = 1 ]\n", "[a\n", "= 1\n", "a\n", "\"\"\"\n", "a = '''x\n", "{}\n", "[]\n",
	};
	struct buf out = { 0 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (toml_edit_set(span_str(texts[i]), path, SPAN(LINES), &out, &err) != -1)
			fail_msg("taken: %s", texts[i]);
		assert_int_equal(out.len, 0);
	}
	buf_fini(&out);
}

/* Every prefix of a file with everything in it: read or refused, never past its end. */
static void
cut_anywhere(void **state)
{
	static const char text[] = "a = 1 # c\nb = [\"x\", 'y', [\"\"\"\nz\"\"\", '''w''']]\n[mcp_servers.carrel]\nu = "
				   "\"\\u00e9\\\\\"\n\n[\"q\".'r'.s]\n";
	struct span lines;
	struct err err;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, text, n);
		(void)toml_edit_get(span_of(copy, n), path, &lines, &err);
		free(copy);
	}
}

static void
keys_are_quoted_where_needed(void **state)
{
	struct buf out = { 0 };

	(void)state;
	toml_edit_key("carrel-a_1", &out);
	toml_edit_key("a.b", &out);
	toml_edit_key("", &out);
	assert_string_equal(buf_cstr(&out), "carrel-a_1\"a.b\"\"\"");
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appending),
		cmocka_unit_test(replacing),
		cmocka_unit_test(refusing),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(keys_are_quoted_where_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
