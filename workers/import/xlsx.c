/* xlsx.c - see xlsx.h: reads the cells and rows of the sheet, and finds its table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text/num.h"
#include "workers/import/value_text.h"
#include "workers/import/xlsx.h"
#include "workers/import/xlsx_parts.h"

#define LOOKED_AT	200		/* rows, to find the width of the table */
#define CELL_MAX	((size_t)1 << 20)

/* --- cells ------------------------------------------------------------------------------------------ */

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
print_date(const struct xlsx *x, double serial, enum look look, char out[VALUE_TIME_MAX])
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

static void
finish_number(struct xlsx *x, struct span text)
{
	enum look look = x->style < x->nlooks ? x->looks[x->style] : LOOK_NUMBER;
	char out[VALUE_TIME_MAX];
	double v;
	size_t n;

	if (!num_read_double((const char *)text.p, text.len, &v))
		set_field(x, x->column, text, FIELD_STRING);
	else if (look != LOOK_NUMBER && (n = print_date(x, v, look, out)) > 0)
		set_field(x, x->column, span_of(out, n), FIELD_BARE);
	else {
		/* Computed values may be saved with more digits than a double has. */
		char digits[40];

		set_field(x, x->column, span_of(digits, num_print_double(v, digits)), FIELD_BARE);
	}
}

static void
finish_cell(struct xlsx *x)
{
	struct span text = buf_view(&x->cell);
	size_t i;

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
		set_field(x, x->column, SPAN(""), FIELD_NULL);
		break;
	default:
		if (text.len > 0)
			finish_number(x, text);
	}
}

static void
begin_cell(struct xlsx *x, const XML_Char **attributes)
{
	const char *type = packed_attribute(attributes, "t"), *style = packed_attribute(attributes, "s");

	x->column = column_of(packed_attribute(attributes, "r"), x->n);
	x->style = style == NULL ? 0 : strtoul(style, NULL, 10);
	x->cell.len = 0;
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
		x->n = 0;
		x->text.len = 0;
	} else if (packed_is_element(name, "c"))
		begin_cell(x, attributes);
	else if (packed_is_element(name, "v") || packed_is_element(name, "t"))
		x->inside = true;
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

	if (x->inside && x->cell.len < CELL_MAX)
		buf_append(&x->cell, text, (size_t)n);
}

/* --- rows ------------------------------------------------------------------------------------------- */

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
	x->number = 0;
	return packed_part_open(x->zip, x->sheet, XLSX_UNPACKED_MAX, &x->part);
}

static int
xlsx_fail(const struct xlsx *x, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "the workbook is damaged%s%s", x->fault != NULL ? ": " : "",
	    x->fault != NULL ? x->fault : "");
}

static enum rows_next
xlsx_next(struct import_rows *r, struct import_row *row, const char **reason, struct err *err)
{
	struct xlsx *x = (struct xlsx *)r;

	do {
		int more = read_row(x);

		if (more < 0)
			xlsx_fail(x, err);
		if (more <= 0)
			return more < 0 ? ROWS_FAILED : ROWS_END;
	} while (x->number < x->first || filled_cells(x) == 0);
	r->done = x->part.read;
	r->total = x->part.size;
	*row = (struct import_row){ x->number, x->columns, x->fields };
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

static const struct rows_class xlsx_class = { xlsx_next, xlsx_rewind, xlsx_close };

/* --- the table -------------------------------------------------------------------------------------- */

static void
keep_header(struct xlsx *x)
{
	for (size_t i = 0; i < x->columns; i++)
		x->names[i] = span_str(mem_text(i < x->n ? text_of(x, i) : SPAN("")));
}

static bool
is_header(const struct xlsx *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->kinds[i] == FIELD_BARE)
			return false;
	return true;
}

/* The table begins at the first row of the usual width; if all of its cells are texts, it is the header. */
static int
find_table(struct xlsx *x, struct err *err)
{
	size_t widths[LOOKED_AT], n = 0, usual;
	int more;

	while (n < LOOKED_AT && (more = read_row(x)) > 0)
		if (filled_cells(x) > 0)
			widths[n++] = x->n;
	if (x->fault != NULL || n == 0)
		return x->fault != NULL ? xlsx_fail(x, err) :
					  err_set(err, ERR_INVALID_ARGUMENTS, "the workbook's first sheet is empty");
	usual = rows_usual_width(widths, n);
	if (begin_sheet(x) != 0)
		return xlsx_fail(x, err);
	while (read_row(x) > 0 && (x->n < usual || filled_cells(x) * 2 < usual))
		;
	x->columns = x->n > usual ? x->n : usual;
	x->names = mem_new(x->columns, sizeof(*x->names));
	x->fields = mem_new(x->columns, sizeof(*x->fields));
	x->first = x->number;
	if (is_header(x)) {
		keep_header(x);
		x->first = x->number + 1;
	} else
		for (size_t i = 0; i < x->columns; i++)
			x->names[i] = span_str(mem_text(SPAN("")));
	return xlsx_rewind(&x->rows, err);
}

struct import_rows *
xlsx_open(int fd, struct err *err)
{
	struct xlsx *x = mem_new(1, sizeof(*x));

	x->rows.class = &xlsx_class;
	x->strings.max = XLSX_STRINGS_MAX;
	x->type = CELL_TEXT;
	if ((x->zip = packed_open(fd)) == NULL)
		err_set(err, ERR_INVALID_ARGUMENTS, "the file is no workbook (XLSX)");
	else if (xlsx_read_book(x) != 0 || begin_sheet(x) != 0)
		xlsx_fail(x, err);
	else if (find_table(x, err) == 0)
		return &x->rows;
	xlsx_close(&x->rows);
	return NULL;
}

const struct span *
xlsx_names(const struct import_rows *r)
{
	return ((const struct xlsx *)r)->names;
}
