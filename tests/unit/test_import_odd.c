// libs: carrel_import
/* test_import_odd.c - odd files: nothing is lost without a word, and what the user says decides. */
#include "tests/unit/import_files.h"

static const struct good numbers[] = {
	{ .what = "too large for a double", .text = "v,x\n1e309,1\n2.5,2\n-3.5,3\n", .columns = "v TEXT|x INTEGER",
	    .rows = "1e309|1\n2.5|2\n-3.5|3\n",
	    .report = "{\"line\":2,\"column\":\"v\",\"note\":\"it would be REAL but for 1 of 3 values, the first "
	    "\\\"1e309\\\": " "a number would not keep its digits\"}" },
	{ .what = "negative and too large", .text = "v\n-1E999\n2.5\n", .columns = "v TEXT", .rows = "-1E999\n2.5\n" },
	{ .what = "too small", .text = "v\n1e-400\n2.5\n", .columns = "v TEXT", .rows = "1e-400\n2.5\n" },
	{ .what = "small, and rounded", .text = "v\n1.2345e-320\n2.5\n", .columns = "v TEXT",
	    .rows = "1.2345e-320\n2.5\n" },
	{ .what = "zero however it is written", .text = "v\n0e-999\n0.000\n", .columns = "v REAL",
	    .rows = "0.0\n0.0\n" },
	{ .what = "17 digits that a double has", .text = "v\n0.30000000000000004\n1.5\n", .columns = "v REAL",
	    .rows = "0.3\n1.5\n" },
	{ .what = "17 digits that it has not", .text = "v\n0.30000000000000005\n1.5\n", .columns = "v TEXT",
	    .rows = "0.30000000000000005\n1.5\n" },
	{ .what = "whole numbers in groups", .text = "a;b\n1.234.567;x\n12;y\n", .wishes = { .decimal = ',' },
	    .columns = "a INTEGER|b TEXT", .rows = "1234567|x\n12|y\n" },
	{ .what = "groups beyond 64 bits", .text = "a;b\n9.223.372.036.854.775.808;x\n12;y\n",
	    .columns = "a TEXT|b TEXT", .rows = "9.223.372.036.854.775.808|x\n12|y\n" },
	{ .what = "a decimal comma is said", .text = "a;d\n1.234;1.2.2024\n5.678;13.2.2024\n",
	    .wishes = { .decimal = ',' },
	    .columns = "a INTEGER|d DATE", .rows = "1234|2024-02-01\n5678|2024-02-13\n" },
	{ .what = "a decimal point is said", .text = "a;b\n1,234;1,5\n5,678;x\n", .wishes = { .decimal = '.' },
	    .columns = "a INTEGER|b TEXT", .rows = "1234|1,5\n5678|x\n" },
	{ .what = "exponents with a comma", .text = "a;b\n1,5E+03;x\n2,5;y\n", .columns = "a REAL|b TEXT",
	    .rows = "1500.0|x\n2.5|y\n" },
	{ .what = "one word among numbers",
	    .text = "n;Betrag \xe2\x82\xac\n1;1.234,56\n2;7,00\n3;8,50\n4;keine Angabe\n",
	    .columns = "n INTEGER|Betrag € TEXT", .rows = "1|1.234,56\n2|7,00\n3|8,50\n4|keine Angabe\n",
	    .report = "{\"line\":5,\"column\":\"Betrag €\",\"note\":\"it would be REAL but for 1 of 4 values, the "
	    "first " "\\\"keine Angabe\\\"\"}" },
	{ .what = "the word first", .text = "v\nkeine\n1\n2\n3\n", .columns = "v TEXT", .rows = "keine\n1\n2\n3\n",
	    .report = "it would be INTEGER but for 1 of 4 values" },
	{ .what = "texts need no word", .text = "v\nAda\nBob\n7\n", .columns = "v TEXT", .rows = "Ada\nBob\n7\n",
	    .report = "\"notes\":[]" },
	{ .what = "codes", .text = "zip,n\n01069,1\n10115,2\n20095,3\n", .columns = "zip TEXT|n INTEGER",
	    .rows = "01069|1\n10115|2\n20095|3\n", .report = "\\\"01069\\\": it begins with 0" },
	{ .what = "ambiguous days", .text = "d,x\n03/04/2024,1\n05/06/2024,2\n", .columns = "d TEXT|x INTEGER",
	    .rows = "03/04/2024|1\n05/06/2024|2\n", .report = "--type COLUMN=dmy or COLUMN=mdy" },
};

