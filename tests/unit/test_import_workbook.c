// libs: carrel_import
/* test_import_workbook.c - workbooks (XLSX) as tables: cells, sheets, limits, and packed files that are none. */
#include <fcntl.h>

#include <zip.h>

#include "tests/unit/import_files.h"
#include "workers/import/packed.h"

static void
put_part(zip_t *z, const char *name, const char *text)
{
	zip_source_t *source = zip_source_buffer(z, text, strlen(text), 0);

	assert_true(zip_file_add(z, name, source, ZIP_FL_ENC_UTF_8) >= 0);
}

#define MAIN		"xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
#define SHEET(rows)	"<worksheet " MAIN "><sheetData>" rows "</sheetData></worksheet>"

static const char sheets_ab[] = "<sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"rId7\"/><sheet name=\"B\" "
				"sheetId=\"2\" r:id=\"rId1\"/></sheets>";

/* The rows are those of sheet9.xml, which is the relationship rId7; sheets: the element of the workbook. */
static int
import_book(const char *sheets, const char *wish, const char *sheet, const char *strings, struct err *err)
{
	struct import job = {
		.wishes = { .sheet = wish }, .database = database, .table = "t", .replace = true, .rejects_fd = -1, .kept = keep_report
	};
	char path[80], workbook[1024];
	zip_t *z;
	int result;

	snprintf(path, sizeof(path), "%s/book.xlsx", dir);
	z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
	assert_non_null(z);
	snprintf(workbook, sizeof(workbook),
	    "<workbook " MAIN " xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">"
	    "%s</workbook>",
	    sheets);
	put_part(z, "xl/workbook.xml", workbook);
	put_part(z, "xl/_rels/workbook.xml.rels",
	    "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/other.xml\"/>"
	    "<Relationship Id=\"rId7\" Target=\"worksheets/sheet9.xml\"/></Relationships>");
	put_part(z, "xl/styles.xml",
	    "<styleSheet " MAIN "><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd hh:mm\"/>"
	    "<numFmt numFmtId=\"165\" formatCode=\"0.00 &quot;days&quot;\"/><numFmt numFmtId=\"166\" "
	    "formatCode=\"00000\"/></numFmts><cellStyleXfs><xf "
	    "numFmtId=\"14\"/></cellStyleXfs>"
	    "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/><xf "
	    "numFmtId=\"165\"/><xf numFmtId=\"166\"/></cellXfs></styleSheet>");
	if (strings != NULL)
		put_part(z, "xl/sharedStrings.xml", strings);
	put_part(z, "xl/worksheets/sheet9.xml", sheet);
	assert_int_equal(zip_close(z), 0);
	job.fd = open(path, O_RDONLY);
	result = import_run(&job, err);
	close(job.fd);
	return result;
}

static int
import_workbook(const char *sheet, const char *strings, struct err *err)
{
	return import_book(sheets_ab, NULL, sheet, strings, err);
}

