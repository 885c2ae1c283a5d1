/* xlsx.c - see xlsx.h: reads the cells and rows of the sheet, and finds its table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/date.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/text/num.h"
#include "workers/import/value_text.h"
#include "workers/import/notes.h"
#include "workers/import/xlsx.h"
#include "workers/import/xlsx_book.h"

#define LOOKED_AT	200		/* rows, to find the width of the table */
#define LISTED		10		/* rows above the table that are told one by one */
#define DOUBLE_DIGITS	17		/* that spreadsheets write of a double */

/* "AB12" is column 27; a cell without a reference follows the last one. */
static size_t
column_of(const char *reference, size_t otherwise)
{
	size_t n = 0;

	if (reference == NULL)
		return otherwise;
	for (; *reference >= 'A' && *reference <= 'Z' && n < 1000000; reference++)
		n = n * 26 + (size_t)(*reference - 'A') + 1;
	return n == 0 ? otherwise : n - 1;
}

/* Print a spreadsheet's date, a serial number of days. */
static size_t
print_date(const struct xlsx *x, double serial, uint8_t look, char out[VALUE_TIME_MAX])
{
	double day = floor(serial), seconds = round((serial - day) * 86400);
	int64_t z = (int64_t)day + (x->from_1904 ? 1462 : 0);
	struct date d;
	unsigned s;
	int n;

	if (serial < 1 || serial > 2958466)
		return 0;
	if (seconds >= 86400) {
		seconds = 0;
		z++;
	}
	/* Spreadsheets count a 29 February 1900, which did not exist; 25569 is 1970-01-01. */
	d = date_of_days(z - 25569 + (z < 60 && !x->from_1904 ? 1 : 0));
	s = (unsigned)seconds;
	n = snprintf(out, VALUE_TIME_MAX, "%04lld-%02u-%02u", (long long)d.year, d.month, d.day);
	if (look == LOOK_TIME || s != 0)
		n += snprintf(out + n, VALUE_TIME_MAX - (size_t)n, " %02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	return (size_t)n;
}

static void
set_field(struct xlsx *x, size_t column, struct span text, enum field_kind kind)
{
	while (x->n <= column) {
		x->at = mem_grow(x->at, x->n, &x->cap, sizeof(*x->at));
		x->kinds = mem_grow(x->kinds, x->n, &x->kinds_cap, sizeof(*x->kinds));
		x->at[x->n] = x->text.len;
		x->kinds[x->n++] = FIELD_NULL;
	}
	x->kinds[column] = kind;
	buf_span(&x->text, text);
	x->at[column] = x->text.len;
}

/* Whether the digits mean themselves: a whole number, or more of them than a spreadsheet writes. */
static bool
has_own_digits(struct span t)
{
	size_t digits = 0, from = t.len > 0 && t.p[0] == '-';
	bool whole = t.len > from && (t.p[from] != '0' || t.len == 1);

	for (size_t i = from; i < t.len && t.p[i] != 'e' && t.p[i] != 'E'; i++)
		digits += ascii_is_digit(t.p[i]);
	return (whole && digits == t.len - from) || digits > DOUBLE_DIGITS;
}

/* With zeros in front, at least that many digits, if it is a whole number. */
static void
put_zeros(struct xlsx *x, struct span t, size_t width)
{
	size_t from = t.len > 0 && t.p[0] == '-', digits = 0;
	char out[LOOK_ZEROS_MAX + 1];

	while (from + digits < t.len && ascii_is_digit(t.p[from + digits]))
		digits++;
	if (from + digits != t.len || digits >= width) {
		set_field(x, x->column, t, FIELD_BARE);
		return;
	}
	memset(out, '0', sizeof(out));
	out[0] = from == 1 ? '-' : '0';
	memcpy(out + from + width - digits, t.p + from, digits);
	set_field(x, x->column, span_of(out, from + width), FIELD_BARE);
}

static void
finish_number(struct xlsx *x, struct span text)
{
	uint8_t look = x->style < x->nlooks ? x->looks[x->style] : LOOK_NUMBER;
	char out[VALUE_TIME_MAX], digits[40];
	double v;
	size_t n;

	if (!num_read_double((const char *)text.p, text.len, &v)) {
		set_field(x, x->column, text, FIELD_STRING);
		return;
	}
	if ((look == LOOK_DATE || look == LOOK_TIME) && (n = print_date(x, v, look, out)) > 0) {
		set_field(x, x->column, span_of(out, n), FIELD_BARE);
		return;
	}
	if (!has_own_digits(text))
		text = span_of(digits, num_print_double(v, digits));
	put_zeros(x, text, look > LOOK_ZEROS ? look - LOOK_ZEROS : 0);
}

static void
finish_cell(struct xlsx *x)
{
	struct span text;
	size_t i;

	x->too_long |= x->cell.full;
	if (x->type == CELL_TEXT)
		xlsx_unescape(&x->cell, 0);
	text = buf_view(&x->cell);
	/* Cells must come from left to right, as all programs write them. */
	if (x->column < x->n || x->column >= ROWS_COLUMNS_MAX) {
		x->fault = x->column < x->n ? "its cells are out of order" :
					      "a row has more cells than a table may have columns";
		return;
	}
	switch (x->type) {
	case CELL_SHARED:
		i = (size_t)value_integer(text);
		if (i >= x->nstrings)
			x->fault = "a cell names a text that is not there";
		else
			set_field(x, x->column, xlsx_shared_string(x, i), FIELD_STRING);
		break;
	case CELL_TEXT:
		set_field(x, x->column, text, FIELD_STRING);
		break;
	case CELL_FLAG:
		set_field(x, x->column, span_is_str(text, "1") ? SPAN("true") : SPAN("false"), FIELD_BARE);
		break;
	case CELL_ERROR: /* #DIV/0! and the like: no value */
		x->errors++;
		set_field(x, x->column, SPAN(""), FIELD_NULL);
		break;
	default:
		x->unsaved += x->formula && !x->valued;
		if (text.len > 0)
			finish_number(x, text);
	}
	x->too_long |= x->text.full;
}

static void
begin_cell(struct xlsx *x, const XML_Char **attributes)
{
	const char *type = packed_attribute(attributes, "t"), *style = packed_attribute(attributes, "s");

	x->column = column_of(packed_attribute(attributes, "r"), x->n);
	x->style = style == NULL ? 0 : strtoul(style, NULL, 10);
	x->cell.len = 0;
	x->cell.full = x->formula = x->valued = false;
	x->type = type == NULL || strcmp(type, "n") == 0 ? CELL_NUMBER :
	    strcmp(type, "s") == 0                       ? CELL_SHARED :
	    strcmp(type, "b") == 0                       ? CELL_FLAG :
	    strcmp(type, "e") == 0                       ? CELL_ERROR :
							   CELL_TEXT;
}

static void
start_sheet(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct xlsx *x = xlsx_owner(parser);
	const char *number;

	if (packed_is_element(name, "row")) {
		number = packed_attribute(attributes, "r");
		x->number = number != NULL ? strtoull(number, NULL, 10) : x->number + 1;
		x->ordinal++;
		x->n = 0;
		x->text.len = 0;
		x->text.full = x->too_long = false;
	} else if (packed_is_element(name, "c"))
		begin_cell(x, attributes);
	else if (packed_is_element(name, "v") || packed_is_element(name, "t"))
		x->inside = x->valued = true;
	else if (packed_is_element(name, "f"))
		x->formula = true;
}

static void
end_sheet(void *parser, const XML_Char *name)
{
	struct xlsx *x = xlsx_owner(parser);

	if (packed_is_element(name, "v") || packed_is_element(name, "t"))
		x->inside = false;
	else if (packed_is_element(name, "c"))
		finish_cell(x);
	else if (packed_is_element(name, "row")) {
		x->complete = true;
		x->paused = true;
		XML_StopParser((XML_Parser)parser, XML_TRUE);
	}
	if (x->fault != NULL)
		XML_StopParser((XML_Parser)parser, XML_FALSE);
}

static void
sheet_text(void *parser, const XML_Char *text, int n)
{
	struct xlsx *x = xlsx_owner(parser);

	if (x->inside)
		buf_append(&x->cell, text, (size_t)n);
}

/* Read until a row is complete.  0 after the last row; -1: the file is damaged. */
static int
read_row(struct xlsx *x)
{
	while (!x->complete) {
		enum XML_Status status;

		if (x->paused) {
			x->paused = false;
			status = XML_ResumeParser(x->parser);
		} else if (x->finished)
			return 0;
		else {
			void *block = XML_GetBuffer(x->parser, PACKED_STEP);
			zip_int64_t n = block == NULL ? -1 : packed_part_read(&x->part, block);

			if (n < 0)
				return -1;
			x->finished = n == 0;
			status = XML_ParseBuffer(x->parser, (int)n, n == 0);
		}
		if (status == XML_STATUS_ERROR)
			return -1;
	}
	x->complete = false;
	return 1;
}

static struct span
text_of(const struct xlsx *x, size_t i)
{
	size_t from = i == 0 ? 0 : x->at[i - 1];

	return span_of(x->text.p + from, x->at[i] - from);
}

static size_t
filled_cells(const struct xlsx *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		n += x->kinds[i] != FIELD_NULL && text_of(x, i).len > 0;
	return n;
}

static int
begin_sheet(struct xlsx *x)
{
	packed_part_close(&x->part);
	if (x->parser != NULL)
		XML_ParserFree(x->parser);
	x->parser = packed_parser(x, start_sheet, end_sheet, sheet_text);
	x->paused = x->finished = x->complete = x->inside = false;
	x->number = x->ordinal = x->errors = x->unsaved = 0;
	return packed_part_open(x->zip, x->sheet, XLSX_UNPACKED_MAX, &x->part);
}

static int
xlsx_fail(const struct xlsx *x, struct err *err)
{
	const char *fault = packed_is_bomb(&x->part) ? XLSX_BOMB : x->fault;

	return fault != NULL ? err_set(err, ERR_INVALID_ARGUMENTS, "the workbook cannot be read: %s", fault) :
			       err_set(err, ERR_INVALID_ARGUMENTS, "the workbook is damaged");
}

/* Tell once which cells are null though something is in them. */
static void
note_cells(struct xlsx *x)
{
	if (x->errors > 0 && !x->told)
		notes_add(&x->rows.notes, 0, SPAN_NONE, "%llu cells with an error such as #DIV/0! are NULL",
		    (unsigned long long)x->errors);
	if (x->unsaved > 0 && !x->told)
		notes_add(&x->rows.notes, 0, SPAN_NONE,
		    "%llu formulas have no saved value and are NULL; open the workbook in a spreadsheet program, save "
		    "it, "
		    "and import it again",
		    (unsigned long long)x->unsaved);
	x->told = true;
}

static enum rows_next
xlsx_next(struct import_rows *r, struct import_row *row, const char **reason, struct err *err)
{
	struct xlsx *x = (struct xlsx *)r;

	do {
		int more = read_row(x);

		if (more < 0)
			xlsx_fail(x, err);
		else if (more == 0)
			note_cells(x);
		if (more <= 0)
			return more < 0 ? ROWS_FAILED : ROWS_END;
	} while (x->ordinal < x->first || (filled_cells(x) == 0 && !x->too_long));
	r->done = x->part.read;
	r->total = x->part.size;
	*row = (struct import_row){ x->number, x->columns, x->fields };
	if (x->too_long) {
		*reason = "it is longer than 16 MB";
		return ROWS_BAD;
	}
	for (size_t i = x->columns; i < x->n; i++)
		if (x->kinds[i] != FIELD_NULL && text_of(x, i).len > 0) {
			*reason = "it has more fields than there are columns";
			return ROWS_BAD;
		}
	for (size_t i = 0; i < x->columns; i++)
		x->fields[i] = i < x->n ? (struct import_field){ text_of(x, i), x->kinds[i] } :
					  (struct import_field){ .kind = FIELD_NULL };
	return ROWS_ROW;
}

static int
xlsx_rewind(struct import_rows *r, struct err *err)
{
	struct xlsx *x = (struct xlsx *)r;

	return begin_sheet(x) == 0 ? 0 : xlsx_fail(x, err);
}

static void
xlsx_close(struct import_rows *r)
{
	struct xlsx *x = (struct xlsx *)r;

	packed_part_close(&x->part);
	if (x->parser != NULL)
		XML_ParserFree(x->parser);
	if (x->zip != NULL)
		zip_discard(x->zip);
	rows_free_names(x->names, x->names == NULL ? 0 : x->columns);
	for (size_t i = 0; i < x->nsheets; i++) {
		free(x->sheets[i].name);
		free(x->sheets[i].id);
	}
	free(x->sheets);
	free(x->fields);
	free(x->sheet);
	free(x->ends);
	free(x->looks);
	free(x->at);
	free(x->kinds);
	buf_fini(&x->strings);
	buf_fini(&x->text);
	buf_fini(&x->cell);
	free(x);
}

static const struct span *
xlsx_names(const struct import_rows *r)
{
	return ((const struct xlsx *)r)->names;
}

static void
xlsx_describe(const struct import_rows *r, struct buf *out)
{
	const struct xlsx *x = (const struct xlsx *)r;

	json_put_cstr(out, "sheet", x->sheets[x->chosen].name);
	json_put_bool(out, "header", x->header);
}

static const struct rows_class xlsx_class = { xlsx_next, xlsx_rewind, xlsx_close, xlsx_names, xlsx_describe };

/* The names from the row that was read; without a header they are empty. */
static void
keep_names(struct xlsx *x)
{
	for (size_t i = 0; i < x->columns; i++)
		x->names[i] = span_str(mem_text(x->header && i < x->n ? text_of(x, i) : SPAN("")));
}

static bool
is_header(const struct xlsx *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->kinds[i] == FIELD_BARE)
			return false;
	return true;
}

