#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/import/infer.h"
#include "workers/import/value_text.h"

#define GIVE_UP	100	/* misfits before a kind that does not fit half of the texts is given up */

static const unsigned kinds[] = {
	[INFER_FLAG] = VALUE_FLAGS,
	[INFER_NUMBER] = VALUE_NUMBERS,
	[INFER_TIME] = VALUE_DAYS | VALUE_CLOCKS,
};

/* Why t, which looks like a number, is not one; NULL if it does not look like one. */
static const char *
number_fault(struct span t, const struct import_field *f)
{
	return f->kind == FIELD_STRING && value_readings(t, VALUE_NUMBERS) != 0 ? "it is a string" :
										  value_number_fault(t);
}

static void
note_misfit(struct infer_column *c, enum infer_kind kind, struct span t, const struct import_field *f, uint64_t line)
{
	struct infer_misfits *m = &c->misfits[kind];

	if (m->n++ == 0) {
		struct buf quoted = { 0 };

		notes_quote(&quoted, t);
		snprintf(m->text, sizeof(m->text), "%s", buf_cstr(&quoted));
		buf_fini(&quoted);
		m->line = line;
		m->reason = kind == INFER_NUMBER ? number_fault(t, f) : NULL;
	} else if (m->n > GIVE_UP && m->n * 2 > c->filled)
		c->readings &= ~kinds[kind];
}

static void
note_field(struct infer_column *c, const struct import_field *f, uint64_t line)
{
	struct span t = f->text;
	unsigned found, among = c->readings;

	if (f->kind == FIELD_NULL || among == 0)
		return;
	t = span_trim(t);
	if (value_is_nothing(t) && (f->kind != FIELD_STRING || t.len == 0))
		return;
	/* Where the format distinguishes strings from numbers, a string of digits stays text. */
	if (f->kind == FIELD_STRING)
		among &= kinds[INFER_TIME];
	c->filled++;
	found = value_readings(t, among);
	for (enum infer_kind kind = 0; kind < INFER_KINDS; kind++)
		if ((c->readings & kinds[kind]) == 0)
			continue;
		else if ((found & kinds[kind]) == 0)
			note_misfit(c, kind, t, f, line);
		else
			c->readings &= found | ~kinds[kind];
}

void
infer_columns(struct infer_columns *c, size_t n)
{
	unsigned other = c->decimal == ',' ? VALUE_POINTS : c->decimal == '.' ? VALUE_COMMAS : 0;

	while (c->n < n) {
		c->v = mem_grow(c->v, c->n, &c->cap, sizeof(*c->v));
		c->v[c->n++] = (struct infer_column){ .readings = VALUE_ALL & ~other };
	}
}

void
infer_row(struct infer_columns *c, const struct import_row *row)
{
	infer_columns(c, row->n);
	for (size_t i = 0; i < row->n; i++)
		note_field(&c->v[i], &row->fields[i], row->line);
}

/* Whether the file uses decimal commas: some column is only readable with a comma, and none only with a point. */
static bool
writes_comma(const struct infer_columns *c)
{
	size_t points = 0, commas = 0;

	for (size_t i = 0; i < c->n; i++) {
		unsigned r = c->v[i].readings;

		if (c->v[i].filled == c->v[i].misfits[INFER_NUMBER].n || (r & VALUE_INTEGER) != 0)
			continue;
		commas += (r & VALUE_COMMAS) != 0 && (r & VALUE_POINTS) == 0;
		points += (r & VALUE_POINTS) != 0 && (r & VALUE_COMMAS) == 0;
	}
	return c->decimal != 0 ? c->decimal == ',' : commas > points;
}

/* The first of ways, a list that ends with 0, that is among readings; 0: none. */
static unsigned
first_of(unsigned readings, const unsigned *ways)
{
	for (; *ways != 0; ways++)
		if ((readings & *ways) != 0)
			return *ways;
	return 0;
}

