#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/unit.h"
#include "workers/memory/read/words_note.h"

/* Words for units; in_names: also used in names of columns. */
static const struct { const char *word; enum unit_of unit; bool in_names; } words_of[] = {
	{ "eur", UNIT_EUR, true }, { "euro", UNIT_EUR, true }, { "euros", UNIT_EUR, true }, { "€", UNIT_EUR, false },
	{ "usd", UNIT_USD, true }, { "dollar", UNIT_USD, true }, { "dollars", UNIT_USD, true },
	{ "$", UNIT_USD, false },
	{ "gbp", UNIT_GBP, true }, { "pound", UNIT_GBP, false }, { "pounds", UNIT_GBP, false },
	{ "chf", UNIT_CHF, true }, { "franc", UNIT_CHF, false }, { "francs", UNIT_CHF, false },
	{ "franken", UNIT_CHF, false }, { "jpy", UNIT_JPY, true }, { "yen", UNIT_JPY, true },
	{ "milliseconds", UNIT_MS, true }, { "ms", UNIT_MS, true }, { "millisekunden", UNIT_MS, true },
	{ "seconds", UNIT_SECOND, true }, { "sec", UNIT_SECOND, true }, { "secs", UNIT_SECOND, true },
	{ "sekunden", UNIT_SECOND, true },
	{ "minutes", UNIT_MINUTE, true }, { "min", UNIT_MINUTE, true }, { "mins", UNIT_MINUTE, true },
	{ "minuten", UNIT_MINUTE, true },
	{ "hours", UNIT_HOUR, true }, { "hrs", UNIT_HOUR, true }, { "stunden", UNIT_HOUR, true },
	{ "days", UNIT_DAY, true }, { "tage", UNIT_DAY, true }, { "tagen", UNIT_DAY, true },
};

/* Records a unit; two different ones of the same kind become UNIT_MIXED. */
static void
note_unit(struct unit_facts *f, struct span word)
{
	for (size_t i = 0; i < sizeof(words_of) / sizeof(words_of[0]); i++) {
		enum unit_of *kind = words_of[i].unit < UNIT_MS ? &f->money : &f->time;

		if (words_of[i].in_names && span_is_word(word, words_of[i].word))
			*kind = *kind == UNIT_UNKNOWN || *kind == words_of[i].unit ? words_of[i].unit : UNIT_MIXED;
	}
}

/* Reads the unit from a column's name and description; true: it is in cents. */
static bool
read_column(const struct source *source, struct span name, struct unit_facts *f)
{
	const struct source_column *column = source_find_column(source, name);
	struct span rest = name;
	bool counts = false;

	while (rest.len > 0) {
		const uint8_t *end = memchr(rest.p, '_', rest.len);
		struct span part = span_of(rest.p, end == NULL ? rest.len : (size_t)(end - rest.p));

		note_unit(f, part);
		counts = end == NULL && span_is_any_word(part, words_cents);
		rest = end == NULL ? SPAN_NONE : formula_from(rest, part.len + 1);
	}
	if (column != NULL) {
		struct wording said;

		wording_split(column->description, &said);
		for (size_t i = 0; i < said.n; i++) {
			note_unit(f, said.v[i]);
			counts = counts || span_is_word(said.v[i], "cents");
		}
	}
	return counts;
}

/* A number of the formula: 1000 and 1000.0 are 1 with three zeros. */
static void
read_number(struct span s, struct unit_facts *f)
{
	size_t n = 1;

	while (n < s.len && s.p[n] == '0')
		n++;
	if (s.p[0] == '1' && n <= 16 && (n == s.len || !ascii_is_digit(s.p[n])))
		f->zeros |= 1u << (n - 1);
}

void
unit_read(const struct source *source, struct span formula, struct unit_facts *out)
{
	bool cents = false;
	size_t n;

	*out = (struct unit_facts){ .read = true, .unscaled = true };
	for (size_t i = 0; i < formula.len; i += n) {
		struct span owner, last;

		n = 1;
		out->quotient = out->quotient || formula.p[i] == '/';
		if (ascii_is_digit(formula.p[i])) {
			out->unscaled = false;
			read_number(formula_from(formula, i), out);
			while (i + n < formula.len && (ascii_is_digit(formula.p[i + n]) || formula.p[i + n] == '.'))
				n++;
		}
		if (!formula_is_letter(formula.p[i]))
			continue;
		n = formula_dotted(formula_from(formula, i), &owner, &last);
		out->quotient = out->quotient || span_is_word(last, "avg");
		/* "min(" is a function; "min" otherwise a unit. */
		if (owner.len > 0 || i + n == formula.len || formula.p[i + n] != '(')
			cents = read_column(source, last, out) || cents;
	}
	out->cents = out->unscaled && cents;
}

bool
unit_is(const struct wording *w, size_t from)
{
	bool unit = false;

	for (size_t i = from; i < w->n; i++)
		if (span_is_any_word(w->v[i], words_units))
			unit = true;
		else if (!span_is_any_word(w->v[i], words_beside_units))
			return false;
	/* "per cent" is a unit; "per day" divides. */
	for (size_t i = from; i < w->n; i++)
		if (span_is_word(w->v[i], "per") && (i + 1 == w->n || !span_is_word(w->v[i + 1], "cent")))
			return false;
	return unit || (w->n == from + 2 && wording_phrase_at(w, from, "per cent") == 2) ||
	    (w->n == from + 3 && wording_phrase_at(w, from, "in per cent") == 3);
}

bool
unit_within(const struct wording *w)
{
	return wording_has(w, words_units);
}

/* Whether the words name another unit of the same kind, and the formula does not convert. */
static bool
converts(const struct unit_facts *f, const struct wording *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < sizeof(words_of) / sizeof(words_of[0]); k++) {
			enum unit_of have = words_of[k].unit < UNIT_MS ? f->money : f->time;

			if (have != UNIT_UNKNOWN && have != words_of[k].unit && span_is_word(w->v[i], words_of[k].word))
				return true;
		}
	return false;
}

bool
unit_fits(const struct unit_facts *f, const struct wording *w)
{
	if (!f->read)
		return true;
	/* For columns in cents, thousands are 1 / 100000. */
	if (wording_has(w, words_thousands) && (f->zeros & (1u << 3 | 1u << 5)) == 0)
		return false;
	if (wording_has(w, words_millions) && (f->zeros & (1u << 6 | 1u << 8)) == 0)
		return false;
	if (wording_has(w, words_parts) && !f->quotient)
		return false;
	if (f->unscaled && converts(f, w))
		return false;
	return !f->cents || !wording_has(w, words_whole_units) || wording_has(w, words_parts_of_units);
}
