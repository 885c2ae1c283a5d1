#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/condition_column.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/unit.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

#define NAME_WORDS_MAX	9

/* Words of a name, and what the formula must contain then; held NULL: no formula can satisfy them. */
static const struct { const char *const *words, *const *held; const char *why; } promises[] = {
	{ (const char *const []){ "average", "avg", "mean", "per", "pro", "je", "durchschnittlich", "durchschnittliche",
	    "durchschnittlicher",
	    "durchschnittliches", "durchschnitt", "mittlere", "mittlerer", "moyen", "moyenne", "promedio", "quotient",
	    NULL },
	    (const char *const []){ "/", "avg", NULL }, "its name says an average or a quotient, and the formula holds none" },
	{ (const char *const []){ "distinct", "unique", "eindeutige", "eindeutiger", "eindeutig", "verschiedene",
	    "verschiedener", NULL },
	    (const char *const []){ "distinct", NULL }, "its name says that equal ones count once, and the formula does not" },
	{ (const char *const []){ "highest", "largest", "biggest", "maximum", "maximal", "maximale", "höchste",
	    "höchster", "größte", NULL },
	    (const char *const []){ "max", NULL }, "its name says the largest, and the formula does not" },
	{ (const char *const []){ "lowest", "smallest", "minimum", "minimal", "minimale", "niedrigste", "niedrigster",
	    "kleinste", NULL },
	    (const char *const []){ "min", NULL }, "its name says the smallest, and the formula does not" },
	{ (const char *const []){ "median", "percentile", "p50", "p90", "p95", "p99", "rolling", "trailing",
	    "cumulative", "running", "moving",
	    "rollierend", "rollierender", "kumuliert", "kumulierte", "gleitend", "gleitender", NULL },
	    NULL, "its name says what no aggregate over single rows gives" },
	{ (const char *const []){ "ytd", "mtd", "qtd", "wtd", "ltm", "ttm", "last", "previous", "prior", "today",
	    "today's", "yesterday",
	    "yesterday's", "tomorrow", "letzte", "letzter", "letzten", "letztes", "vorige", "voriger", "vergangene",
	    "heutige", "heutiger", "gestrige",
	    "laufend", "laufender", NULL }, NULL, "its name says a time that the formula does not; write it as a condition, as in sum(x.y) where z >= ..." },
};

struct span
subject_plain(struct span s)
{
	for (;;) {
		size_t before = s.len, n = 0;

		while (s.len > 0 && (strchr(" \t\r\n*_`#>-:\"'.,;=", s.p[0]) != NULL && s.p[0] != '\0'))
			s = formula_from(s, 1);
		while (s.len > 0 && strchr(" \t\r\n*_`:\"'=,;.", s.p[s.len - 1]) != NULL && s.p[s.len - 1] != '\0')
			s.len--;
		for (const char *const *o = words_subject_openings; *o != NULL; o++)
			if (span_begins_word(s, *o) && s.len > strlen(*o) && strchr(" :,", s.p[strlen(*o)]) != NULL) {
				s = formula_from(s, strlen(*o));
				break;
			}
		while (n < s.len && !ascii_is_space(s.p[n]))
			n++;
		if (n < s.len && span_is_any_word(span_of(s.p, n), words_name_articles))
			s = formula_from(s, n);
		if (s.len == before)
			return s;
	}
}

bool
subject_is_label(struct span words)
{
	while (words.len > 0) {
		size_t n = 0;

		while (n < words.len && !ascii_is_space(words.p[n]))
			n++;
		if (!span_is_any_word(wording_bare(span_of(words.p, n)), words_labels))
			return false;
		words = span_trim(formula_from(words, n));
	}
	return true;
}

bool
subject_is_pronoun(struct span word)
{
	return span_is_any_word(word, words_pronouns);
}

bool
subject_has_footnote(struct span s)
{
	s = span_trim(s);
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '[' || s.p[i] == '^')
			return true;
		/* Superscript figures, the paragraph's sign, daggers. */
		if (i + 1 < s.len && s.p[i] == 0xc2 &&
		    (s.p[i + 1] == 0xb9 || s.p[i + 1] == 0xb2 || s.p[i + 1] == 0xb3 || s.p[i + 1] == 0xa7))
			return true;
		if (i + 2 < s.len && s.p[i] == 0xe2 &&
		    ((s.p[i + 1] == 0x80 && (s.p[i + 2] == 0xa0 || s.p[i + 2] == 0xa1)) || s.p[i + 1] == 0x81 ||
			s.p[i + 1] == 0x82))
			return true;
	}
	/* Emphasis has stars on both sides, a footnote only at the end. */
	return s.len > 1 && s.p[s.len - 1] == '*' && memchr(s.p, '*', s.len - 1) == NULL;
}

