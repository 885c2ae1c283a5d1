#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/claim.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/sentences.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

#define NAMING_MAX	200u	/* sentences that are looked at for names */

static bool
is_word(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_' || c >= 0x80;
}

/* Where c is in [p, end), or end. */
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
	/* A key of JSON: "metrics": */
	if (i + 1 == n && phrase[i] == ':' && p + n < text.p + text.len && p[i] == '"' && p[n] == ':')
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

static bool
has_sql(struct span content)
{
	return has_any(content, words_statements) && signals_find(content, "from") != NULL;
}

static bool
has_dbt(struct span content)
{
	return has_any(content, words_dbt) ||
	    ((signals_find(content, "metrics:") != NULL || signals_find(content, "models:") != NULL ||
		 signals_find(content, "sources:") != NULL) &&
		has_any(content, words_dbt_parts));
}

static bool
has_lookml(struct span content)
{
	return has_any(content, words_lookml) && content.len > 0 && memchr(content.p, '{', content.len) != NULL;
}

/* Arithmetic between two operands: "revenue - cost". */
static bool
has_arithmetic(struct span s)
{
	for (size_t i = 1; i + 1 < s.len; i++)
		if (ascii_is_any(s.p[i], "+-*/") && s.p[i - 1] == ' ' && s.p[i + 1] == ' ')
			return true;
	return false;
}

static bool
has_definition(struct span sentence)
{
	struct definition d[DEFINITIONS_MAX];

	for (size_t n = definition_read(sentence, d); n > 0; n--)
		if (d[n - 1].subject.len > 0 && d[n - 1].subject.len <= 80 && d[n - 1].meaning.len > 0)
			return true;
	return false;
}

static bool
has_formula(struct span sentence)
{
	struct definition d[DEFINITIONS_MAX];

	for (size_t n = definition_read(sentence, d); n > 0; n--)
		if (d[n - 1].subject.len > 0 &&
		    (has_any(d[n - 1].meaning, words_aggregates) || has_arithmetic(d[n - 1].meaning)))
			return true;
	return false;
}

/* "must", "never", "only": a rule, unless persons of the conversation are meant. */
static bool
has_rule(struct span sentence)
{
	struct wording w;

	if (has_any(sentence, words_rules))
		return true;
	wording_split(claim_body(sentence), &w);
	return w.n >= 4 && !claim_is_personal(sentence) &&
	    (wording_has(&w, words_modals) || claim_is_general(sentence));
}

/* The signals, in the order of their bits.  phrases: anywhere in the text; text, sentence: what else shows them. */
static const struct {
	struct signal		 signal;
	const char *const	*phrases;
	bool			(*text)(struct span content), (*sentence)(struct span sentence);
} table[] = {
	{ { "sql_aggregate", "it aggregates", SIGNAL_BOTH }, words_aggregates, NULL, NULL },
	{ { "sql", "it holds SQL", SIGNAL_BOTH }, NULL, has_sql, NULL },
	{ { "formula", "it defines something by a formula", SIGNAL_BOTH }, NULL, NULL, has_formula },
	{ { "definition", "it says what something means", VOTE_WIKI }, NULL, NULL, has_definition },
	{ { "definition_table", "it holds a table of definitions", VOTE_WIKI }, NULL, has_table, NULL },
	{ { "lookml", "it holds LookML", VOTE_SEMANTIC }, NULL, has_lookml, NULL },
	{ { "dbt", "it holds a piece of a dbt project", VOTE_SEMANTIC }, NULL, has_dbt, NULL },
	{ { "units", "it speaks of units or currencies", SIGNAL_BOTH }, words_unit_signs, NULL, NULL },
	{ { "freshness", "it says how fresh data are", VOTE_WIKI }, words_freshness, NULL, NULL },
	{ { "gotcha", "it warns", SIGNAL_BOTH }, words_gotchas, NULL, NULL },
	{ { "calendar", "it speaks of time zones or the fiscal calendar", VOTE_WIKI }, words_calendars, NULL, NULL },
	{ { "request", "it asks to be remembered", VOTE_WIKI }, words_requests, NULL, NULL },
	{ { "rule", "it states a rule", SIGNAL_BOTH }, NULL, NULL, has_rule },
	{ { "names", "it states something about a table or column of the connection", VOTE_WIKI }, NULL, NULL, NULL },
};

unsigned
signals_of_sentence(struct span sentence)
{
	unsigned found = 0;

	if (claim_asks(sentence))
		return 0;
	for (unsigned i = 0; i < SIGNALS; i++)
		if ((table[i].phrases != NULL && has_any(sentence, table[i].phrases)) ||
		    (table[i].sentence != NULL && table[i].sentence(sentence)))
			found |= 1u << i;
	return found;
}

/* Whether the sentence states something about what the connection has. */
static bool
names_known(struct span sentence, signals_known *known, void *arg)
{
	bool personal = claim_is_personal(sentence);
	struct wording w;
	struct span name;

	wording_split(sentence, &w);
	for (size_t i = 0; i < w.n && w.n > 2; i++)
		if ((claim_is_name(w.v[i], &name) && known(arg, name, false)) ||
		    (!personal && w.n > 3 && wording_has(&w, words_verbs) && known(arg, w.v[i], false)))
			return true;
	return !personal && w.n > 3 && known(arg, claim_subject(sentence), true);
}

unsigned
signals_read(struct arena *a, struct span content, signals_known *known, void *arg)
{
	struct sentences s;
	unsigned found = 0;

	for (unsigned i = 0; i < SIGNALS; i++)
		if ((table[i].phrases != NULL && has_any(content, table[i].phrases)) ||
		    (table[i].text != NULL && table[i].text(content)))
			found |= 1u << i;
	if (sentences_read(a, SPAN_NONE, content, &s) != 0)
		return found;
	for (size_t i = 0; i < s.n; i++) {
		if (s.v[i].kind != SENTENCE_PROSE)
			continue;
		found |= signals_of_sentence(s.v[i].text);
		if (known != NULL && i < NAMING_MAX && (found & 1u << SIGNAL_NAMES) == 0 && !claim_asks(s.v[i].text) &&
		    names_known(s.v[i].text, known, arg))
			found |= 1u << SIGNAL_NAMES;
	}
	return found;
}

const struct signal *
signal_at(unsigned i)
{
	return &table[i].signal;
}

unsigned
signal_called(struct span name)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (span_is_str(name, table[i].signal.name))
			return 1u << i;
	return 0;
}

const char *
signal_votes_name(unsigned votes)
{
	return votes == VOTE_WIKI ? "wiki" : votes == VOTE_SEMANTIC ? "semantic_layer" : "both";
}
