/* xlsx_book.c - the other parts of a workbook that the sheet refers to: see xlsx_book.h. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/notes.h"
#include "workers/import/xlsx.h"
#include "workers/import/xlsx_book.h"

struct xlsx *
xlsx_owner(void *parser)
{
	return XML_GetUserData((XML_Parser)parser);
}

static int
parse_part(struct xlsx *x, const char *name, void *arg, XML_StartElementHandler start, XML_EndElementHandler end,
    XML_CharacterDataHandler text)
{
	int result = packed_parse(x->zip, name, XLSX_UNPACKED_MAX, arg, start, end, text);

	if (result == PACKED_BOMB)
		x->fault = XLSX_BOMB;
	return result;
}

static void
add_sheet(struct xlsx *x, const char *name, const char *id, const char *state)
{
	x->sheets = mem_grow(x->sheets, x->nsheets, &x->sheets_cap, sizeof(*x->sheets));
	x->sheets[x->nsheets++] = (struct xlsx_sheet){ mem_text(span_str(name)), mem_text(span_str(id)),
		state != NULL && strcmp(state, "visible") != 0 };
	if (x->wish != NULL) {
		if (!x->found && strcmp(x->wish, name) == 0) {
			x->chosen = x->nsheets - 1;
			x->found = true;
		}
	} else if (x->sheets[x->chosen].hidden)
		x->chosen = x->sheets[x->nsheets - 1].hidden ? 0 : x->nsheets - 1;
}

static void
start_workbook(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct xlsx *x = xlsx_owner(parser);
	const char *id = packed_attribute(attributes, "id"), *title = packed_attribute(attributes, "name"), *value;

	if (packed_is_element(name, "sheet") && id != NULL && x->nsheets < ROWS_COLUMNS_MAX)
		add_sheet(x, title != NULL ? title : "", id, packed_attribute(attributes, "state"));
	if (packed_is_element(name, "workbookPr") && (value = packed_attribute(attributes, "date1904")) != NULL)
		x->from_1904 = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
}

/* The relationship with the sheet's id has the sheet's path. */
static void
start_relationship(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct xlsx *x = xlsx_owner(parser);
	const char *id = packed_attribute(attributes, "Id"), *target = packed_attribute(attributes, "Target");

	if (!packed_is_element(name, "Relationship") || id == NULL || target == NULL || x->sheet != NULL ||
	    strcmp(id, x->sheets[x->chosen].id) != 0)
		return;
	x->sheet = target[0] == '/' ? mem_text(span_str(target + 1)) : mem_printf("xl/%s", target);
}

/* Append the names of the sheets but one. */
static void
put_sheets(struct buf *text, const struct xlsx *x, size_t but)
{
	for (size_t i = 0; i < x->nsheets; i++) {
		if (i == but)
			continue;
		buf_byte(text, ' ');
		notes_quote(text, span_str(x->sheets[i].name));
		buf_str(text, x->sheets[i].hidden ? " (hidden)" : "");
	}
}

/* Tell which sheets are not imported. */
static void
note_sheets(struct xlsx *x)
{
	struct buf text = { .max = 300 };

	if (x->nsheets < 2)
		return;
	buf_str(&text, "the sheet ");
	notes_quote(&text, span_str(x->sheets[x->chosen].name));
	buf_str(&text, " was read; not imported:");
	put_sheets(&text, x, x->chosen);
	notes_add(&x->rows.notes, 0, SPAN_NONE, "%s%s", buf_cstr(&text), text.full ? " and more" : "");
	buf_fini(&text);
}

static void
no_end(void *parser, const XML_Char *name)
{
	(void)parser, (void)name;
}

static void
no_text(void *parser, const XML_Char *text, int n)
{
	(void)parser, (void)text, (void)n;
}

/* The character that "_xHHHH_" at p stands for; 0: p is no such escape, or it is no character of a text. */
static uint32_t
escaped_character(const uint8_t *p, size_t left)
{
	uint32_t c = 0;

	if (left < 7 || p[0] != '_' || p[1] != 'x' || p[6] != '_')
		return 0;
	for (size_t i = 2; i < 6; i++) {
		if (ascii_hex(p[i]) < 0)
			return 0;
		c = c << 4 | (uint32_t)ascii_hex(p[i]);
	}
	return c >= 0xd800 && c < 0xe000 ? 0 : c;
}

void
xlsx_unescape(struct buf *text, size_t from)
{
	struct buf out = { 0 };
	size_t done = from;
	uint32_t c;

	for (size_t i = from; i < text->len; i++) {
		if (text->p[i] != '_' || (c = escaped_character(text->p + i, text->len - i)) == 0)
			continue;
		buf_append(&out, text->p + done, i - done);
		utf8_put(&out, c);
		i += 6;
		done = i + 1;
	}
	if (done > from) {
		buf_append(&out, text->p + done, text->len - done);
		text->len = from;
		buf_span(text, buf_view(&out));
	}
	buf_fini(&out);
}

static void
start_string(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct xlsx *x = xlsx_owner(parser);

	(void)attributes;
	if (packed_is_element(name, "t"))
		x->inside = true;
	/* Phonetic hints are not part of the text. */
	else if (packed_is_element(name, "rPh"))
		x->type = CELL_ERROR;
}

