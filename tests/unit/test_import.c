// libs: carrel_import
/* test_import.c - files of all formats as tables: what is found out about them, what is kept, what is refused. */
#include <fcntl.h>

#include "tests/unit/import_files.h"

static const struct good good[] = {
	{ .what = "plain",
	    .text = "id,name\n1,Ada\n2,Bob\n",
	    .columns = "id INTEGER|name TEXT", .rows = "1|Ada\n2|Bob\n", .report = "\"read\":2,\"taken\":2"
	    ",\"rejected\":0" },
	{ .what = "no end of the last line",
	    .text = "id,name\n1,Ada\n2,Bob",
	    .columns = "id INTEGER|name TEXT", .rows = "1|Ada\n2|Bob\n" },
	{ .what = "CRLF, quotes, newlines within",
	    .text = "id,note\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n2,d\r\n",
	    .columns = "id INTEGER|note TEXT", .rows = "1|a, \"b\"\r\nc\n2|d\n" },
	{ .what = "CR alone",
	    .text = "id,x\r1,2\r3,4\r",
	    .columns = "id INTEGER|x INTEGER", .rows = "1|2\n3|4\n" },
	{ .what = "semicolons, decimal commas",
	    .text = "a;b;c\n1,5;1.234,5;x\n2,25;7;y\n",
	    .columns = "a REAL|b REAL|c TEXT", .rows = "1.5|1234.5|x\n2.25|7.0|y\n" },
	{ .what = "a point groups where a comma is decimal",
	    .text = "p;q\n1,5;1.234\n2,5;5.678\n",
	    .columns = "p REAL|q INTEGER", .rows = "1.5|1234\n2.5|5678\n" },
	{ .what = "a point is decimal otherwise",
	    .text = "p,q\n1.5,1.234\n2.5,5.678\n",
	    .columns = "p REAL|q REAL", .rows = "1.5|1.234\n2.5|5.678\n" },
	{ .what = "thousands",
	    .text = "a\tb\n1,234,567.5\tx\n12\ty\n",
	    .columns = "a REAL|b TEXT", .rows = "1234567.5|x\n12.0|y\n" },
	{ .what = "tabs and quotes",
	    .text = "a\tb\n\"1\t2\"\t3\nx\t4\n",
	    .columns = "a TEXT|b INTEGER", .rows = "1\t2|3\nx|4\n", .format = IMPORT_TSV },
	{ .what = "pipes",
	    .text = "a|b|c\n1|2|x\n3|4|y\n",
	    .columns = "a INTEGER|b INTEGER|c TEXT", .rows = "1|2|x\n3|4|y\n" },
	{ .what = "no header",
	    .text = "1,2\n3,4\n5,6\n",
	    .columns = "column_1 INTEGER|column_2 INTEGER", .rows = "1|2\n3|4\n5|6\n" },
	{ .what = "texts with a header",
	    .text = "city,country\nBonn,Germany\nParis,France\n",
	    .columns = "city TEXT|country TEXT", .rows = "Bonn|Germany\nParis|France\n" },
	{ .what = "texts without one",
	    .text = "red,apple\ngreen,red\nred,pear\nblue,red\n",
	    .columns = "column_1 TEXT|column_2 TEXT", .rows = "red|apple\ngreen|red\nred|pear\nblue|red\n" },
	{ .what = "zip codes stay texts",
	    .text = "zip,n\n01069,1\n10115,2\n",
	    .columns = "zip TEXT|n INTEGER", .rows = "01069|1\n10115|2\n" },
	{ .what = "telephone numbers stay texts",
	    .text = "tel,n\n+4930123,1\n+4940456,2\n",
	    .columns = "tel TEXT|n INTEGER", .rows = "+4930123|1\n+4940456|2\n" },
	{ .what = "beyond 64 bits",
	    .text = "n,x\n9223372036854775807,1\n9223372036854775808,2\n",
	    .columns = "n TEXT|x INTEGER", .rows = "9223372036854775807|1\n9223372036854775808|2\n" },
	{ .what = "64 bits",
	    .text = "n\n9223372036854775807\n-9223372036854775808\n",
	    .columns = "n INTEGER", .rows = "9223372036854775807\n-9223372036854775808\n" },
	{ .what = "more digits than a double has",
	    .text = "n,x\n0.1234567890123456789,1\n1.5,2\n",
	    .columns = "n TEXT|x INTEGER", .rows = "0.1234567890123456789|1\n1.5|2\n" },
	{ .what = "exponents",
	    .text = "v,x\n1e9,a\n2.5E-3,b\n",
	    .columns = "v REAL|x TEXT", .rows = "1000000000.0|a\n0.0025|b\n" },
	{ .what = "flags",
	    .text = "a,b,c\ntrue,yes,1\nFALSE,no,0\n",
	    .columns = "a BOOLEAN|b BOOLEAN|c INTEGER", .rows = "1|1|1\n0|0|0\n" },
	{ .what = "nothing",
	    .text = "a,b,c\n1,,x\n,NULL,\"\"\n3,2.5,NA\n",
	    .columns = "a INTEGER|b REAL|c TEXT", .rows = "1|~|x\n~|~|\n3|2.5|NA\n" },
	{ .what = "ISO days",
	    .text = "d,x\n2024-02-29,1\n2023-12-31,2\n",
	    .columns = "d DATE|x INTEGER", .rows = "2024-02-29|1\n2023-12-31|2\n" },
	{ .what = "no such day",
	    .text = "d,x\n2023-02-29,1\n2023-12-31,2\n",
	    .columns = "d TEXT|x INTEGER", .rows = "2023-02-29|1\n2023-12-31|2\n" },
	{ .what = "German days",
	    .text = "d;x\n29.02.2024;1\n1.3.2024;2\n",
	    .columns = "d DATE|x INTEGER", .rows = "2024-02-29|1\n2024-03-01|2\n" },
	{ .what = "the 13th tells day from month",
	    .text = "d,x\n03/04/2024,1\n13/04/2024,2\n",
	    .columns = "d DATE|x INTEGER", .rows = "2024-04-03|1\n2024-04-13|2\n" },
	{ .what = "American days",
	    .text = "d,x\n03/04/2024,1\n03/14/2024,2\n",
	    .columns = "d DATE|x INTEGER", .rows = "2024-03-04|1\n2024-03-14|2\n" },
	{ .what = "nobody can say",
	    .text = "d,x\n03/04/2024,1\n05/06/2024,2\n",
	    .columns = "d TEXT|x INTEGER", .rows = "03/04/2024|1\n05/06/2024|2\n" },
	{ .what = "month by name",
	    .text = "d,x\n29-Feb-2024,1\n01-Mar-2024,2\n",
	    .columns = "d DATE|x INTEGER", .rows = "2024-02-29|1\n2024-03-01|2\n" },
	{ .what = "times",
	    .text = "t,x\n2024-02-29T13:05:06.25,1\n2024-03-01 00:00,2\n",
	    .columns = "t TIMESTAMP|x INTEGER", .rows = "2024-02-29 13:05:06.25|1\n2024-03-01 00:00:00|2\n" },
	{ .what = "times with zones are UTC",
	    .text = "t,x\n2024-03-01T01:30:00+02:00,1\n2024-12-31T23:00:00-0200,2\n2024-01-01T00:00:00Z,3\n",
	    .columns = "t TIMESTAMP|x INTEGER", .rows = "2024-02-29 23:30:00Z|1\n2025-01-01 01:00:00Z|2\n202"
	    "4-01-01 00:00:00Z|3\n" },
	{ .what = "some days without a time",
	    .text = "t,x\n2024-02-29 13:05,1\n2024-03-01,2\n",
	    .columns = "t TIMESTAMP|x INTEGER", .rows = "2024-02-29 13:05:00|1\n2024-03-01 00:00:00|2\n" },
	{ .what = "Latin-1",
	    .text = "name;x\nM\xfcller;1\nStra\xdf" "e;2\n",
	    .columns = "name TEXT|x INTEGER", .rows = "Müller|1\nStraße|2\n" },
	{ .what = "Windows-1252",
	    .text = "p;x\n5 \x80;1\n\x84zu\x93;2\n",
	    .columns = "p TEXT|x INTEGER", .rows = "5 €|1\n„zu“|2\n" },
	{ .what = "UTF-8 with its mark",
	    .text = "\xef\xbb\xbfn\xc3\xa4me,x\n\xc3\xa4,1\n",
	    .columns = "näme TEXT|x INTEGER", .rows = "ä|1\n" },
	{ .what = "UTF-16",
	    .text = "\xff\xfe" "a\0,\0b\0\n\0" "1\0,\0\xac\x20\n\0",
	    .columns = "a INTEGER|b TEXT", .rows = "1|€\n", .len = 18 },
	{ .what = "names",
	    .text = "a,A,, b \n1,2,3,4\n5,6,7,8\n",
	    .columns = "a INTEGER|A_2 INTEGER|column_3 INTEGER|b INTEGER", .rows = "1|2|3|4\n5|6|7|8\n" },
	{ .what = "lines before the table",
	    .text = "Report of sales\ncreated 2024\n\nid,name,x\n1,Ada,2\n2,Bob,3\n3,Cy,4\n",
	    .columns = "id INTEGER|name TEXT|x INTEGER", .rows = "1|Ada|2\n2|Bob|3\n3|Cy|4\n" },
	{ .what = "delimiters at the end",
	    .text = "a,b,\n1,2,\n3,4,\n",
	    .columns = "a INTEGER|b INTEGER|column_3 TEXT", .rows = "1|2|~\n3|4|~\n" },
	{ .what = "a header alone",
	    .text = "a,b\n",
	    .columns = "a TEXT|b TEXT", .rows = "" },
	{ .what = "blank lines",
	    .text = "a,b\n\n1,2\n\n\n3,4\n\n",
	    .columns = "a INTEGER|b INTEGER", .rows = "1|2\n3|4\n" },
	{ .what = "one column",
	    .text = "name\nAda\nBob\n",
	    .columns = "name TEXT", .rows = "Ada\nBob\n" },
	{ .what = "too many and too few fields",
	    .text = "a,b\n1,2\n3\n4,5,6\n7,8\n",
	    .columns = "a INTEGER|b INTEGER", .rows = "1|2\n7|8\n", .report = "\"read\":4,\"taken\":2,\"reje"
	    "cted\":2},\"columns\":[{\"name\":\"a\",\"type\":\"INTEGER\"},{\"name\":\"b\",\"type\":\"INTEGE"
	    "R\"}],\"rejects\":["
	    "{\"line\":3,\"column\":null,\"reason\":\"it has fewer fields than there are columns\"},"
	    "{\"line\":4,\"column\":null,\"reason\":\"it has more fields than there are columns\"}]" },
	{ .what = "a quote that nobody closes",
	    .text = "a,b\n1,2\n3,\"x\n4,5\n6,7\n",
	    .columns = "a INTEGER|b INTEGER", .rows = "1|2\n4|5\n6|7\n", .report = "{\"line\":3,\"column\":n"
	    "ull,\"reason\":\"a quote is opened that is never closed\"}" },
	{ .what = "JSON lines",
	    .text = "{\"id\":1,\"name\":\"Ada\"}\n{\"id\":2,\"name\":null,\"more\":true}\n",
	    .columns = "id INTEGER|name TEXT|more BOOLEAN", .rows = "1|Ada|~\n2|~|1\n" },
	{ .what = "a JSON array",
	    .text = "[ {\"a\":1.5}, {\"a\":2} ,\n{\"a\":null}]",
	    .columns = "a REAL", .rows = "1.5\n2.0\n~\n" },
	{ .what = "nested objects and lists",
	    .text = "{\"o\":{\"x\":1,\"y\":{\"z\":\"k\"}},\"l\":[1,{\"b\":2}]}\n{\"o\":{\"x\":2},\"l\":[]}\n",
	    .columns = "o_x INTEGER|o_y_z TEXT|l TEXT", .rows = "1|k|[1,{\"b\":2}]\n2|~|[]\n" },
	{ .what = "texts of digits in JSON are texts, days are days",
	    .text = "{\"a\":\"123\",\"d\":\"2024-01-31\"}\n{\"a\":\"7\",\"d\":\"2024-02-01\"}\n",
	    .columns = "a TEXT|d DATE", .rows = "123|2024-01-31\n7|2024-02-01\n" },
	{ .what = "a broken line of JSON",
	    .text = "{\"a\":1}\n{\"a\":\n{\"a\":1,\"a\":2}\n{\"a\":3}\n",
	    .columns = "a INTEGER", .rows = "1\n3\n" },
};

