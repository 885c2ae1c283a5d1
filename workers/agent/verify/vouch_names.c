#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/text/locale_text.h"
#include "base/text/safe_text.h"
#include "workers/agent/verify/vouch_names.h"

#define NAME_BYTES  60u /* longer cells are not quotable */
#define NAME_TOKENS 12u
#define NAMES_MAX   4096u
#define FORMS	    6u /* of writing one date */

struct vouch_names {
	struct arena *a;
	const struct vouch_about *about;
	size_t n;
	struct vouch_name list[NAMES_MAX];
};

void
vouch_rows_all(struct vouch_rows *r, size_t n)
{
	*r = (struct vouch_rows){ { 0 } };
	for (size_t i = 0; i < n && i < VOUCH_ROWS; i++)
		r->bits[i / 64] |= UINT64_C(1) << i % 64;
}

void
vouch_rows_meet(struct vouch_rows *r, const struct vouch_rows *other)
{
	for (size_t i = 0; i < VOUCH_ROWS / 64; i++)
		r->bits[i] &= other->bits[i];
}

size_t
vouch_rows_only(const struct vouch_rows *r)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < VOUCH_ROWS; i++)
		if ((r->bits[i / 64] >> i % 64 & 1) != 0) {
			if (found != SIZE_MAX)
				return SIZE_MAX;
			found = i;
		}
	return found;
}

bool
vouch_is_visible(struct span text)
{
	struct buf shown = { 0 };
	bool same;

	safe_text_strip(&shown, text, true);
	same = span_is(buf_view(&shown), text);
	buf_fini(&shown);
	return same;
}

bool
vouch_is_address(const struct vouch_token *t, size_t i, size_t n)
{
	bool glued = i > 0 && t[i].glued && i + 1 < n && t[i + 1].glued;

	if (t[i].kind != VOUCH_MARK || !glued)
		return false;
	if (span_is_str(t[i].text, "/"))
		return t[i - 1].kind == VOUCH_MARK || t[i + 1].kind == VOUCH_MARK;
	return ascii_is_any(t[i].text.p[0], ".:") && t[i - 1].kind == VOUCH_WORD && t[i + 1].kind == VOUCH_WORD;
}

/* Whether the text is short and contains no markup or address. */
static bool
is_quotable(struct span text, const struct vouch_token *t, size_t n)
{
	bool any = false;

	if (!vouch_is_visible(text))
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (ascii_is_any(text.p[i], "*_`[]<>|\\#@{}\"=^~\n\t"))
			return false;
	for (size_t i = 0; i < n; i++) {
		any = any || t[i].kind != VOUCH_MARK;
		if (vouch_is_address(t, i, n))
			return false;
	}
	return any;
}

static bool
same_tokens(const struct vouch_token *a, const struct vouch_token *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!span_is(a[i].text, b[i].text))
			return false;
	return true;
}

/* Find or add the entry of a text.  NULL: the text is not quotable, or there is no room. */
static struct vouch_name *
add_name(struct vouch_names *names, struct span text)
{
	struct vouch_number number;
	struct vouch_token *t;
	size_t n;

	if (text.len == 0 || text.len > NAME_BYTES || names->n == NAMES_MAX ||
	    (t = vouch_tokens(names->a, text, NAME_TOKENS, &n)) == NULL || !is_quotable(text, t, n))
		return NULL;
	for (size_t i = 0; i < names->n; i++)
		if (names->list[i].n == n && same_tokens(names->list[i].t, t, n))
			return &names->list[i];
	names->list[names->n] = (struct vouch_name){ .t = t,
		.n = n,
		.text = arena_span(names->a, text),
		.digits = vouch_number(names->a, t, n, names->about->german, &number) == n,
		.column = SIZE_MAX };
	return &names->list[names->n++];
}

static void
add_key(struct vouch_names *names, struct span text, size_t row, size_t column)
{
	struct vouch_name *name = add_name(names, text);

	if (name == NULL)
		return;
	name->keys = true;
	name->columns |= 1u << column;
	name->rows.bits[row / 64] |= UINT64_C(1) << row % 64;
}

/* Add a name of a column, and its plural. */
static void
add_column(struct vouch_names *names, struct span text, size_t column)
{
	struct vouch_name *name = add_name(names, text);
	struct buf plural = { 0 };

	if (name != NULL && name->column == SIZE_MAX)
		name->column = column;
	buf_printf(&plural, "%.*ss", SPAN_FMT(text));
	if ((name = add_name(names, buf_view(&plural))) != NULL && name->column == SIZE_MAX)
		name->column = column;
	buf_fini(&plural);
}