static void
end_string(void *parser, const XML_Char *name)
{
	struct xlsx *x = xlsx_owner(parser);

	if (packed_is_element(name, "t"))
		x->inside = false;
	else if (packed_is_element(name, "rPh"))
		x->type = CELL_TEXT;
	else if (packed_is_element(name, "si")) {
		xlsx_unescape(&x->strings, x->nstrings == 0 ? 0 : x->ends[x->nstrings - 1]);
		x->ends = mem_grow(x->ends, x->nstrings, &x->strings_cap, sizeof(*x->ends));
		x->ends[x->nstrings++] = x->strings.len;
	}
}

static void
string_text(void *parser, const XML_Char *text, int n)
{
	struct xlsx *x = xlsx_owner(parser);

	if (x->inside && x->type != CELL_ERROR)
		buf_append(&x->strings, text, (size_t)n);
	if (x->strings.full) {
		x->fault = "its texts take more than 1 GB";
		XML_StopParser((XML_Parser)parser, XML_FALSE);
	}
}

struct span
xlsx_shared_string(const struct xlsx *x, size_t i)
{
	size_t from = i == 0 ? 0 : x->ends[i - 1];

	return span_of(x->strings.p + from, x->ends[i] - from);
}

/*
 * The kind of a custom number format: zeros alone, as in 00000, or one with letters of days and hours outside quotes
 * and brackets.
 */
static uint8_t
look_of_code(const char *code)
{
	bool quoted = false, bracket = false, day = false, hour = false;
	size_t zeros = strspn(code, "0");

	if (zeros >= 2 && zeros <= LOOK_ZEROS_MAX && (code[zeros] == '\0' || code[zeros] == ';'))
		return (uint8_t)(LOOK_ZEROS + zeros);
	for (; *code != '\0'; code++) {
		if (*code == '\\' && code[1] != '\0')
			code++;
		else if (*code == '"')
			quoted = !quoted;
		else if (!quoted && (*code == '[' || *code == ']'))
			bracket = *code == '[';
		else if (!quoted && !bracket) {
			day = day || strchr("dDyY", *code) != NULL;
			hour = hour || strchr("hHsS", *code) != NULL;
		}
	}
	return !day ? LOOK_NUMBER : hour ? LOOK_TIME : LOOK_DATE;
}

/* Built-in number formats: ECMA-376 part 1, 18.8.30. */
static uint8_t
look_of_id(unsigned long id)
{
	return (id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58) ? LOOK_DATE :
	    id == 22                                                                      ? LOOK_TIME :
											    LOOK_NUMBER;
}

/* Custom formats are collected before the cell styles that use them. */
struct formats {
	unsigned long	id[512];
	uint8_t		look[512];
	size_t		n;
	bool		cells;
};

struct styles {
	struct xlsx	*x;
	struct formats	 formats;
};

static void
start_style(void *parser, const XML_Char *name, const XML_Char **attributes)
{
	struct styles *s = XML_GetUserData((XML_Parser)parser);
	struct formats *f = &s->formats;
	const char *id = packed_attribute(attributes, "numFmtId"), *code = packed_attribute(attributes, "formatCode");

	if (packed_is_element(name, "numFmt") && id != NULL && code != NULL &&
	    f->n < sizeof(f->id) / sizeof(f->id[0])) {
		f->id[f->n] = strtoul(id, NULL, 10);
		f->look[f->n++] = look_of_code(code);
	} else if (packed_is_element(name, "cellXfs"))
		f->cells = true;
	else if (packed_is_element(name, "xf") && f->cells && s->x->nlooks < 65536) {
		unsigned long number = id == NULL ? 0 : strtoul(id, NULL, 10);
		uint8_t look = look_of_id(number);

		for (size_t i = 0; i < f->n; i++)
			if (f->id[i] == number)
				look = f->look[i];
		s->x->looks = mem_grow(s->x->looks, s->x->nlooks, &s->x->looks_cap, sizeof(*s->x->looks));
		s->x->looks[s->x->nlooks++] = look;
	}
}

static void
end_style(void *parser, const XML_Char *name)
{
	struct styles *s = XML_GetUserData((XML_Parser)parser);

	if (packed_is_element(name, "cellXfs"))
		s->formats.cells = false;
}

static int
read_styles(struct xlsx *x)
{
	struct styles *s = mem_new(1, sizeof(*s));
	int result;

	s->x = x;
	result = parse_part(x, "xl/styles.xml", s, start_style, end_style, no_text);
	free(s);
	return result;
}

int
xlsx_refuse_sheet(const struct xlsx *x, struct err *err)
{
	struct buf text = { .max = 300 }, wish = { .max = 300 };

	put_sheets(&text, x, SIZE_MAX);
	notes_quote(&wish, span_str(x->wish));
	err_set(err, ERR_INVALID_ARGUMENTS, "the workbook has no sheet %s; its sheets are%s%s", buf_cstr(&wish),
	    buf_cstr(&text), text.full ? " and more" : "");
	buf_fini(&wish);
	buf_fini(&text);
	return -1;
}

int
xlsx_read_book(struct xlsx *x)
{
	if (parse_part(x, "xl/workbook.xml", x, start_workbook, no_end, no_text) != 0 || x->nsheets == 0 ||
	    (x->wish != NULL && !x->found) ||
	    parse_part(x, "xl/_rels/workbook.xml.rels", x, start_relationship, no_end, no_text) != 0 ||
	    x->sheet == NULL || parse_part(x, "xl/sharedStrings.xml", x, start_string, end_string, string_text) != 0)
		return -1;
	note_sheets(x);
	return read_styles(x);
}