static void
files_become_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check_good(&good[i]);
}

static const struct bad bad[] = {
	{ .what = "empty", .text = "", .says = "no records" },
	{ .what = "strict", .text = "a,b\n1,2\n3\n", .says = "line 3: it has fewer fields", .strict = true },
	{ .what = "Parquet", .text = "PAR1....", .says = "Parquet" },
	{ .what = "no workbook", .text = "PK\3\4nothing", .says = "workbook" },
	{ .what = "no JSON at all", .text = "nothing\n", .says = "no row", .format = IMPORT_JSON },
	{ .what = "a record without end", .text = "[{\"a\":", .says = "no row", .format = IMPORT_JSON },
};

static void
what_cannot_be_taken_changes_nothing(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(import_job((struct import){ 0 }, "k\n1\n2\n", 6, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_bad(&bad[i]);
}

/* A list that is promised is whole, or there is no import. */
static void
rejects_are_listed(void **state)
{
	struct import job = { .database = database, .table = "t", .replace = true, .kept = keep_report };
	FILE *f = tmpfile(), *list = tmpfile();
	char line[256];
	unsigned lines = 0;
	struct err err;

	(void)state;
	fprintf(f, "a,b\n");
	for (unsigned i = 0; i < 600; i++)
		fprintf(f, "%u,x\n", i);
	for (unsigned i = 0; i < 3000; i++)
		fprintf(f, "%u\n", i);
	fflush(f);
	job.fd = fileno(f);
	job.rejects_fd = fileno(list);
	assert_int_equal(import_run(&job, &err), 0);
	rewind(list);
	while (fgets(line, sizeof(line), list) != NULL) {
		char expected[32];

		snprintf(expected, sizeof(expected), "{\"line\":%u,", 602 + lines++);
		assert_memory_equal(line, expected, strlen(expected));
	}
	assert_int_equal(lines, 3000);

	job.rejects_fd = open("/dev/full", O_WRONLY);
	assert_true(job.rejects_fd >= 0);
	job.table = "other";
	assert_int_equal(import_run(&job, &err), -1);
	assert_non_null(strstr(err.message, "could not be written"));
	assert_string_equal(query("SELECT count(*) FROM sqlite_schema WHERE name = 'other'"), "0\n");
	close(job.rejects_fd);
	fclose(list);
	fclose(f);
}

/* A Latin-1 letter that comes late: what was read as UTF-8 until then is read again. */
static void
encoding_is_that_of_the_whole_file(void **state)
{
	char *text = malloc(3u << 20), expected[64];
	size_t n = (size_t)sprintf(text, "a,b\n"), rows = 0;
	struct err err;

	(void)state;
	while (n < (2u << 20)) {
		n += (size_t)sprintf(text + n, "%zu,plain words of no letter beyond ASCII\n", ++rows);
		if (rows == 7)
			n += (size_t)sprintf(text + n, "too,many,fields\n");
	}
	n += (size_t)sprintf(text + n, "%zu,caf\xe9\n", ++rows);
	assert_int_equal(import_job((struct import){ 0 }, text, n, &err), 0);
	snprintf(expected, sizeof(expected), "%zu|café\n", rows);
	assert_string_equal(query("SELECT * FROM t ORDER BY a DESC LIMIT 1"), expected);
	snprintf(expected, sizeof(expected), "\"taken\":%zu,\"rejected\":1}", rows);
	assert_non_null(strstr(report, expected));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_become_tables),
		cmocka_unit_test(what_cannot_be_taken_changes_nothing),
		cmocka_unit_test(rejects_are_listed),
		cmocka_unit_test(encoding_is_that_of_the_whole_file),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