static void
workbooks_become_tables(void **state)
{
	static const char strings[] =
	    "<sst " MAIN "><si><t>id</t></si><si><r><t>Na</t></r><r><t>me</t></r></si><si><t>001</t></si>"
	    "<si><t>K\xc3\xb6ln &amp; Bonn</t><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si></sst>";
	struct err err = { .message = "" };

	(void)state;
	if (import_workbook(SHEET("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Report</t></is></c></row>"
				  "<row r=\"3\"><c r=\"A3\" t=\"s\"><v>0</v></c><c r=\"B3\" t=\"s\"><v>1</v></c><c "
				  "r=\"C3\" t=\"str\"><v>day</v></c>"
				  "<c r=\"D3\" t=\"str\"><v>at</v></c><c r=\"E3\" t=\"str\"><v>ok</v></c><c r=\"F3\" "
				  "t=\"str\"><v>length</v></c></row>"
				  "<row r=\"4\"><c r=\"A4\"><v>1</v></c><c r=\"B4\" t=\"s\"><v>2</v></c><c r=\"C4\" "
				  "s=\"1\"><v>45351</v></c>"
				  "<c r=\"D4\" s=\"2\"><v>45351.5451388889</v></c><c r=\"E4\" t=\"b\"><v>1</v></c><c "
				  "r=\"F4\" s=\"3\"><f>1+1</f><v>2.5</v></c></row>"
				  "<row r=\"5\"><c r=\"A5\"><v>2</v></c><c r=\"B5\" t=\"s\"><v>3</v></c><c r=\"C5\" "
				  "s=\"1\"><v>1</v></c>"
				  "<c r=\"E5\" t=\"b\"><v>0</v></c><c r=\"F5\" t=\"e\"><v>#DIV/0!</v></c></row>"
				  "<row r=\"6\"/><row r=\"7\"><c r=\"A7\"><v>3</v></c><c r=\"G7\"><v>9</v></"
				  "c></row>"),
		strings, &err) != 0)
		fail_msg("%s", err.message);
	assert_string_equal(query("SELECT group_concat(name || ' ' || type, '|') FROM pragma_table_info('t')"),
	    "id INTEGER|Name TEXT|day DATE|at TIMESTAMP|ok BOOLEAN|length REAL\n");
	assert_string_equal(query("SELECT * FROM t"),
	    "1|001|2024-02-29|2024-02-29 13:05:00|1|2.5\n2|K\xc3\xb6ln & Bonn|1900-01-01|~|0|~\n");
	assert_non_null(strstr(report, "\"rejects\":[{\"line\":7,"));
	assert_non_null(strstr(report, "\"skipped\":1"));
	assert_non_null(strstr(report,
	    "{\"line\":1,\"column\":null,\"note\":\"it is above the table and was passed over: "
	    "\\\"Report\\\"\"}"));
	assert_non_null(strstr(report, "the sheet \\\"A\\\" was read; not imported: \\\"B\\\""));
	assert_non_null(strstr(report, "1 cells with an error"));
}

static void
damaged_workbooks_are_refused(void **state)
{
	static const char *const sheets[] = {
		SHEET(""),
		"<worksheet><sheetData><row r=\"1\">",
		"no XML",
		SHEET("<row r=\"1\"><c r=\"A1\" t=\"s\"><v>5</v></c></row>"),
		SHEET("<row r=\"1\"><c r=\"B1\"><v>5</v></c><c r=\"A1\"><v>5</v></c></row>"),
		SHEET("<row r=\"1\"><c r=\"XFD1\"><v>5</v></c></row>"),
		"<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">]>" SHEET(
		    "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>&a;</v></c></row>"),
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(sheets) / sizeof(sheets[0]); i++)
		if (import_workbook(sheets[i], NULL, &err) == 0)
			fail_msg("%s was taken", sheets[i]);
}

#define ROW(n, cells)	"<row r=\"" n "\">" cells "</row>"
#define TEXT(text)	"<c t=\"inlineStr\"><is><t>" text "</t></is></c>"
#define NUMBER(digits)	"<c><v>" digits "</v></c>"