/* Whether the text has characters that names do not use: flags, ticks, tags. */
static bool
has_symbol(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != '\0' && strchr("<>{}|~^\\@!?", s.p[i]) != NULL)
			return true;
		if (s.p[i] >= 0xf0)
			return true;
		/* Of U+2000 to U+2FFF only dashes, quotation marks and the euro sign. */
		if (i + 2 < s.len && s.p[i] == 0xe2 &&
		    !(s.p[i + 1] == 0x80 && s.p[i + 2] >= 0x90 && s.p[i + 2] <= 0x9f) &&
		    !(s.p[i + 1] == 0x82 && s.p[i + 2] == 0xac))
			return true;
	}
	return false;
}

bool
subject_doubts(struct span words)
{
	struct wording w;

	wording_split(words, &w);
	return w.cut || wording_has(&w, words_doubting);
}

const char *
subject_fault(struct span words)
{
	struct wording w;

	wording_split(words, &w);
	if (has_symbol(words))
		return "its name holds a symbol that may have a meaning";
	if (subject_doubts(words))
		return SUBJECT_DOUBTS;
	if (w.n > NAME_WORDS_MAX)
		return "the words before the formula are too long for a name" SUBJECT_ADVICE;
	for (size_t i = 0; i < w.n; i++)
		if (wording_any_at(&w, i, words_telling) > 0 &&
		    (i == 0 || wording_any_at(&w, i, words_telling_first) == 0))
			return "the text before the formula is a sentence, not a name" SUBJECT_ADVICE;
	if (w.n > 0 && (w.n == 1 ? subject_is_pronoun(w.v[0]) : wording_any_at(&w, 0, words_pointing) > 0))
		return SUBJECT_NAMELESS;
	return NULL;
}

/* "30-day", "Q1", "FY24", "L30D": a period or a selection, not a word. */
static bool
is_period(struct span word)
{
	size_t n = 0;

	if (word.len > 0 && ascii_is_digit(word.p[0]))
		return true;
	while (n < word.len && ascii_is_letter(word.p[n]))
		n++;
	return n > 0 && n < word.len && ascii_is_digit(word.p[n]) &&
	    span_is_any_word(span_of(word.p, n), words_period_letters);
}

static bool
subject_holds(struct span formula, const char *const *tokens)
{
	for (; tokens != NULL && *tokens != NULL; tokens++)
		if (signals_find(formula, *tokens) != NULL)
			return true;
	return false;
}

/* Whether the text contains the word anywhere, also within a name or literal. */
static bool
subject_mentions(struct span text, struct span word)
{
	for (size_t i = 0; i + word.len <= text.len; i++)
		if (span_is_folded(span_of(text.p + i, word.len), word))
			return true;
	return false;
}

const char *
subject_misfit(const struct condition_of *of, struct span name, struct span formula, struct span filter, bool limited)
{
	const struct source_column *flag;
	struct span said;
	struct wording w;

	wording_split(name, &w);
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++)
		if (wording_has(&w, promises[i].words) && !subject_holds(formula, promises[i].held) &&
		    (promises[i].held != NULL || !limited))
			return promises[i].why;
	for (size_t i = 0; i < w.n && !limited; i++)
		if (is_period(w.v[i]))
			return "its name says a time or a selection that the formula does not; write it as a "
			       "condition, as in sum(x.y) where z >= ...";
	if (unit_within(&w) && !unit_fits(&of->unit, &w))
		return "its name says a unit that the formula does not give";
	flag = condition_flag_in(of, name, &said);
	if (flag != NULL && !subject_mentions(formula, said) && !subject_mentions(filter, said))
		return "its name is that of a flag of the source, which the formula does not look at; write the "
		       "condition into the formula";
	return NULL;
}

size_t
subject_limit(struct span name)
{
	struct wording w;
	size_t n;

	wording_split(name, &w);
	for (size_t i = 0; i < w.n; i++)
		/* "in 2024", "2024 revenue", "Ohne Stornos Versandkosten" */
		if (wording_is_year(w.v[i]) || ((n = wording_any_at(&w, i, words_name_limiting)) > 0 && i + n <= w.n))
			return (size_t)(w.v[i].p - name.p);
	return name.len;
}
