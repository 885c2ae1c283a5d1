#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/words_note.h"

bool
definition_code(struct span s, struct span *code, struct span *rest)
{
	const uint8_t *end = s.len > 1 && s.p[0] == '`' ? memchr(s.p + 1, '`', s.len - 1) : NULL;

	if (end == NULL)
		return false;
	*code = span_trim(span_of(s.p + 1, (size_t)(end - s.p - 1)));
	*rest = formula_from(s, (size_t)(end + 1 - s.p));
	return true;
}

bool
definition_is_filler(struct span words)
{
	struct span rest = words;

	while (rest.len > 0) {
		size_t n = 0;

		while (rest.len > 0 && strchr(" \t\n:*_\"(=", rest.p[0]) != NULL)
			rest = formula_from(rest, 1);
		while (n < rest.len && strchr(" \t\n:*_\"(=", rest.p[n]) == NULL)
			n++;
		if (n > 0 && !span_is_any_word(span_of(rest.p, n), words_filler))
			return false;
		rest = formula_from(rest, n);
	}
	return true;
}

void
definition_find_formula(struct definition *d)
{
	struct span s = d->meaning, code, rest;
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		struct span here = formula_from(s, i);

		n = 1;
		if (definition_code(here, &code, &rest)) {
			n = here.len - rest.len;
			if (!formula_aggregates(code))
				continue;
			d->formula = code;
			d->rest = rest;
		} else if ((i == 0 || !formula_is_name(s.p[i - 1])) && !ascii_is_space(here.p[0]) && here.p[0] != '+' &&
		    here.p[0] != '-' && (n = formula_length(here)) > 0 && formula_aggregates(span_of(here.p, n))) {
			d->formula = span_of(here.p, n);
			d->rest = formula_from(here, n);
		} else {
			n = formula_is_letter(here.p[0]) && n > 0 ? n : 1;
			continue;
		}
		/* "sum(x)*" refers to a footnote, unless the formula itself is emphasised. */
		d->words_before = !definition_is_filler(span_of(s.p, i)) ||
		    (d->rest.len > 0 && d->rest.p[0] == '*' && !(d->rest.len > 1 && d->rest.p[1] == '*') &&
			(i == 0 || s.p[i - 1] != '*'));
		return;
	}
	/* No formula was found within s: all of s is taken if it calls an aggregate. */
	if (formula_aggregates(s))
		d->formula = s;
}

/* The start of the subject of the definition at `at`: after the last formula and the conjunction. */
static size_t
subject_start(struct span s, size_t from, size_t at)
{
	size_t start = from, n;

	for (size_t i = from; from > 0 && i < at; i += n) {
		n = 1;
		if (s.p[i] == '`') {
			struct span code, rest;

			n = definition_code(formula_from(s, i), &code, &rest) ? (size_t)(rest.p - (s.p + i)) : 1;
			start = i + n;
		} else if (strchr(",;", s.p[i]) != NULL)
			start = i + 1;
		else if (ascii_is_alnum(s.p[i]) || s.p[i] >= 0x80) {
			while (i + n < at && (ascii_is_alnum(s.p[i + n]) || s.p[i + n] >= 0x80 || s.p[i + n] == '_'))
				n++;
			if (span_is_any_word(span_of(s.p + i, n), words_definition_joins))
				start = i + n;
		}
	}
	return start < at ? start : from;
}

/* Whether s begins with a formula that aggregates, in backticks or plain. */
static bool
begins_formula(struct span s)
{
	struct span code, rest;

	s = span_trim(s);
	return (definition_code(s, &code, &rest) && formula_aggregates(code)) ||
	    (s.len > 0 && formula_is_letter(s.p[0]) && formula_aggregates(span_of(s.p, formula_length(s))));
}

/* A definition without a defining phrase: "Net revenue: `sum(…)`" and "net revenue is `sum(…)`". */
static bool
short_definition(struct span s, size_t *at, size_t *width)
{
	struct span code, rest;

	for (size_t i = 1; i < s.len; i++) {
		size_t n = s.p[i] == ':' ? 1 : s.len - i > 4 && memcmp(s.p + i, " is ", 4) == 0 ? 4 : 0, skip;

		if (s.p[i] == '`' && definition_code(formula_from(s, i), &code, &rest))
			i = (size_t)(rest.p - s.p) - 1;
		if (n == 0 || s.p[i] == '`')
			continue;
		for (skip = i + n; skip < s.len && strchr(" *_", s.p[skip]) != NULL; skip++)
			;
		if (begins_formula(formula_from(s, skip))) {
			*at = i;
			*width = n;
			return true;
		}
	}
	return false;
}

/* Finds the next defining phrase outside of code; after the first one an equals sign only counts before a formula. */
static bool
next_definition(struct span s, size_t from, size_t *at, size_t *width)
{
	size_t first = from;

	while (signals_next_definition(s, from, at, width)) {
		size_t ticks = 0;

		for (size_t i = 0; i < *at; i++)
			ticks += s.p[i] == '`';
		if (ticks % 2 == 0 && (first == 0 || s.p[*at] != '=' || begins_formula(formula_from(s, *at + 1))))
			return true;
		from = *at + *width;
	}
	return false;
}

size_t
definition_read(struct span s, struct definition out[DEFINITIONS_MAX])
{
	size_t at[DEFINITIONS_MAX], width[DEFINITIONS_MAX], start[DEFINITIONS_MAX + 1], n = 0, from = 0;

	while (n < DEFINITIONS_MAX && next_definition(s, from, &at[n], &width[n])) {
		from = at[n] + width[n];
		n++;
	}
	if (n == 0 && short_definition(s, &at[0], &width[0]))
		n = 1;
	for (size_t i = 0; i < n; i++)
		start[i] = subject_start(s, i == 0 ? 0 : at[i - 1] + width[i - 1], at[i]);
	start[n] = s.len;
	for (size_t i = 0; i < n; i++) {
		size_t m = at[i] + width[i];

		out[i] = (struct definition){ .subject = subject_plain(span_of(s.p + start[i], at[i] - start[i])),
			.meaning = span_trim(span_of(s.p + m, start[i + 1] > m ? start[i + 1] - m : 0)) };
		out[i].question = s.p[s.len - 1] == '?';
		out[i].equals = width[i] == 1;
		out[i].footnote = subject_has_footnote(span_of(s.p + start[i], at[i] - start[i]));
		definition_find_formula(&out[i]);
	}
	return n;
}
