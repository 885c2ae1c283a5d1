/* signals.c - see signals.h. */
#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/words_note.h"

static bool
is_word(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_' || c >= 0x80;
}

/* Where c stands in [p, end), or end. */
static const uint8_t *
seek_byte(const uint8_t *p, const uint8_t *end, uint8_t c)
{
	const uint8_t *at = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;

	return at != NULL ? at : end;
}

/* Whether the n bytes of the phrase are at p, as whole words. */
static bool
stands_at(struct span text, const uint8_t *p, const char *phrase, size_t n)
{
	size_t i = 0;

	if (p > text.p && is_word(p[-1]) && is_word((uint8_t)phrase[0]))
		return false;
	while (i < n && ascii_lower(p[i]) == ascii_lower((uint8_t)phrase[i]))
		i++;
	return i == n && !(is_word((uint8_t)phrase[n - 1]) && p + n < text.p + text.len && is_word(p[n]));
}

const uint8_t *
signals_find(struct span text, const char *phrase)
{
	const uint8_t small = ascii_lower((uint8_t)phrase[0]);
	const uint8_t large = small >= 'a' && small <= 'z' ? (uint8_t)(small & ~0x20u) : small;
	const size_t n = strlen(phrase);
	const uint8_t *end, *p, *next[2];

	if (text.len < n)
		return NULL;
	end = text.p + text.len - n + 1; /* the phrase must begin before this */
	next[0] = seek_byte(text.p, end, small);
	next[1] = large != small ? seek_byte(text.p, end, large) : end;
	while ((p = next[0] < next[1] ? next[0] : next[1]) < end) {
		if (stands_at(text, p, phrase, n))
			return p;
		if (p == next[0])
			next[0] = seek_byte(p + 1, end, small);
		else
			next[1] = seek_byte(p + 1, end, large);
	}
	return NULL;
}

static bool
has_any(struct span text, const char *const *phrases)
{
	for (; *phrases != NULL; phrases++)
		if (signals_find(text, *phrases) != NULL)
			return true;
	return false;
}

/* Strips markdown and punctuation around a phrase. */
static struct span
bare_phrase(struct span s)
{
	static const char around[] = " \t\r*_`#>-:\"'.,;=";

	while (s.len > 0 && strchr(around, s.p[0]) != NULL && s.p[0] != '\0')
		s = span_of(s.p + 1, s.len - 1);
	while (s.len > 0 && strchr(" \t\r*_`:\"'=", s.p[s.len - 1]) != NULL && s.p[s.len - 1] != '\0')
		s.len--;
	return s;
}

bool
signals_definition(struct span line, struct span *subject, struct span *meaning)
{
	const uint8_t *at = NULL, *equals;
	size_t width = 0;

	for (const char *const *d = words_defining; *d != NULL && at == NULL; d++)
		if ((at = signals_find(line, *d)) != NULL)
			width = strlen(*d);
	/* A single = between two sides defines; ==, <=, >=, != compare. */
	if (at == NULL && line.len > 4 && (equals = memchr(line.p + 1, '=', line.len - 2)) != NULL &&
	    equals[1] != '=' && strchr("<>!=:", equals[-1]) == NULL && equals[-1] == ' ' && equals[1] == ' ') {
		at = equals;
		width = 1;
	}
	if (at == NULL)
		return false;
	*subject = bare_phrase(span_of(line.p, (size_t)(at - line.p)));
	*meaning = span_trim(span_of(at + width, line.len - (size_t)(at - line.p) - width));
	return subject->len > 0 && subject->len <= 80 && meaning->len > 0;
}

bool
signals_next_definition(struct span text, size_t from, size_t *at, size_t *width)
{
	struct span rest = span_of(text.p + from, text.len - from);
	const uint8_t *first = NULL, *p;

	for (const char *const *d = words_defining; *d != NULL; d++)
		if ((p = signals_find(rest, *d)) != NULL &&
		    (first == NULL || p < first || (p == first && strlen(*d) > *width))) {
			first = p;
			*width = strlen(*d);
		}
	for (size_t i = 1; i + 1 < rest.len && (first == NULL || rest.p + i < first); i++)
		if (rest.p[i] == '=' && rest.p[i - 1] == ' ' && rest.p[i + 1] == ' ') {
			first = rest.p + i;
			*width = 1;
		}
	if (first == NULL)
		return false;
	*at = (size_t)(first - text.p);
	return true;
}