/* Tell that the row that was read stands above the table. */
static void
note_skipped(struct xlsx *x)
{
	struct import_notes *notes = &x->rows.notes;
	struct buf cells = { .max = 4096 }, quoted = { 0 };

	if (filled_cells(x) == 0 || notes->skipped++ >= LISTED)
		return;
	for (size_t i = 0; i < x->n; i++) {
		buf_str(&cells, cells.len > 0 && text_of(x, i).len > 0 ? " " : "");
		buf_span(&cells, text_of(x, i));
	}
	notes_quote(&quoted, buf_view(&cells));
	notes_add(notes, x->number, SPAN_NONE, "it is above the table and was passed over: %s", buf_cstr(&quoted));
	buf_fini(&quoted);
	buf_fini(&cells);
}

/*
 * The row at which the table begins: the first one of the usual width that is at least half filled; the first one that
 * is filled if there is no such row.  0: all are empty; -1: the sheet cannot be read.
 */
static int64_t
find_first(struct xlsx *x, size_t *usual)
{
	size_t widths[LOOKED_AT], n = 0;
	uint64_t filled = 0;
	int more;

	while (n < LOOKED_AT && (more = read_row(x)) > 0)
		if (filled_cells(x) > 0) {
			filled = filled == 0 ? x->ordinal : filled;
			widths[n++] = x->n;
		}
	if (n == 0)
		return x->fault != NULL || packed_is_bomb(&x->part) ? -1 : 0;
	*usual = rows_usual_width(widths, n);
	if (begin_sheet(x) != 0)
		return -1;
	while ((more = read_row(x)) > 0)
		if (x->n >= *usual && filled_cells(x) * 2 >= *usual)
			return (int64_t)x->ordinal;
	return more < 0 ? -1 : (int64_t)filled;
}