static const struct good delimiters[] = {
	{ .what = "times with zones", .text = "t\n2024-01-01T10:00:00+02:00\n2024-01-01T10:00:00Z\n",
	    .columns = "t TIMESTAMP", .rows = "2024-01-01 08:00:00Z\n2024-01-01 10:00:00Z\n",
	    .report = "\"delimiter\":null" },
	{ .what = "addresses", .text = "url\nhttp://a.example/x\nhttps://b.example/y\n", .columns = "url TEXT",
	    .rows = "http://a.example/x\nhttps://b.example/y\n" },
	{ .what = "hours", .text = "start\n10:30\n11:45\n", .columns = "start TEXT", .rows = "10:30\n11:45\n" },
	{ .what = "hours without a name", .text = "10:30\n11:45\n12:00\n", .columns = "column_1 TEXT",
	    .rows = "10:30\n11:45\n12:00\n" },
	{ .what = "hours below a unit", .text = "time (hh:mm)\n10:30\n11:45\n", .columns = "time (hh:mm) TEXT",
	    .rows = "10:30\n11:45\n" },
	{ .what = "AM and PM", .text = "t\n01/13/2024 1:05 PM\n01/14/2024 12:00 AM\n", .columns = "t TEXT",
	    .rows = "01/13/2024 1:05 PM\n01/14/2024 12:00 AM\n" },
	{ .what = "years", .text = "period\n2023~2024\n2024~2025\n", .columns = "period TEXT",
	    .rows = "2023~2024\n2024~2025\n" },
	{ .what = "ports", .text = "host\na.example:80\nb.example:443\n", .columns = "host TEXT",
	    .rows = "a.example:80\nb.example:443\n" },
	{ .what = "a log", .text = "INFO: started\nWARN: slow\nINFO: ended\n", .columns = "column_1 TEXT",
	    .rows = "INFO: started\nWARN: slow\nINFO: ended\n", .wishes = { .header = HEADER_NO } },
	{ .what = "colons between names", .text = "a:b:c\n1:x:2\n3:y:4\n", .columns = "a INTEGER|b TEXT|c INTEGER",
	    .rows = "1|x|2\n3|y|4\n" },
	{ .what = "decimal commas in one column", .text = "betrag\n1,5\n2,25\n1.234,00\n", .columns = "betrag REAL",
	    .rows = "1.5\n2.25\n1234.0\n" },
	{ .what = "prose", .text = "note\nHello, world\nThis, too, is\n", .columns = "note TEXT",
	    .rows = "Hello, world\nThis, too, is\n" },
	{ .what = "names of people", .text = "name\nDoe, John\nRoe, Jane\n", .columns = "name TEXT",
	    .rows = "Doe, John\nRoe, Jane\n" },
	{ .what = "decimal commas between semicolons", .text = "1,5;2,5\n3,5;4,5\n",
	    .columns = "column_1 REAL|column_2 REAL", .rows = "1.5|2.5\n3.5|4.5\n" },
	{ .what = "delimiter in quotes", .text = "a,b\n\"x,y\",1\n\"z\",2\n", .columns = "a TEXT|b INTEGER",
	    .rows = "x,y|1\nz|2\n" },
	{ .what = "the delimiter is said", .text = "a:b\n10:30\n11:45\n", .wishes = { .delimiter = ':' },
	    .columns = "a INTEGER|b INTEGER", .rows = "10|30\n11|45\n" },
	{ .what = "the said delimiter is nowhere", .text = "a|b\n1|2\n", .wishes = { .delimiter = ';' },
	    .columns = "a|b TEXT", .rows = "1|2\n", .report = "no line holds the delimiter" },
	{ .what = "blanks", .text = "a b\n1 2\n", .wishes = { .delimiter = ' ' }, .columns = "a INTEGER|b INTEGER",
	    .rows = "1|2\n" },
};

