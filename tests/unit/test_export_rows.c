// libs: carrel_front
/* test_export_rows.c - rows as files: each kind of cell, names, and links that only their server opens. */
#include "tests/unit/harness.h"

#include "base/mp.h"
#include "front/calls/export_link.h"
#include "front/calls/export_rows.h"

static struct buf rows, out;

static int
begin(void **state)
{
	(void)state;
	rows = out = (struct buf){ .max = 0 };
	return 0;
}

static int
end(void **state)
{
	(void)state;
	buf_fini(&rows);
	buf_fini(&out);
	return 0;
}

static void
put_names(const char *const *names, size_t n)
{
	mp_put_array(&rows, n);
	for (size_t i = 0; i < n; i++)
		mp_put_cstr(&rows, names[i]);
}

/* The names, then a row with every kind of cell. */
static void
put_cells(void)
{
	static const char *const names[] = { "null", "empty", "text", "yes", "int", "most", "double", "nan", "decimal",
		"bytes", "cut" };

	mp_put_array(&rows, 2);
	put_names(names, 11);
	mp_put_array(&rows, 11);
	mp_put_nil(&rows);
	mp_put_cstr(&rows, "");
	mp_put_cstr(&rows, "=1+1, \"a\"\nb");
	mp_put_bool(&rows, true);
	mp_put_int(&rows, -9007199254740995);
	mp_put_uint(&rows, UINT64_MAX);
	mp_put_double(&rows, 1.0 / 7);
	mp_put_double(&rows, 0.0 / 0.0);
	mp_put_array(&rows, 1);
	mp_put_cstr(&rows, "12345678901234567890123456789012345678901234567890.10");
	mp_put_pairs(&rows, mp_cstr("base64", "AAEC"));
	mp_put_pairs(&rows, mp_bool("truncated", true), mp_uint("fullLength", 9), mp_cstr("start", "abc"));
}

static void
test_csv(void **state)
{
	struct export_rows e = { .format = EXPORT_CSV };

	(void)state;
	put_cells();
	assert_true(export_rows_put(&e, buf_view(&rows), &out));
	assert_buf(&out,
	    "null,empty,text,yes,int,most,double,nan,decimal,bytes,cut\r\n"
	    ",\"\",\"=1+1, \"\"a\"\"\nb\",true,-9007199254740995,18446744073709551615,0.14285714285714285,NaN,"
	    "12345678901234567890123456789012345678901234567890.10,AAEC,"
	    "\"{\"\"truncated\"\":true,\"\"fullLength\"\":9,\"\"start\"\":\"\"abc\"\"}\"\r\n");
	assert_int_equal(e.rows, 1);
	export_rows_fini(&e);
}

static void
test_json_lines(void **state)
{
	struct export_rows e = { .format = EXPORT_JSONL };

	(void)state;
	put_cells();
	assert_true(export_rows_put(&e, buf_view(&rows), &out));
	assert_buf(&out,
	    "{\"null\":null,\"empty\":\"\",\"text\":\"=1+1, \\\"a\\\"\\nb\",\"yes\":true,\"int\":\"-9007199254740995\","
	    "\"most\":\"18446744073709551615\",\"double\":0.14285714285714285,\"nan\":\"NaN\","
	    "\"decimal\":\"12345678901234567890123456789012345678901234567890.10\",\"bytes\":{\"base64\":\"AAEC\"},"
	    "\"cut\":{\"truncated\":true,\"fullLength\":9,\"start\":\"abc\"}}\n");
	export_rows_fini(&e);
}

/* A name that comes again is another key, whatever else is called so. */
static void
test_names_that_come_again(void **state)
{
	static const char *const names[] = { "n", "n", "n_2", "n", "a\"b" };
	struct export_rows e = { .format = EXPORT_JSONL };

	(void)state;
	mp_put_array(&rows, 2);
	put_names(names, 5);
	mp_put_array(&rows, 5);
	for (unsigned i = 1; i <= 5; i++)
		mp_put_uint(&rows, i);
	assert_true(export_rows_put(&e, buf_view(&rows), &out));
	assert_buf(&out, "{\"n\":1,\"n_2\":2,\"n_2_3\":3,\"n_4\":4,\"a\\\"b\":5}\n");
	export_rows_fini(&e);
}