/* If all cells of the table's first row are texts, it is the header. */
static int
find_table(struct xlsx *x, enum header_wish wish, struct err *err)
{
	size_t usual = 0;
	int64_t first = find_first(x, &usual);

	if (first == 0) {
		struct buf name = { .max = 300 };

		notes_quote(&name, span_str(x->sheets[x->chosen].name));
		err_set(err, ERR_INVALID_ARGUMENTS, "the sheet %s is empty; --sheet names another one",
		    buf_cstr(&name));
		buf_fini(&name);
		return -1;
	}
	if (first < 0 || begin_sheet(x) != 0)
		return xlsx_fail(x, err);
	while (read_row(x) > 0 && x->ordinal < (uint64_t)first)
		note_skipped(x);
	if (x->rows.notes.skipped > LISTED)
		notes_add(&x->rows.notes, 0, SPAN_NONE, "%llu more rows above the table were passed over",
		    (unsigned long long)(x->rows.notes.skipped - LISTED));
	x->rows.columns = x->columns = x->n > usual ? x->n : usual;
	x->names = mem_new(x->columns, sizeof(*x->names));
	x->fields = mem_new(x->columns, sizeof(*x->fields));
	x->header = wish == HEADER_GUESS ? is_header(x) : wish == HEADER_YES;
	x->first = x->ordinal + (x->header ? 1 : 0);
	keep_names(x);
	return xlsx_rewind(&x->rows, err);
}