/* What a cell holds becomes what the table holds. */
static void
cells_are_kept(void **state)
{
	static const struct {
		const char *cell, *type, *value;
	} cells[] = {
		{ NUMBER("12345678901234567"), "INTEGER", "12345678901234567\n" },
		{ NUMBER("123456789012345678901"), "TEXT", "123456789012345678901\n" },
		{ NUMBER("0.1234567890123456789"), "TEXT", "0.1234567890123456789\n" },
		{ NUMBER("1.1000000000000001"), "REAL", "1.1\n" },
		{ NUMBER("0.30000000000000004"), "REAL", "0.3\n" },
		{ NUMBER("1e400"), "TEXT", "1e400\n" },
		{ "<c s=\"4\"><v>1069</v></c>", "TEXT", "01069\n" },
		{ "<c s=\"4\"><v>-7</v></c>", "TEXT", "-00007\n" },
		{ "<c s=\"4\"><v>1234567</v></c>", "INTEGER", "1234567\n" },
		{ "<c s=\"4\"><v>1.5</v></c>", "REAL", "1.5\n" },
		{ TEXT("a_x000A_b_x005F_x000A_"), "TEXT", "a\nb_x000A_\n" },
		{ TEXT("a_x0000_b_xD800_"), "TEXT", "a_x0000_b_xD800_\n" },
		{ "<c t=\"str\"><v>_x00E4_</v></c>", "TEXT", "ä\n" },
	};
	char sheet[1024];
	struct err err = { .message = "" };

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		snprintf(sheet, sizeof(sheet),
		    "<worksheet " MAIN "><sheetData>" ROW("1", TEXT("k")) ROW("2", "%s") "</sheetData></worksheet>",
		    cells[i].cell);
		if (import_workbook(sheet, NULL, &err) != 0)
			fail_msg("%s: %s", cells[i].cell, err.message);
		assert_string_equal(query("SELECT k FROM t"), cells[i].value);
		snprintf(sheet, sizeof(sheet), "%s\n", cells[i].type);
		assert_string_equal(query("SELECT type FROM pragma_table_info('t')"), sheet);
	}
	assert_int_equal(import_workbook(SHEET(ROW("1", TEXT("a")) ROW("2", "<c t=\"s\"><v>0</v></c>")),
			     "<sst " MAIN "><si><t>x_x000D__x000A_y</t></si></sst>", &err),
	    0);
	assert_string_equal(query("SELECT a FROM t"), "x\r\ny\n");
	assert_int_equal(import_workbook(SHEET(ROW("1", TEXT("a")) ROW("2", NUMBER("1"))
						 ROW("3", "<c><f>A2</f></c>" NUMBER("2"))),
			     NULL, &err),
	    0);
	assert_non_null(strstr(report, "1 formulas have no saved value"));
}

static void
first_visible_sheet_is_read(void **state)
{
	static const struct {
		const char *sheets, *says;
	} books[] = {
		{ "<sheets><sheet name=\"H\" state=\"hidden\" r:id=\"rId1\"/><sheet name=\"V\" state=\"veryHidden\" "
		  "r:id=\"rId1\"/><sheet name=\"S\" r:id=\"rId7\"/><sheet name=\"T\" r:id=\"rId1\"/></sheets>",
		    "the sheet \\\"S\\\" was read; not imported: \\\"H\\\" (hidden) \\\"V\\\" (hidden) \\\"T\\\"\"" },
		{ "<sheets><sheet name=\"H\" state=\"hidden\" r:id=\"rId7\"/><sheet name=\"I\" state=\"hidden\" "
		  "r:id=\"rId1\"/></sheets>",
		    "\"sheet\":\"H\"" },
	};
	struct err err = { .message = "" };

	(void)state;
	for (size_t i = 0; i < sizeof(books) / sizeof(books[0]); i++) {
		if (import_book(books[i].sheets, NULL, SHEET(ROW("1", TEXT("k")) ROW("2", NUMBER("1"))), NULL, &err) !=
		    0)
			fail_msg("%s", err.message);
		if (strstr(report, books[i].says) == NULL)
			fail_msg("%s: %s", books[i].sheets, report);
	}
	/* --sheet names one, also a hidden one. */
	assert_int_equal(import_book("<sheets><sheet name=\"B\" sheetId=\"2\" r:id=\"rId1\"/><sheet name=\"A &amp; C\" "
				     "state=\"hidden\" sheetId=\"1\" r:id=\"rId7\"/></sheets>",
			     "A & C", SHEET(ROW("1", TEXT("k")) ROW("2", NUMBER("1"))), NULL, &err),
	    0);
	assert_non_null(strstr(report, "the sheet \\\"A & C\\\" was read; not imported: \\\"B\\\""));
	assert_int_equal(import_book(sheets_ab, "C", SHEET(ROW("1", TEXT("k"))), NULL, &err), -1);
	assert_string_equal(err.message, "the workbook has no sheet \"C\"; its sheets are \"A\" \"B\"");
	assert_int_equal(import_workbook(SHEET(ROW("1", TEXT("a") TEXT("b"))), NULL, &err), 0);
	assert_string_equal(query("SELECT group_concat(name || ' ' || type, '|') FROM pragma_table_info('t')"),
	    "a TEXT|b TEXT\n");
}

