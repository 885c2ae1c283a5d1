/*
 * claim.c - see claim.h.
 *
 * The subject of a sentence is found by its form alone, without a grammar of the language: what a definition defines;
 * else the words before the first verb, up to a restriction ("Orders | before July 1996 | are missing"); after an
 * imperative the words behind it ("Never sum | freight | after joining ..."); else the first name of a database in the
 * sentence.  A name among these words is the subject itself: "the unit of orders.freight".
 */
#include <string.h>

#include "base/ascii.h"
#include "workers/memory/read/claim.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

#define SUBJECT_WORDS	6	/* more words are a sentence and no subject */
#define CLAUSE_BYTES	60

static size_t
dash_length(struct span s)
{
	if (s.len >= 3 && s.p[0] == 0xe2 && s.p[1] == 0x80 && (s.p[2] == 0x93 || s.p[2] == 0x94))
		return 3;
	return s.len >= 1 && s.p[0] == '-';
}

static struct span
skip_marks(struct span s)
{
	while (s.len > 0 && (ascii_is_space(s.p[0]) || ascii_is_any(s.p[0], "-*>#`_\"':,.;!=") || dash_length(s) > 0))
		s = formula_from(s, dash_length(s) > 1 ? 3 : 1);
	return s;
}

/* The length of the phrase at the start of s; 0: it is not there, or goes on as another word. */
static size_t
opening_length(struct span s, const char *const *phrases)
{
	for (; *phrases != NULL; phrases++) {
		size_t n = strlen(*phrases);

		if (s.len > n && span_begins_word(s, *phrases) && !formula_is_name(s.p[n]) && s.p[n] < 0x80)
			return n;
	}
	return 0;
}

struct span
claim_body(struct span s)
{
	for (;;) {
		struct span bare = s.len > 0 && s.p[0] == '`' ? s : skip_marks(s), after;
		size_t n = opening_length(bare, words_subject_openings);

		/* "Important: ..." is an interjection, "important customers" are not. */
		if (n == 0 && (n = opening_length(bare, words_interjections)) > 0) {
			after = span_trim(formula_from(bare, n));
			if (after.len == 0 || (!ascii_is_any(after.p[0], ":,.!;*") && dash_length(after) == 0))
				n = 0;
		}
		if (n == 0)
			return bare.len > 0 ? bare : s;
		s = formula_from(bare, n);
	}
}

bool
claim_is_interjection(struct span text)
{
	return span_is_any_word(wording_bare(text), words_interjections);
}

bool
claim_is_name(struct span word, struct span *name)
{
	size_t dots = 0, scores = 0;
	bool code = word.len > 2 && word.p[0] == '`';

	*name = code ? span_trim(span_of(word.p + 1, word.len - 2)) : word;
	for (size_t i = 0; i < name->len; i++) {
		dots += name->p[i] == '.';
		scores += name->p[i] == '_';
		/* "e.g", "z.B" */
		if (name->p[i] == '.' && (i < 2 || i + 2 >= name->len))
			return false;
		if (!formula_is_name(name->p[i]) && name->p[i] != '.')
			return false;
	}
	return name->len > 1 && formula_is_letter(name->p[0]) && (code || dots + scores > 0);
}

bool
claim_asks(struct span sentence)
{
	struct span s = span_trim(sentence);
	struct wording w;

	wording_split(claim_body(s), &w);
	return (s.len > 0 && s.p[s.len - 1] == '?') || (w.n > 0 && wording_any_at(&w, 0, words_askings) > 0);
}

bool
claim_is_personal(struct span sentence)
{
	struct wording w;

	wording_split(sentence, &w);
	return wording_has(&w, words_persons) || (wording_has(&w, words_groups) && !wording_has(&w, words_orders));
}

bool
claim_is_general(struct span sentence)
{
	static const char *const some[] = { "a", "an", "each", "every", "ein", "eine", "jeder", "jede", "jedes", NULL };
	struct wording w;

	wording_split(claim_body(sentence), &w);
	return w.n > 3 && span_is_any_word(w.v[0], some) && wording_has(&w, words_verbs);
}