/* The type of a column whose texts can be read in these ways, and the way; TEXT otherwise. */
static enum column_type
choose_reading(unsigned r, bool comma, unsigned *as)
{
	static const unsigned points[] = { VALUE_INTEGER, VALUE_POINT_WHOLE, VALUE_POINT, VALUE_POINT_GROUPED,
		VALUE_COMMA, VALUE_COMMA_WHOLE, VALUE_COMMA_GROUPED, 0 };
	static const unsigned commas[] = { VALUE_INTEGER, VALUE_COMMA_WHOLE, VALUE_COMMA, VALUE_COMMA_GROUPED,
		VALUE_POINT, VALUE_POINT_WHOLE, VALUE_POINT_GROUPED, 0 };
	static const unsigned days[] = { VALUE_YMD, VALUE_DMY_POINT, VALUE_DAY_NAMED, VALUE_DMY, VALUE_MDY, 0 };
	static const unsigned clocks[] = { VALUE_DAY_ONLY, VALUE_TIMED, VALUE_ZONED, 0 };
	unsigned day, clock;

	if ((*as = r & VALUE_FLAG ? VALUE_FLAG : r & VALUE_BIT) != 0)
		return COLUMN_BOOLEAN;
	if ((*as = first_of(r, comma ? commas : points)) != 0)
		return (*as & VALUE_WHOLES) != 0 ? COLUMN_INTEGER : COLUMN_REAL;
	/* If all days fit both 03/04/2024 orders, the month is unknown: the column stays text. */
	if ((r & (VALUE_DMY | VALUE_MDY)) == (VALUE_DMY | VALUE_MDY) || (day = first_of(r, days)) == 0 ||
	    (clock = first_of(r, clocks)) == 0)
		return COLUMN_TEXT;
	*as = day | clock;
	return clock == VALUE_DAY_ONLY ? COLUMN_DATE : COLUMN_TIMESTAMP;
}

/* The readings of the kinds that fit all texts. */
static unsigned
fitting(const struct infer_column *c)
{
	unsigned r = c->filled > 0 ? c->readings & ~(unsigned)VALUE_BIT : 0;

	for (enum infer_kind kind = 0; kind < INFER_KINDS; kind++)
		if (c->misfits[kind].n > 0)
			r &= ~kinds[kind];
	return r;
}

static const struct {
	const char	*word;
	unsigned	 readings;
} types[] = {
#define IMPORT_TYPE(word, readings)	{ word, readings },
#include "project/import_words.def"
};

#define TYPES	(sizeof(types) / sizeof(types[0]))

static size_t
find_column(const struct infer_columns *c, const struct span *names, struct span name)
{
	for (size_t i = 0; i < c->n; i++)
		if (span_is(names[i], name))
			return i;
	for (size_t i = 0; i < c->n; i++)
		if (span_is_folded(names[i], name))
			return i;
	return c->n;
}

static int
fail_column(const struct infer_columns *c, const struct span *names, struct span name, struct err *err)
{
	struct buf list = { .max = 600 };

	for (size_t i = 0; i < c->n; i++) {
		buf_str(&list, i == 0 ? "" : ", ");
		notes_quote(&list, names[i]);
	}
	err_set(err, ERR_INVALID_ARGUMENTS, "there is no column \"%.*s\"; the file has %s%s", SPAN_FMT(name),
	    buf_cstr(&list), list.full ? " and more" : "");
	buf_fini(&list);
	return -1;
}

static int
declare_type(struct infer_columns *c, const struct span *names, const char *wish, struct err *err)
{
	const char *equals = strrchr(wish, '=');
	struct span name = span_of(wish, equals == NULL ? 0 : (size_t)(equals - wish));
	size_t t = 0, at = find_column(c, names, name);
	struct infer_column *column;
	unsigned r;

	while (equals != NULL && t < TYPES && strcmp(equals + 1, types[t].word) != 0)
		t++;
	if (equals == NULL || t == TYPES)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a type is given as COLUMN=TYPE, not \"%s\"", wish);
	if (at == c->n)
		return fail_column(c, names, name, err);
	column = &c->v[at];
	column->declared = true;
	r = types[t].readings & column->readings;
	if ((r & VALUE_DAYS) != 0 && (r & (VALUE_DMY | VALUE_MDY)) == (VALUE_DMY | VALUE_MDY))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "whether the day or the month comes first in \"%.*s\" is not known; give its type as dmy or mdy",
		    SPAN_FMT(name));
	/* What no text decides, the type leaves open. */
	if ((r & ~(unsigned)VALUE_CLOCKS) == 0)
		r |= types[t].readings & ~(unsigned)(VALUE_YMD & types[t].readings ? VALUE_DMY | VALUE_MDY : 0);
	if ((r & VALUE_CLOCKS) == 0)
		r |= types[t].readings & VALUE_CLOCKS;
	column->type = choose_reading(r, c->comma, &column->as);
	return 0;
}