static const struct good headers[] = {
	{ .what = "a delimiter more", .text = "a,b,c\n1,2,3,\n4,5,6,\n", .columns = "a INTEGER|b INTEGER|c INTEGER",
	    .rows = "1|2|3\n4|5|6\n" },
	{ .what = "a delimiter more in the header", .text = "a,b,c,\n1,2,3\n4,5,6\n",
	    .columns = "a INTEGER|b INTEGER|c INTEGER", .rows = "1|2|3\n4|5|6\n" },
	{ .what = "a delimiter behind one column", .text = "a\n1;\n2;\n", .columns = "a INTEGER", .rows = "1\n2\n" },
	{ .what = "a semicolon of the text", .text = "code\nint x;\nint y;\n", .columns = "code TEXT",
	    .rows = "int x;\nint y;\n" },
	{ .what = "a value behind the last name", .text = "a,b,c\n1,2,3,\n4,5,6,\n7,8,9,x\n",
	    .columns = "column_1 INTEGER|a INTEGER|b INTEGER|c TEXT", .rows = "1|2|3|~\n4|5|6|~\n7|8|9|x\n" },
	{ .what = "names of rows", .text = "mpg,cyl\nMazda,21.0,6\nDatsun,22.8,4\n",
	    .columns = "column_1 TEXT|mpg REAL|cyl INTEGER", .rows = "Mazda|21.0|6\nDatsun|22.8|4\n" },
	{ .what = "names of rows, one column", .text = "\"mpg\"\n\"Mazda\",21.0\n\"Datsun\",22.8\n",
	    .columns = "column_1 TEXT|mpg REAL", .rows = "Mazda|21.0\nDatsun|22.8\n" },
	{ .what = "sep=", .text = "sep=;\na;b\n1;2\n3;4\n", .columns = "a INTEGER|b INTEGER", .rows = "1|2\n3|4\n",
	    .report = "\"skipped\":1,\"notes\":[{\"line\":1,\"column\":null,\"note\":\"it is above the table and "
	    "was passed over: " "\\\"sep=;\\\"\"}]" },
	{ .what = "sep= in quotes", .text = "\"sep=,\"\r\na,b\r\n1,2\r\n", .columns = "a INTEGER|b INTEGER",
	    .rows = "1|2\n" },
	{ .what = "sep= with a tab", .text = "sep=\t\na\tb\n1\t2\n", .columns = "a INTEGER|b INTEGER",
	    .rows = "1|2\n" },
	{ .what = "a padded title", .text = "Sales report,,\n,,\nid,v,w\n1,2,3\n4,5,6\n",
	    .columns = "id INTEGER|v INTEGER|w INTEGER", .rows = "1|2|3\n4|5|6\n", .report = "\\\"Sales report,,\\\"" },
	{ .what = "a first row with gaps", .text = "1,,\n2,3,4\n5,6,7\n",
	    .columns = "column_1 INTEGER|column_2 INTEGER|column_3 INTEGER", .rows = "1|~|~\n2|3|4\n5|6|7\n",
	    .report = "\"skipped\":0" },
	{ .what = "a title and a blank line", .text = "Report\n\ncity,country\nBonn,Germany\nParis,France\n",
	    .columns = "city TEXT|country TEXT", .rows = "Bonn|Germany\nParis|France\n", .report = "\"skipped\":1" },
	{ .what = "a title, lines end with CR", .text = "Report\r\rid,v,w\r1,2,3\r4,5,6\r",
	    .columns = "id INTEGER|v INTEGER|w INTEGER", .rows = "1|2|3\n4|5|6\n", .report = "\"skipped\":1" },
	{ .what = "a broken quote, lines end with CR", .text = "a,b\r1,2\r\"x,3\r4,5\r6,7\r",
	    .columns = "a INTEGER|b INTEGER", .rows = "1|2\n4|5\n6|7\n", .report = "{\"line\":3," },
	{ .what = "a header of digits", .text = "x,2023\na,1\nb,2\n", .wishes = { .header = HEADER_YES },
	    .columns = "x TEXT|2023 INTEGER", .rows = "a|1\nb|2\n" },
	{ .what = "no header", .text = "x,y\na,b\n", .wishes = { .header = HEADER_NO },
	    .columns = "column_1 TEXT|column_2 TEXT", .rows = "x|y\na|b\n" },
	{ .what = "one name alone", .text = "name\n", .columns = "name TEXT", .rows = "" },
	{ .what = "one record of numbers", .text = "1,2\n", .columns = "column_1 INTEGER|column_2 INTEGER",
	    .rows = "1|2\n" },
};

