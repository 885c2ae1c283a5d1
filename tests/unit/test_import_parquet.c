// libs: carrel_import
/* test_import_parquet.c - what the parser of Parquet files sends becomes a table, or a refusal that changes nothing. */
#include "base/mp.h"
#include "tests/unit/import_files.h"

static struct buf stream;

/* Adds a frame with the value in JSON's manner: s text, n nil, b bytes, u number, f/t flags, [ an array of the rest. */
static void
put_frame(const char *shape, ...)
{
	struct buf value = { 0 };
	va_list texts;

	va_start(texts, shape);
	for (const char *p = shape; *p != '\0'; p++)
		if (*p == '[')
			mp_put_array(&value, strlen(p + 1));
		else if (*p == 's')
			mp_put_cstr(&value, va_arg(texts, const char *));
		else if (*p == 'b')
			mp_put_bin(&value, span_str(va_arg(texts, const char *)));
		else if (*p == 'u')
			mp_put_uint(&value, va_arg(texts, unsigned));
		else if (*p == 'n')
			mp_put_nil(&value);
		else
			mp_put_bool(&value, *p == 't');
	va_end(texts);
	for (size_t i = 0; i < 4; i++)
		buf_byte(&stream, (uint8_t)(value.len >> 8 * i));
	buf_span(&stream, buf_view(&value));
	buf_fini(&value);
}

static int
import_stream(struct import job, struct err *err)
{
	int result;

	job.format = IMPORT_PARQUET;
	result = import_job(job, buf_cstr(&stream), stream.len, err);
	buf_fini(&stream);
	return result;
}

static void
refuse(const char *says, struct import job)
{
	struct err err = { .message = "" };

	assert_int_equal(import_stream(job, &err), -1);
	if (strstr(err.message, says) == NULL)
		fail_msg("\"%s\" is not in: %s", says, err.message);
	assert_string_equal(query("SELECT count(*) FROM sqlite_schema"), "0\n");
}

static void
lies_are_refused(void **state)
{
	const struct import plain = { .strict = false };

	(void)state;
	refuse("did not begin", plain);
	put_frame("s", "a\x1b[31mfile");
	refuse("a [31mfile", plain);
	put_frame("[ussf", 2u, "a", "INTEGER");
	put_frame("[s", "1");
	refuse("before the end of the 2 rows", plain);
	put_frame("[ussf", 1u, "a", "INTEGER");
	put_frame("[s", "1");
	put_frame("[s", "2");
	refuse("behind the last of the 1 rows", plain);
	put_frame("[ussf", 1u, "a", "INTEGER");
	put_frame("[s", "1");
	stream.len--;
	refuse("ended early", plain);
	put_frame("[ussf", 1u, "a", "INTEGER");
	buf_append(&stream, "\xff\xff\xff\xff", 4);
	refuse("ended early", plain);
	put_frame("[ussf", 1u, "a", "INTEGER");
	put_frame("s", "a page is damaged");
	refuse("a page is damaged", plain);
	put_frame("[ussf", 0u, "a", "TEXT); DROP TABLE t; --");
	refuse("no table", plain);
	put_frame("[uss", 0u, "a", "TEXT");
	refuse("no table", plain);
	put_frame("[ussf", 1u, "a", "TEXT");
	put_frame("n");
	refuse("line 1: it is longer than 16 MB", (struct import){ .strict = true });
	refuse("--type means nothing", (struct import){ .types = (const char *const[]){ "a=text" }, .ntypes = 1 });
}

static void
types_are_those_of_the_file(void **state)
{
	struct err err = { .message = "" };

	(void)state;
	put_frame("[ussfssfssfssfsst", 4u, "i", "INTEGER", "d", "DECIMAL(12,2)", "r", "REAL", "b", "BLOB", "t", "TEXT");
	put_frame("[sssbs", "9223372036854775807", "12.50", "0.1", "xy", "0012");
	put_frame("n");
	put_frame("[nssns", "-3", "NaN", "NaN");
	put_frame("[nsnnn", "10000000000000001.00");
	assert_int_equal(import_stream((struct import){ .strict = false }, &err), 0);
	assert_string_equal(query("SELECT * FROM t"),
	    "9223372036854775807|12.5|0.1|xy|0012\n~|-3|~|~|NaN\n"
	    "~|10000000000000001|~|~|~\n");
	assert_string_equal(query("SELECT typeof(i), typeof(d), typeof(b), typeof(t) FROM t LIMIT 1"),
	    "integer|real|blob|text\n");
	assert_non_null(strstr(query("SELECT sql FROM sqlite_schema"),
	    "\"d\" DECIMAL(12,2),\"r\" REAL,\"b\" BLOB,\"t\" TEXT"));
	assert_non_null(strstr(report, "\"rows\":{\"read\":4,\"taken\":3,\"rejected\":1}"));
	assert_non_null(strstr(report, "\"name\":\"d\",\"type\":\"DECIMAL(12,2)\""));
	assert_non_null(strstr(report, "{\"line\":2,\"column\":null,\"reason\":\"it is longer than 16 MB\"}"));
	assert_non_null(strstr(report, "\"column\":\"t\",\"note\":\"it is TEXT, since no number"));
	assert_non_null(strstr(report, "NaN is NULL in the table; of such values there were 1\""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(types_are_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