/* A row of one cell is no empty line; no rows are the names alone; chunks go on where the one before ended. */
static void
test_few(void **state)
{
	struct export_rows e = { .format = EXPORT_CSV };

	(void)state;
	mp_put_array(&rows, 1);
	put_names((const char *const[]){ "x" }, 1);
	assert_true(export_rows_put(&e, buf_view(&rows), &out));
	assert_buf(&out, "x\r\n");
	assert_true(export_rows_put(&e, SPAN("\x91\x91\xc0"), &out));
	assert_buf(&out, "x\r\n\"\"\r\n");
	assert_int_equal(e.rows, 1);
	/* what is no row of these columns */
	assert_false(export_rows_put(&e, SPAN("\x91\x92\x01\x02"), &out));
	assert_false(export_rows_put(&e, SPAN("\x91\x01"), &out));
	assert_false(export_rows_put(&e, SPAN("\x01"), &out));
	export_rows_fini(&e);
	e = (struct export_rows){ .format = EXPORT_JSONL };
	assert_false(export_rows_put(&e, SPAN("\x91\x91\x01"), &out));
	export_rows_fini(&e);
}

static void
test_formats(void **state)
{
	(void)state;
	assert_int_equal(export_format_named(SPAN("csv")), EXPORT_CSV);
	assert_int_equal(export_format_named(SPAN("jsonl")), EXPORT_JSONL);
	assert_int_equal(export_format_named(SPAN("CSV")), EXPORT_FORMATS);
	assert_int_equal(export_format_named(SPAN("")), EXPORT_FORMATS);
}

/* Every changed character of a link is seen, and so is another server's, and a link of another purpose. */
static void
test_links(void **state)
{
	const uint8_t key[SIGNER_KEY] = { 1 }, other[SIGNER_KEY] = { 2 };
	const struct export_link link = { .owner = SPAN("user:ada\nclient\nhttps://c.example/mcp"), .grant = SPAN("g"),
		.scopes = 7, .scopes_tools = SPAN(" one "), .until_unix_s = 99, .call = SPAN("\x81\xa4name\xa1x") };
	struct export_link read;
	enum export_format format;
	struct buf path = { .max = 0 }, room = { .max = 0 };
	struct seal mine, theirs, foreign;

	(void)state;
	seal_init(&mine, SEAL_EXPORT, key);
	seal_init(&theirs, SEAL_EXPORT, other);
	seal_init(&foreign, "another purpose", key);
	buf_str(&path, EXPORT_PATH);
	assert_true(export_link_seal(&mine, &link, &path));
	buf_str(&path, ".jsonl");
	assert_true(export_link_read(&mine, buf_view(&path), &room, &read, &format));
	assert_int_equal(format, EXPORT_JSONL);
	assert_true(span_is(read.owner, link.owner) && span_is(read.grant, link.grant) &&
	    span_is(read.call, link.call) && span_is(read.scopes_tools, link.scopes_tools));
	assert_int_equal(read.scopes, 7);
	assert_int_equal(read.until_unix_s, 99);
	assert_false(export_link_read(&theirs, buf_view(&path), &room, &read, &format));
	assert_false(export_link_read(&foreign, buf_view(&path), &room, &read, &format));
	for (size_t i = 0; i + strlen(".jsonl") < path.len; i++) {
		uint8_t was = path.p[i];

		path.p[i] = was == 'A' ? 'B' : 'A';
		assert_false(export_link_read(&mine, buf_view(&path), &room, &read, &format));
		path.p[i] = was;
	}
	for (size_t n = 0; n < path.len - strlen(".jsonl"); n++) {
		struct buf cut = { .max = 0 };

		buf_append(&cut, path.p, n);
		buf_str(&cut, ".csv");
		assert_false(export_link_read(&mine, buf_view(&cut), &room, &read, &format));
		buf_fini(&cut);
	}
	assert_true(export_link_read(&mine, buf_view(&path), &room, &read, &format));
	buf_fini(&path);
	buf_fini(&room);
}

static void
test_a_long_call_has_no_link(void **state)
{
	const uint8_t key[SIGNER_KEY] = { 1 };
	struct buf call = { .max = 0 }, text = { .max = 0 };
	struct seal mine;

	(void)state;
	seal_init(&mine, SEAL_EXPORT, key);
	for (size_t i = 0; i < EXPORT_LINK_MAX; i++)
		buf_byte(&text, 'x');
	mp_put_pairs(&call, mp_str("name", buf_view(&text)));
	assert_false(export_link_seal(&mine, &(struct export_link){ .owner = SPAN("o"), .grant = SPAN(""),
	    .scopes_tools = SPAN(""), .call = buf_view(&call) }, &out));
	assert_int_equal(out.len, 0);
	buf_fini(&call);
	buf_fini(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_csv, begin, end),
		cmocka_unit_test_setup_teardown(test_json_lines, begin, end),
		cmocka_unit_test_setup_teardown(test_names_that_come_again, begin, end),
		cmocka_unit_test_setup_teardown(test_few, begin, end),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_links),
		cmocka_unit_test_setup_teardown(test_a_long_call_has_no_link, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