static const struct good types[] = {
	{ .what = "decimal", .text = "n;v\n1;1.234,5\n2;keine\n3;7\n", .type = "v=decimal",
	    .columns = "n INTEGER|v REAL", .rows = "1|1234.5\n3|7.0\n",
	    .report = "\"rejects\":[{\"line\":3,\"column\":\"v\",\"reason\":\"\\\"keine\\\" does not fit " "REAL\"}]" },
	{ .what = "decimal of whole numbers", .text = "v\n1\n2\n", .type = "V=decimal", .columns = "v REAL",
	    .rows = "1.0\n2.0\n" },
	{ .what = "decimal that would be rounded", .text = "v\n0.1234567890123456789\n2\n", .type = "v=decimal",
	    .columns = "v REAL", .rows = "2.0\n", .report = "\"rejected\":1" },
	{ .what = "text", .text = "plz\n10115\n20095\n", .type = "plz=text", .columns = "plz TEXT",
	    .rows = "10115\n20095\n" },
	{ .what = "integer", .text = "v\n1\n2.5\n3\n", .type = "v=integer", .columns = "v INTEGER", .rows = "1\n3\n" },
	{ .what = "boolean", .text = "v\n1\n0\nja\n", .type = "v=boolean", .columns = "v BOOLEAN",
	    .rows = "1\n0\n1\n" },
	{ .what = "date", .text = "v\n2024-02-29\n2024-03-01 10:00\n", .type = "v=date", .columns = "v DATE",
	    .rows = "2024-02-29\n" },
	{ .what = "timestamp", .text = "v\n2024-02-29\n2024-03-01\n", .type = "v=timestamp", .columns = "v TIMESTAMP",
	    .rows = "2024-02-29 00:00:00\n2024-03-01 00:00:00\n" },
	{ .what = "day first", .text = "v\n03/04/2024\n05/06/2024\n", .type = "v=dmy", .columns = "v DATE",
	    .rows = "2024-04-03\n2024-06-05\n" },
	{ .what = "month first", .text = "v\n03/04/2024\n05/06/2024\n", .type = "v=mdy", .columns = "v DATE",
	    .rows = "2024-03-04\n2024-05-06\n" },
	{ .what = "a name with an equals sign", .text = "a=b,c\n1,2\n", .type = "a=b=text",
	    .columns = "a=b TEXT|c INTEGER", .rows = "1|2\n" },
	{ .what = "strings of JSON", .text = "{\"v\":\"1\"}\n{\"v\":\"2.5\"}\n", .type = "v=decimal",
	    .columns = "v REAL", .rows = "1.0\n2.5\n" },
};