/* Whether a line defines something by a formula: arithmetic or an aggregate. */
static bool
has_formula(struct span content)
{
	struct span line, subject, meaning;

	while (span_line(&content, &line)) {
		if (!signals_definition(line, &subject, &meaning))
			continue;
		if (has_any(meaning, words_aggregates))
			return true;
		for (size_t i = 1; i + 1 < meaning.len; i++)
			if (strchr("+-*/", meaning.p[i]) != NULL && meaning.p[i] != '\0' && meaning.p[i - 1] == ' ' &&
			    meaning.p[i + 1] == ' ')
				return true;
	}
	return false;
}

static bool
has_definition(struct span content)
{
	struct span line, subject, meaning;

	while (span_line(&content, &line))
		if (signals_definition(line, &subject, &meaning))
			return true;
	return false;
}

/* Whether there is the separator line of a markdown table. */
static bool
has_table(struct span content)
{
	struct span line;

	while (span_line(&content, &line)) {
		size_t dashes = 0, bars = 0, others = 0;

		for (size_t i = 0; i < line.len; i++)
			if (line.p[i] == '-')
				dashes++;
			else if (line.p[i] == '|')
				bars++;
			else if (strchr(" :\t\r", line.p[i]) == NULL)
				others++;
		if (others == 0 && bars > 0 && dashes >= 3)
			return true;
	}
	return false;
}

static void
add_signal(struct signal *out, size_t *n, bool seen, const char *name, unsigned votes, const char *reason)
{
	if (seen && *n < SIGNALS_MAX)
		out[(*n)++] = (struct signal){ name, reason, votes };
}

size_t
signals_read(struct span content, struct signal out[SIGNALS_MAX])
{
	const unsigned both = VOTE_WIKI | VOTE_SEMANTIC;
	size_t n = 0;

	add_signal(out, &n, has_any(content, words_aggregates), "sql_aggregate", both, "it aggregates");
	add_signal(out, &n, has_any(content, words_statements) && signals_find(content, "from") != NULL, "sql", both,
	    "it holds SQL");
	add_signal(out, &n, has_formula(content), "formula", both, "it defines something by a formula");
	add_signal(out, &n, has_definition(content), "definition", VOTE_WIKI, "it says what something means");
	add_signal(out, &n, has_table(content), "definition_table", VOTE_WIKI, "it holds a table of definitions");
	add_signal(out, &n, has_any(content, words_lookml), "lookml", VOTE_SEMANTIC, "it holds LookML");
	add_signal(out, &n,
	    has_any(content, words_dbt) ||
		(signals_find(content, "metrics:") != NULL && has_any(content, words_dbt_parts)),
	    "dbt", VOTE_SEMANTIC, "it holds a piece of a dbt project");
	add_signal(out, &n, has_any(content, words_unit_signs), "units", VOTE_WIKI, "it speaks of units or currencies");
	add_signal(out, &n, has_any(content, words_freshness), "freshness", VOTE_WIKI, "it says how fresh data are");
	add_signal(out, &n, has_any(content, words_gotchas), "gotcha", VOTE_WIKI, "it warns");
	add_signal(out, &n, has_any(content, words_calendars), "calendar", VOTE_WIKI,
	    "it speaks of time zones or the fiscal calendar");
	add_signal(out, &n, has_any(content, words_requests), "request", VOTE_WIKI, "it asks to be remembered");
	return n;
}

const char *
signal_votes_name(unsigned votes)
{
	return votes == VOTE_WIKI ? "wiki" : votes == VOTE_SEMANTIC ? "semantic_layer" : "both";
}
