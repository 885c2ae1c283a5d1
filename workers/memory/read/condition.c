#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/condition.h"
#include "workers/memory/read/condition_column.h"
#include "workers/memory/read/condition_sql.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/unit.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

/* Adds a condition.  out: exclude the rows for which it is true; rows whose column is NULL stay. */
static void
add_condition(struct buf *filter, bool out, struct span condition)
{
	bool joined = signals_find(condition, "or") != NULL || (out && memchr(condition.p, ' ', condition.len) != NULL);
	struct span own = buf_view(filter);

	/* The formula contains the condition already. */
	if (out ? span_begins_word(own, "not ") && span_is(formula_from(own, 4), condition) : span_is(own, condition))
		return;
	if (filter->len > 0)
		buf_str(filter, " and ");
	buf_str(filter, joined ? "(" : "");
	buf_span(filter, condition);
	buf_str(filter, joined ? ")" : "");
	buf_str(filter, out ? " is not true" : "");
}

/* The text between backticks as a condition. */
static enum condition
read_code(const struct condition_of *of, struct span code, bool out, struct buf *filter)
{
	struct span text = span_trim(span_of(code.p + 1, code.len < 2 ? 0 : code.len - 2));
	struct span rest;

	if (span_begins_word(text, "where "))
		text = span_trim(formula_from(text, 6));
	rest = text;
	if (text.len == 0 || formula_aggregates(text) || condition_sql_length(of, text) != text.len) {
		/*
		 * A condition that the reader does not know may still be valid: the compiler decides.  A lone name
		 * must be a known column.
		 */
		bool compares = false;

		for (size_t i = 0; i < rest.len; i++)
			compares = compares || ascii_is_any(rest.p[i], "=<>") || rest.p[i] == ' ';
		if (text.len == 0 || formula_aggregates(text) || !compares)
			return CONDITION_UNKNOWN;
	}
	add_condition(filter, out, text);
	return CONDITION_TAKEN;
}

/* Reads the things that are excluded, or that alone count. */
static enum condition
read_things(const struct condition_of *of, const struct span *v, size_t n, bool out, struct buf *filter)
{
	const struct source_column *c;
	char text[300];

	while (n > 0 && span_is_any_word(v[0], words_condition_articles)) {
		v++;
		n--;
	}
	if (n == 1 && v[0].p[0] == '`')
		return read_code(of, v[0], out, filter);
	if (n > 0 && condition_is_noun(of, v[n - 1]))
		n--;
	if (n == 0)
		return out ? CONDITION_UNKNOWN : CONDITION_NONE;
	if ((c = condition_flag(of, v, n)) == NULL || strlen(c->name) >= sizeof(text))
		return CONDITION_UNKNOWN;
	add_condition(filter, out, span_str(c->name));
	return CONDITION_TAKEN;
}

/* Several things: "test and cancelled orders" excludes both; "paid and shipped orders" is ambiguous. */
static enum condition
read_all(const struct condition_of *of, const struct span *v, size_t n, bool out, struct buf *filter)
{
	enum condition r = CONDITION_NONE, each;
	size_t start = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && !span_is_any_word(v[i], words_condition_joins))
			continue;
		if ((i < n && !out) || i == start)
			return CONDITION_UNKNOWN;
		if ((each = read_things(of, v + start, i - start, out, filter)) == CONDITION_UNKNOWN)
			return each;
		r = each == CONDITION_TAKEN ? each : r;
		start = i + 1;
	}
	return r;
}

bool
condition_abbreviates(const struct condition_of *of, struct span word)
{
	struct wording w;
	size_t at = 0;

	wording_split(of->subject, &w);
	for (size_t i = 0; i < word.len; i++)
		if (!ascii_is_upper(word.p[i]))
			return false;
	for (size_t i = 0; i < w.n; i++)
		if (at < word.len && ascii_lower(w.v[i].p[0]) == ascii_lower(word.p[at]))
			at++;
		else if (!span_is_any_word(w.v[i], words_abbreviation_skips))
			return false;
	return at > 0 && at == word.len;
}

static enum condition
read_piece(const struct condition_of *of, struct span text, struct buf *filter)
{
	struct wording w;
	size_t at = 0, n;

	wording_split(text, &w);
	if (w.cut)
		return CONDITION_UNKNOWN;
	while (at < w.n && span_is_any_word(w.v[at], words_idle) && !span_is_word(w.v[at], "so"))
		at++;
	if (at < w.n && unit_is(&w, at))
		return unit_fits(&of->unit, &w) ? CONDITION_NONE : CONDITION_UNKNOWN;
	if (at == w.n || (w.n == 1 && condition_abbreviates(of, w.v[0])))
		return CONDITION_NONE;
	/* "but only for" is a single opening. */
	if (at > 0 && span_is_word(w.v[at - 1], "but") && wording_any_at(&w, at - 1, words_counting) > 1)
		at--;
	if ((n = wording_any_at(&w, at, words_where_words)) > 0)
		return at + n + 1 == w.n && w.v[w.n - 1].p[0] == '`' ? read_code(of, w.v[w.n - 1], false, filter) :
								       CONDITION_UNKNOWN;
	if ((n = wording_any_at(&w, at, words_leaving_out)) > 0)
		return at + n == w.n ? CONDITION_UNKNOWN : read_all(of, w.v + at + n, w.n - at - n, true, filter);
	if ((n = wording_any_at(&w, at, words_counting)) > 0) {
		size_t end = w.n;

		if (end > at + n && (span_is_word(w.v[end - 1], "only") || span_is_word(w.v[end - 1], "alone")))
			end--;
		return at + n == end ? CONDITION_UNKNOWN : read_all(of, w.v + at + n, end - at - n, false, filter);
	}
	/* "test orders excluded", "paid orders only" */
	if (w.n - at >= 2 && (span_is_word(w.v[w.n - 1], "excluded") || span_is_word(w.v[w.n - 1], "ausgenommen")))
		return read_all(of, w.v + at, w.n - at - 1, true, filter);
	if (w.n - at >= 2 && span_is_word(w.v[w.n - 1], "only"))
		return read_all(of, w.v + at, w.n - at - 1, false, filter);
	return CONDITION_UNKNOWN;
}