static const struct good json[] = {
	{ .what = "digits", .text = "[{\"p\":0.1234567890123456789},{\"p\":12345678901234567890.123},{\"p\":1.50}]",
	    .columns = "p TEXT", .rows = "0.1234567890123456789\n12345678901234567890.123\n1.50\n" },
	{ .what = "digits within",
	    .text = "{\"l\":[12345678901234567890, 0.1000000000000000000001, {\"a\": 1e400}, \"\\u00e4\"]}",
	    .columns = "l TEXT", .rows = "[12345678901234567890,0.1000000000000000000001,{\"a\":1e400},\"ä\"]\n" },
	{ .what = "no number of 64 bits", .text = "{\"i\":123456789012345678901234567890}\n{\"i\":1}\n",
	    .columns = "i TEXT", .rows = "123456789012345678901234567890\n1\n" },
	{ .what = "text behind the list", .text = "[{\"a\":1}]\n{\"a\":2}\n", .columns = "a INTEGER", .rows = "1\n",
	    .report = "{\"line\":2,\"column\":null,\"reason\":\"it stands after the end of the list" },
	{ .what = "a list that is cut", .text = "[{\"a\":1},\n{\"a\":2},\n", .columns = "a INTEGER", .rows = "1\n2\n",
	    .report = "{\"line\":3,\"column\":null,\"reason\":\"the file ends within its list\"}" },
	{ .what = "a bracket more", .text = "[{\"a\":1},},{\"a\":2}]", .columns = "a INTEGER", .rows = "1\n2\n",
	    .report = "\"rejected\":1" },
	{ .what = "UTF-16", .text = "\xff\xfe{\0\"\0a\0\"\0:\0" "1\0}\0", .len = 16, .columns = "a INTEGER",
	    .rows = "1\n" },
};

static const struct good encodings[] = {
	{ .what = "UTF-16 without its mark", .text = "a\0,\0b\0\n\0" "1\0,\0\xac\x20\n\0", .len = 16,
	    .columns = "a INTEGER|b TEXT", .rows = "1|€\n", .report = "UTF-16 was guessed" },
	{ .what = "the other UTF-16", .text = "\0a\0,\0b\0\n\0" "1\0,\x20\xac\0\n", .len = 16,
	    .columns = "a INTEGER|b TEXT", .rows = "1|€\n", .report = "\"encoding\":\"utf-16be\"" },
	{ .what = "half a character", .text = "\xff\xfe" "a\0\n\0" "1\0\n\0" "2", .len = 11, .columns = "a INTEGER",
	    .rows = "1\n", .report = "\"rejected\":1" },
	{ .what = "Shift-JIS", .text = "\x96\xbc\x91O,n\n\x93\x8c\x8b\x9e,1\n\x83\x65\x83\x58\x83\x67,2\n",
	    .columns = "名前 TEXT|n INTEGER", .rows = "東京|1\nテスト|2\n",
	    .report = "its encoding was guessed" },
	{ .what = "GBK", .text = "\xd0\xd5\xc3\xfb,n\n\xb1\xb1\xbe\xa9,1\n\xc9\xcf\xba\xa3,2\n",
	    .columns = "姓名 TEXT|n INTEGER", .rows = "北京|1\n上海|2\n", .report = "its encoding was guessed" },
	{ .what = "Cyrillic is said to be in doubt", .text = "\xe8\xec\xff,n\n\xc8\xe2\xe0\xed,1\n",
	    .columns = "èìÿ TEXT|n INTEGER", .rows = "Èâàí|1\n", .report = "--encoding names the right one" },
	{ .what = "Cyrillic", .text = "\xe8\xec\xff,n\n\xc8\xe2\xe0\xed,1\n", .encoding = "windows-1251",
	    .columns = "имя TEXT|n INTEGER", .rows = "Иван|1\n", .report = "\"skipped\":0,\"notes\":[]" },
	{ .what = "Shift-JIS by its name", .text = "a,b\n\x93\x8c,1\n", .encoding = "Shift_JIS",
	    .columns = "a TEXT|b INTEGER", .rows = "東|1\n" },
	{ .what = "what is not of the named one", .text = "a,b\nx\xffy,1\nz,2\n", .encoding = "Shift_JIS",
	    .columns = "a TEXT|b INTEGER", .rows = "z|2\n", .report = "it holds bytes that are no text" },
	{ .what = "Latin-1 by its name, though it is UTF-8 as well", .text = "a,b\n\xc3\xa4,1\n", .encoding = "latin1",
	    .columns = "a TEXT|b INTEGER", .rows = "Ã¤|1\n" },
	{ .what = "UTF-8 by its name, though some is not", .text = "a,b\n\xe4,1\nx,2\n", .encoding = "utf-8",
	    .columns = "a TEXT|b INTEGER", .rows = "x|2\n", .report = "\"rejected\":1" },
	{ .what = "a NUL", .text = "a,b\nx\0y,1\nz,2\n", .len = 14, .columns = "a TEXT|b INTEGER", .rows = "z|2\n",
	    .report = "{\"line\":2,\"column\":null,\"reason\":\"it holds bytes that are no text\"}" },
	{ .what = "a NUL in one column", .text = "a\nx\0y\nz\n", .len = 8, .columns = "a TEXT", .rows = "z\n",
	    .report = "\"rejected\":1" },
};