int
infer_end(struct infer_columns *c, const struct span *names, const char *const *wishes, size_t nwishes,
    struct err *err)
{
	c->comma = writes_comma(c);
	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].fixed)
			c->v[i].type = choose_reading(fitting(&c->v[i]), c->comma, &c->v[i].as);
	for (size_t i = 0; i < nwishes; i++)
		if (declare_type(c, names, wishes[i], err) != 0)
			return -1;
	return 0;
}

bool
infer_is_null(enum column_type type, const struct import_field *f)
{
	return f->kind == FIELD_NULL || (f->text.len == 0 && f->kind == FIELD_BARE) ||
	    (type != COLUMN_TEXT && value_is_nothing(span_trim(f->text)));
}

bool
infer_fits(const struct infer_columns *c, const struct import_row *row, size_t *column)
{
	for (*column = 0; *column < c->n && *column < row->n; ++*column) {
		const struct infer_column *each = &c->v[*column];
		const struct import_field *f = &row->fields[*column];

		if (each->declared && each->type != COLUMN_TEXT && !infer_is_null(each->type, f) &&
		    (value_readings(span_trim(f->text), each->as) & each->as & ~(unsigned)VALUE_CLOCKS) == 0)
			return false;
	}
	return true;
}

/* The kind that fits most texts, more than half of them. */
static const struct infer_misfits *
nearest_kind(const struct infer_column *c, enum infer_kind *kind)
{
	const struct infer_misfits *best = NULL;

	for (enum infer_kind k = 0; k < INFER_KINDS; k++)
		if ((c->readings & kinds[k] & ~(unsigned)VALUE_BIT) != 0 && c->misfits[k].n * 2 < c->filled &&
		    (best == NULL || c->misfits[k].n < best->n)) {
			best = &c->misfits[k];
			*kind = k;
		}
	return best;
}

void
infer_explain(const struct infer_columns *c, const struct span *names, struct import_notes *notes)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct infer_column *each = &c->v[i];
		enum infer_kind kind = INFER_FLAG;
		const struct infer_misfits *m = nearest_kind(each, &kind);
		enum column_type type;
		unsigned as;

		if (each->type != COLUMN_TEXT || each->declared || m == NULL)
			continue;
		type = choose_reading(each->readings & kinds[kind] & ~(unsigned)VALUE_BIT, c->comma, &as);
		if (m->n == 0)
			notes_add(notes, 0, names[i],
			    "it is TEXT, since whether the day or the month comes first is not known; --type "
			    "COLUMN=dmy or "
			    "COLUMN=mdy says it");
		else
			notes_add(notes, m->line, names[i],
			    "it would be %s but for %llu of %llu values, the first %s%s%s",
			    type == COLUMN_TEXT ? "DATE" : column_type_name(type), (unsigned long long)m->n,
			    (unsigned long long)each->filled, m->text, m->reason != NULL ? ": " : "",
			    m->reason != NULL ? m->reason : "");
	}
}

void
infer_free(struct infer_columns *c)
{
	free(c->v);
	*c = (struct infer_columns){ .decimal = c->decimal };
}

const char *
column_type_name(enum column_type type)
{
	static const char *const names[] = { "TEXT", "BOOLEAN", "INTEGER", "REAL", "DATE", "TIMESTAMP", "BLOB",
		"DECIMAL" };

	return names[type];
}

const char *
infer_type_name(const struct infer_column *c)
{
	return c->given[0] != '\0' ? c->given : column_type_name(c->type);
}