/* The first name of a database among the words [from, to); empty: none. */
static struct span
first_name(const struct wording *w, size_t from, size_t to)
{
	struct span name;

	for (size_t i = from; i < to && i < w->n; i++)
		if (claim_is_name(w->v[i], &name))
			return name;
	return SPAN_NONE;
}

/* Words before the name of the rows that a sentence is about. */
static const char *const heads[] = { "each row of", "each row in", "every row of", "every row in", "each", "every",
	"only", "jede zeile in", "jede zeile von", "jede", "jeder", "jedes", "nur", NULL };

/* The words [from, to) as a subject, without what restricts them; empty: they are none. */
static struct span
words_as_subject(const struct wording *w, size_t from, size_t to)
{
	static const char *const links[] = { "to", "by", "into", "per", "zu", "auf", "als", "pro", "je", "never",
		"always", "nie", "niemals", "immer", "stets", "nicht", NULL };
	struct span name;
	size_t end, n;

	while (from < to &&
	    ((n = wording_any_at(w, from, heads)) > 0 || (n = wording_any_at(w, from, words_name_articles)) > 0))
		from += n;
	for (end = from;
	     end < to && wording_any_at(w, end, words_name_limiting) == 0 && wording_any_at(w, end, links) == 0; end++)
		;
	if (end == from || end - from > SUBJECT_WORDS)
		return SPAN_NONE;
	if ((name = first_name(w, from, end)).len > 0)
		return name;
	if (span_is_any_word(w->v[from], words_telling) || subject_is_pronoun(w->v[from]))
		return SPAN_NONE;
	return span_of(w->v[from].p, (size_t)(w->v[end - 1].p + w->v[end - 1].len - w->v[from].p));
}

/* The index of the first verb from 1 on: a word that is nothing but one, else one that may be. */
static size_t
first_verb(const struct wording *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (wording_any_at(w, i, words_verbs) > 0)
			return i;
	for (size_t i = 1; i < w->n; i++)
		if (wording_any_at(w, i, words_maybe_verbs) > 0)
			return i;
	return 0;
}

/* "Never sum", "Do not join", "Exclude": the words of an imperative at the start. */
static size_t
imperative_length(const struct wording *w)
{
	size_t n = 0, more;

	while (n < w->n && (more = wording_any_at(w, n, words_bidding)) > 0)
		n += more;
	return n < w->n && span_is_any_word(w->v[n], words_orders) ? n + 1 : 0;
}

/* Up to a mark between clauses, and at most what fits a title. */
static struct span
first_clause(struct span s)
{
	size_t end = 0, blank = 0;

	while (end < s.len && !(ascii_is_any(s.p[end], ",;:.!?()") && (end + 1 == s.len || s.p[end + 1] == ' ')) &&
	    dash_length(formula_from(s, end)) < 2 && s.p[end] != '(') {
		if (end > CLAUSE_BYTES && blank > 0)
			return span_of(s.p, blank);
		blank = s.p[end] == ' ' ? end : blank;
		end++;
	}
	return span_trim(span_of(s.p, end));
}

struct span
claim_subject(struct span sentence)
{
	struct span body = claim_body(sentence), clause = first_clause(body), subject;
	struct definition d[DEFINITIONS_MAX];
	struct wording w, all;
	size_t n;

	if (definition_read(body, d) > 0 && d[0].subject.len > 0 && d[0].subject.len <= 80 &&
	    subject_fault(d[0].subject) == NULL) {
		wording_split(d[0].subject, &w);
		return wording_any_at(&w, 0, heads) == 0 ? d[0].subject : words_as_subject(&w, 0, w.n);
	}
	wording_split(body, &all);
	wording_split(clause, &w);
	if ((n = imperative_length(&w)) > 0)
		subject = words_as_subject(&w, n, w.n);
	else
		subject = (n = first_verb(&w)) > 0 ? words_as_subject(&w, 0, n) : SPAN_NONE;
	if (subject.len == 0)
		subject = first_name(&all, 0, all.n);
	return subject.len > 0 ? subject : subject_plain(clause);
}