/* What a zip file is that is no workbook. */
static int
refuse_packed(zip_t *zip, struct err *err)
{
	static const struct {
		const char *part, *says;
	} kinds[] = {
		{ "word/document.xml",
		    "the file is a Word document; it is read with `carrel dataset document ID FILE`" },
		{ "xl/workbook.bin", "the file is a binary workbook (XLSB); save it as XLSX or CSV first" },
		{ "ppt/presentation.xml", "the file is a presentation, not a table" },
		{ "content.xml", "the file is an OpenDocument file; save its table as XLSX or CSV first" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (zip_name_locate(zip, kinds[i].part, 0) >= 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "%s", kinds[i].says);
	return err_set(err, ERR_INVALID_ARGUMENTS, "the file is packed (zip), and no workbook (XLSX); unpack it first");
}

struct import_rows *
xlsx_open(int fd, const struct rows_wishes *wishes, struct err *err)
{
	struct xlsx *x = mem_new(1, sizeof(*x));

	x->rows.class = &xlsx_class;
	x->strings.max = XLSX_STRINGS_MAX;
	x->cell.max = x->text.max = ROWS_RECORD_MAX;
	x->type = CELL_TEXT;
	x->wish = wishes->sheet;
	if ((x->zip = packed_open(fd)) == NULL)
		err_set(err, ERR_INVALID_ARGUMENTS, "the file is no workbook (XLSX), or it is damaged");
	else if (zip_name_locate(x->zip, "xl/workbook.xml", 0) < 0)
		refuse_packed(x->zip, err);
	else if (xlsx_read_book(x) != 0 || begin_sheet(x) != 0)
		x->wish != NULL && x->nsheets > 0 && !x->found ? xlsx_refuse_sheet(x, err) : xlsx_fail(x, err);
	else if (find_table(x, wishes->header, err) == 0)
		return &x->rows;
	rows_close(&x->rows);
	return NULL;
}