/* Rows of which few cells are filled are a table, too, however wide they are. */
static void
sparse_rows_are_kept(void **state)
{
	struct err err = { .message = "" };

	(void)state;
	assert_int_equal(import_workbook(SHEET(ROW("1", "<c r=\"A1\"><v>1</v></c><c r=\"F1\"><v>2</v></c>")
						 ROW("2", "<c r=\"B2\"><v>3</v></c><c r=\"F2\"><v>4</v></c>")),
			     NULL, &err),
	    0);
	assert_string_equal(query("SELECT * FROM t"), "1|~|~|~|~|2\n~|3|~|~|~|4\n");
}

static char *
repeated(const char *before, char c, size_t n, const char *after)
{
	char *text = malloc(strlen(before) + n + strlen(after) + 1);

	assert_non_null(text);
	strcpy(text, before);
	memset(text + strlen(before), c, n);
	strcpy(text + strlen(before) + n, after);
	return text;
}

/* A long cell is whole or its row is rejected; what unpacks to far more than it is, is refused. */
static void
long_cells_are_never_cut(void **state)
{
	const char *before = "<worksheet " MAIN
			     "><sheetData>" ROW("1", TEXT("h") TEXT("n")) "<row r=\"2\"><c t=\"inlineStr\"><is><t>",
		   *after =
		       "</t></is></c>" NUMBER("1") "</row>" ROW("3", TEXT("x") NUMBER("2")) "</sheetData></worksheet>";
	char *sheet = repeated(before, 'a', 3000000, after);
	struct err err = { .message = "" };

	(void)state;
	assert_int_equal(import_workbook(sheet, NULL, &err), 0);
	assert_string_equal(query("SELECT length(h), n FROM t"), "3000000|1\n1|2\n");
	free(sheet);
	sheet = repeated(before, 'a', 17u << 20, after);
	assert_int_equal(import_workbook(sheet, NULL, &err), 0);
	assert_string_equal(query("SELECT h, n FROM t"), "x|2\n");
	assert_non_null(strstr(report, "{\"line\":2,\"column\":null,\"reason\":\"it is longer than 16 MB\"}"));
	free(sheet);
	sheet = repeated(before, ' ', PACKED_SMALL + 4096, after);
	assert_int_equal(import_workbook(sheet, NULL, &err), -1);
	assert_non_null(strstr(err.message, "decompression bomb"));
	free(sheet);
	sheet = repeated("<sst " MAIN "><si><t>", 'a', PACKED_SMALL + 4096, "</t></si></sst>");
	assert_int_equal(import_workbook(SHEET(ROW("1", NUMBER("1"))), sheet, &err), -1);
	assert_non_null(strstr(err.message, "decompression bomb"));
	free(sheet);
}

/* Other packed files are told apart, with the way that there is. */
static void
other_packed_files_are_refused(void **state)
{
	static const struct {
		const char *part, *says;
	} files[] = {
		{ "word/document.xml", "carrel dataset document" },
		{ "content.xml", "OpenDocument" },
		{ "xl/workbook.bin", "XLSB" },
		{ "a.csv", "unpack it first" },
	};
	struct import job = {
		.database = database, .table = "t", .replace = true, .rejects_fd = -1, .kept = keep_report
	};
	char path[80];
	struct err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/packed", dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

		put_part(z, files[i].part, "<x/>");
		assert_int_equal(zip_close(z), 0);
		job.fd = open(path, O_RDONLY);
		assert_int_equal(import_run(&job, &err), -1);
		close(job.fd);
		if (strstr(err.message, files[i].says) == NULL)
			fail_msg("%s: %s", files[i].part, err.message);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workbooks_become_tables),
		cmocka_unit_test(damaged_workbooks_are_refused),
		cmocka_unit_test(cells_are_kept),
		cmocka_unit_test(first_visible_sheet_is_read),
		cmocka_unit_test(sparse_rows_are_kept),
		cmocka_unit_test(long_cells_are_never_cut),
		cmocka_unit_test(other_packed_files_are_refused),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