static const struct bad bad[] = {
	{ .what = "PDF", .text = "%PDF-1.4\n1 0 obj\n", .says = "a PDF is read with `carrel dataset document" },
	{ .what = "PDF as CSV", .text = "%PDF-1.4\n1 0 obj\n", .says = "a PDF is read with", .format = IMPORT_CSV },
	{ .what = "old Excel", .text = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", .says = "save it as XLSX" },
	{ .what = "gzip", .text = "\x1f\x8b...", .says = "gunzip" },
	{ .what = "a database", .text = "SQLite format 3\0...", .len = 19, .says = "carrel connection add" },
	{ .what = "HTML", .text = "\n<HTML><table>", .says = "HTML" },
	{ .what = "zeros", .text = "a,b\n\0\0\0\0\1\1\1\1\2\2\2\2", .len = 16, .says = "the file is no text" },
	{ .what = "a zip of anything", .text = "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", .len = 22,
	    .says = "no workbook", .format = IMPORT_XLSX },
	{ .what = "a type of no column", .text = "a,b\n1,2\n", .type = "c=text", .says = "the file has \"a\", \"b\"" },
	{ .what = "no type", .text = "a,b\n1,2\n", .type = "a=money", .says = "COLUMN=TYPE" },
	{ .what = "day or month", .text = "d\n03/04/2024\n", .type = "d=date", .says = "dmy or mdy" },
	{ .what = "nothing fits", .text = "d\nx\ny\n", .type = "d=integer", .says = "no row that can be taken" },
	{ .what = "strict", .text = "d\n1\ny\n", .type = "d=integer", .says = "line 3: \"y\" does not fit INTEGER",
	    .strict = true },
	{ .what = "a delimiter of JSON", .text = "[]", .wishes = { .delimiter = ';' },
	    .says = "--delimiter means nothing" },
	{ .what = "an empty list", .text = "[]", .says = "no row that can be taken" },
};

#define CHECK_ALL(list)                                                   \
	static void list##_are_as_they_are(void **state)                  \
	{                                                                 \
		(void)state;                                              \
		for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) \
			check_good(&list[i]);                             \
	}

CHECK_ALL(numbers)
CHECK_ALL(delimiters)
CHECK_ALL(headers)
CHECK_ALL(types)
CHECK_ALL(json)
CHECK_ALL(encodings)

static void
what_is_no_table_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_bad(&bad[i]);
}

static void
names_of_encodings(void **state)
{
	struct encoding_choice e;
	struct err err;

	(void)state;
	assert_int_equal(encoding_named("UTF-8//IGNORE", &e, &err), -1);
	assert_int_equal(encoding_named("klingon", &e, &err), -1);
	assert_non_null(strstr(err.message, "iconv -l"));
	assert_int_equal(encoding_named("ISO-8859-1", &e, &err), 0);
	assert_int_equal(e.encoding, ENCODING_WINDOWS_1252);
}