/* Read a cell that is a day, or a day with the time 00:00. */
static bool
read_day(struct span cell, struct tm *day)
{
	char text[11];
	const char *end;

	*day = (struct tm){ 0 };
	if (cell.len < 10)
		return false;
	memcpy(text, cell.p, 10);
	text[10] = '\0';
	for (size_t i = 10; i < cell.len; i++)
		if (!ascii_is_any(cell.p[i], " T:0.Z+"))
			return false;
	end = strptime(text, "%Y-%m-%d", day);
	return end != NULL && *end == '\0';
}

/* The usual spellings of a period that begins on this day: one in each form, some empty. */
static void
put_forms(char forms[FORMS][40], const struct tm *day, struct span granularity, bool german)
{
	const char *month = locale_month((unsigned)day->tm_mon, german);
	int year = day->tm_year + 1900, quarter = day->tm_mon / 3 + 1;

	memset(forms, 0, FORMS * sizeof(forms[0]));
	snprintf(forms[0], 40, "%04d-%02d-%02d", year, day->tm_mon + 1, day->tm_mday);
	if (span_is_str(granularity, "year") && day->tm_yday == 0) {
		snprintf(forms[1], 40, "%d", year);
	} else if (span_is_str(granularity, "quarter") && day->tm_mday == 1 && day->tm_mon % 3 == 0) {
		snprintf(forms[1], 40, "Q%d %d", quarter, year);
		snprintf(forms[2], 40, "%d-Q%d", year, quarter);
		snprintf(forms[3], 40, "%d. Quartal %d", quarter, year);
	} else if (span_is_str(granularity, "month") && day->tm_mday == 1) {
		snprintf(forms[1], 40, "%s %d", month, year);
		snprintf(forms[2], 40, "%04d-%02d", year, day->tm_mon + 1);
	} else {
		snprintf(forms[1], 40, german ? "%d. %s %d" : "%d %s %d", day->tm_mday, month, year);
		snprintf(forms[2], 40, "%s %d, %d", month, day->tm_mday, year);
		snprintf(forms[3], 40, "%02d.%02d.%d", day->tm_mday, day->tm_mon + 1, year);
	}
}

static void
add_cell(struct vouch_names *names, const struct sheet *s, size_t row, size_t column)
{
	char forms[FORMS][40];
	struct buf text = { 0 };
	struct tm day;

	const struct mp_value *cell = sheet_cell(s, row, column);

	sheet_put_key(&text, s, row, column, false);
	add_key(names, buf_view(&text), row, column);
	if (s->columns[column].role == SHEET_TIME && cell->class == MP_STR && read_day(cell->s, &day)) {
		put_forms(forms, &day, names->about->granularity, names->about->german);
		for (size_t i = 0; i < FORMS; i++)
			add_key(names, span_str(forms[i]), row, column);
	}
	buf_fini(&text);
}

const struct vouch_names *
vouch_names(struct arena *a, const struct vouch_about *about, const struct sheet *s)
{
	struct vouch_names *names = arena_alloc(a, sizeof(*names));
	struct vouch_name *unit;

	if (names == NULL || s->nrows > VOUCH_ROWS || s->ncolumns > SHEET_COLUMNS_MAX)
		return NULL;
	*names = (struct vouch_names){ .a = a, .about = about };
	for (size_t k = 0; k < s->ncolumns; k++) {
		add_column(names, s->columns[k].name, k);
		if (s->columns[k].role == SHEET_VALUE && !span_is_str(s->columns[k].unit, "%") &&
		    (unit = add_name(names, s->columns[k].unit)) != NULL)
			unit->unit = true;
	}
	for (size_t i = 0; i < about->nfacts && i < VOUCH_FACTS; i++)
		(void)add_name(names, about->facts[i]);
	for (size_t row = 0; row < s->nrows; row++)
		for (size_t k = 0; k < s->ncolumns; k++)
			if (s->columns[k].role == SHEET_KEY || s->columns[k].role == SHEET_TIME)
				add_cell(names, s, row, k);
	return names->n < NAMES_MAX ? names : NULL;
}

size_t
vouch_find_name(const struct vouch_names *names, const struct vouch_token *t, size_t n, const struct vouch_name **name)
{
	size_t best = 0;

	*name = NULL;
	for (size_t i = 0; i < names->n; i++)
		if (names->list[i].n > best && names->list[i].n <= n &&
		    same_tokens(names->list[i].t, t, names->list[i].n)) {
			best = names->list[i].n;
			*name = &names->list[i];
		}
	return best;
}

bool
vouch_starts_unit(const struct vouch_names *names, const struct vouch_token *t, size_t n)
{
	const struct vouch_name *name;

	return vouch_find_name(names, t, n, &name) > 0 && name->unit;
}