/* The length up to the next punctuation outside of code. */
static size_t
piece_length(struct span s)
{
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		n = s.p[i] == '`' ? wording_code_length(formula_from(s, i)) : 1;
		if (ascii_is_any(s.p[i], ",;:()[]"))
			return i;
		if (s.len - i >= 3 && s.p[i] == 0xe2 && s.p[i + 1] == 0x80 &&
		    (s.p[i + 2] == 0x93 || s.p[i + 2] == 0x94))
			return i;
		if (i > 0 && s.p[i] == '-' && ascii_is_space(s.p[i - 1]) && i + 1 < s.len && ascii_is_space(s.p[i + 1]))
			return i;
	}
	return s.len;
}

/* Skips the punctuation before a piece. */
static struct span
skip_marks(struct span s)
{
	for (;;) {
		if (s.len > 0 && (ascii_is_any(s.p[0], ",;:()[].*_-") || ascii_is_space(s.p[0])))
			s = formula_from(s, 1);
		else if (s.len >= 3 && s.p[0] == 0xe2 && s.p[1] == 0x80 && (s.p[2] == 0x93 || s.p[2] == 0x94))
			s = formula_from(s, 3);
		else
			return s;
	}
}

/* Reads "where status = 'paid'" at the start of s; returns its length, 0: none. */
static size_t
read_where(const struct condition_of *of, struct span s, struct buf *filter)
{
	static const char *const openings[] = { "filter (where ", "and where ", "but only where ", "only where ",
		"where ", NULL };
	size_t n;

	for (const char *const *o = openings; *o != NULL; o++) {
		size_t skip = strlen(*o), end;

		if (!span_begins_word(s, *o) || (n = condition_sql_length(of, formula_from(s, skip))) == 0)
			continue;
		end = skip + n;
		/*
		 * After a condition in SQL only punctuation may follow: "where status = 'paid' or the like" is not
		 * one.
		 */
		if (end < s.len && !ascii_is_any(s.p[end], ",;:.)"))
			return 0;
		add_condition(filter, false, span_trim(span_of(s.p + skip, n)));
		return end;
	}
	return 0;
}

enum condition
condition_part(const struct condition_of *of, struct span text, struct buf *filter, struct span *what)
{
	enum condition r = CONDITION_NONE, each;

	for (text = skip_marks(text); text.len > 0; text = skip_marks(text)) {
		size_t n = read_where(of, text, filter);

		each = n > 0 ? CONDITION_TAKEN : CONDITION_NONE;
		if (n == 0) {
			n = piece_length(text);
			each = read_piece(of, span_of(text.p, n), filter);
		}
		if (each == CONDITION_UNKNOWN) {
			*what = span_trim(text);
			return each;
		}
		r = each == CONDITION_TAKEN ? each : r;
		text = formula_from(text, n);
	}
	return r;
}

bool
condition_suspected(struct span sentence)
{
	struct wording w;

	wording_split(sentence, &w);
	if (w.cut || wording_has(&w, words_limiting))
		return true;
	for (size_t i = 0; i < w.n; i++) {
		if (w.v[i].p[0] == '`')
			for (size_t k = 0; k < w.v[i].len; k++)
				if (ascii_is_any(w.v[i].p[k], "=<>"))
					return true;
		/* A year, or a comparison sign between two words, may limit the rows. */
		if (wording_is_year(w.v[i]))
			return true;
		if (w.v[i].len <= 2 && ascii_is_any(w.v[i].p[0], "=<>"))
			return true;
	}
	return wording_has(&w, words_negations) && !wording_has(&w, words_cautions);
}

enum condition
condition_sentence(const struct condition_of *of, struct span text, struct buf *filter)
{
	struct span what;
	struct wording w;
	size_t at, n;

	wording_split(text, &w);
	if (w.cut)
		return CONDITION_UNKNOWN;
	at = wording_any_at(&w, 0, words_condition_subjects);
	if ((n = wording_any_at(&w, at, words_condition_leaves)) > 0 && at + n < w.n)
		return read_all(of, w.v + at + n, w.n - at - n, true, filter);
	if (at > 0 && (n = wording_any_at(&w, at, words_condition_takes)) > 0 && at + n < w.n)
		return read_all(of, w.v + at + n, w.n - at - n, false, filter);
	for (size_t i = 1; i < w.n; i++) {
		if ((n = wording_any_at(&w, i, words_condition_ends_out)) > 0 && i + n == w.n)
			return read_all(of, w.v, i, true, filter);
		if ((n = wording_any_at(&w, i, words_condition_ends_in)) > 0 && i + n == w.n &&
		    (span_is_word(w.v[0], "only") || span_is_word(w.v[0], "nur")))
			return i < 2 ? CONDITION_UNKNOWN : read_all(of, w.v + 1, i - 1, false, filter);
	}
	return condition_part(of, text, filter, &what);
}