/* One record is longer than the reader holds: it alone is rejected, to its end. */
static void
long_records_are_rejected_whole(void **state)
{
	size_t n = ROWS_RECORD_MAX * 2 + 100;
	char *text = malloc(n + 64);
	struct err err = { .message = "" };
	int head = sprintf(text, "a\nx\n");

	(void)state;
	memset(text + head, 'y', n);
	strcpy(text + head + n, "\nz\n");
	assert_int_equal(import_job((struct import){ 0 }, text, (size_t)head + n + 3, &err), 0);
	assert_string_equal(query("SELECT * FROM t ORDER BY rowid"), "x\nz\n");
	assert_non_null(strstr(report, "{\"line\":3,\"column\":null,\"reason\":\"it is longer than 16 MB\"}"));
	free(text);
}

/* So of JSON: in a list, on a line, and where the file ends within it. */
static void
long_json_records_are_rejected_whole(void **state)
{
	static const struct {
		const char *before, *after, *rows, *reason;
	} cases[] = { { "[{\"a\":\"x\"},\n{\"b\":[\"", "\\\\\\\"]}\"]},\n{\"a\":\"z\"}]", "x\nz\n",
			  "{\"line\":2,\"column\":null,\"reason\":\"it is longer than 16 MB\"}" },
		{ "{\"a\":\"x\"}\n{\"a\":\"", "\n\"}\n{\"a\":\"z\"}\n", "x\nz\n",
		    "{\"line\":2,\"column\":null,\"reason\":\"it is longer than 16 MB\"}" },
		{ "{\"a\":\"x\"}\n{\"a\":\"y\",\"b\":\"", "\"\n{\"a\":\"z\"}\n", "x\nz\n", /* without its bracket */
		    "{\"line\":2,\"column\":null,\"reason\":\"it is longer than 16 MB\"}" },
		{ "[{\"a\":\"x\"},", ",{\"a\":\"z\"}]", "x\nz\n", "it is longer than 16 MB" },
		{ "[{\"a\":\"x\"},{\"a\":\"", "", "x\n", "it is longer than 16 MB, and the file ends within it" } };
	size_t n = ROWS_RECORD_MAX * 2 + 100;
	char *text = malloc(n + 200);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t head = strlen(cases[i].before);
		struct err err = { .message = "" };

		memcpy(text, cases[i].before, head);
		memset(text + head, '7', n);
		strcpy(text + head + n, cases[i].after);
		assert_int_equal(import_job((struct import){ 0 }, text, strlen(text), &err), 0);
		assert_string_equal(query("SELECT a FROM t ORDER BY rowid"), cases[i].rows);
		if (strstr(report, cases[i].reason) == NULL)
			fail_msg("case %zu: %s", i, report);
	}
	free(text);
}

/* A broken record ends at its CR, though the file has no other line end and is read in parts. */
static void
broken_records_end_at_a_return(void **state)
{
	size_t n = 0, size = (size_t)3 << 20;
	char *text = malloc(size + 64), expected[64];
	struct err err = { .message = "" };
	unsigned rows = 0;

	(void)state;
	n += (size_t)sprintf(text, "a,b\r1,2\r\"x\"y,3\r");
	for (; n < size; rows++)
		n += (size_t)sprintf(text + n, "%u,4\r", rows);
	assert_int_equal(import_job((struct import){ 0 }, text, n, &err), 0);
	snprintf(expected, sizeof(expected), "\"taken\":%u,\"rejected\":1}", rows + 1);
	assert_non_null(strstr(report, expected));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_they_are),
		cmocka_unit_test(delimiters_are_as_they_are),
		cmocka_unit_test(headers_are_as_they_are),
		cmocka_unit_test(types_are_as_they_are),
		cmocka_unit_test(json_are_as_they_are),
		cmocka_unit_test(encodings_are_as_they_are),
		cmocka_unit_test(what_is_no_table_is_refused),
		cmocka_unit_test(names_of_encodings),
		cmocka_unit_test(long_records_are_rejected_whole),
		cmocka_unit_test(long_json_records_are_rejected_whole),
		cmocka_unit_test(broken_records_end_at_a_return),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
