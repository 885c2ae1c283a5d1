#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "workers/memory/read/condition_column.h"
#include "workers/memory/read/remark.h"
#include "workers/memory/read/subject.h"
#include "workers/memory/read/unit.h"
#include "workers/memory/read/wording.h"
#include "workers/memory/read/words_note.h"

static bool
is_in_names(const struct span *names, size_t nnames, struct span word)
{
	for (size_t i = 0; i < nnames; i++) {
		struct wording w;

		wording_split(names[i], &w);
		for (size_t k = 0; k < w.n; k++)
			if (wording_is_alike(w.v[k], word))
				return true;
	}
	return false;
}

/* A column that the text names as code or by an identifier. */
static bool
is_column(const struct condition_of *of, struct span word)
{
	const struct source_column *c;

	if (word.len > 2 && word.p[0] == '`')
		word = span_of(word.p + 1, word.len - 2);
	else if (memchr(word.p, '_', word.len) == NULL)
		return false;
	return (c = source_find_column(of->source, word)) != NULL && !condition_is_boolean(c);
}

/* A word that selects no rows. */
static bool
is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span word)
{
	return span_is_any_word(word, words_neutral) || condition_is_noun(of, word) ||
	    is_in_names(names, nnames, word) || condition_abbreviates(of, word);
}

/* "finance orders": the word before the rows' name may select some of them. */
static bool
picks(const struct condition_of *of, const struct span *words, size_t at)
{
	return at > 0 && condition_is_noun(of, words[at]) && !span_is_any_word(words[at - 1], words_picks_nothing);
}

static bool
all_neutral(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w,
    size_t from)
{
	for (size_t i = from; i < w->n; i++)
		if (!is_neutral(of, names, nnames, w->v[i]) || picks(of, w->v, i))
			return false;
	return !w->cut;
}

bool
remark_is_neutral(const struct condition_of *of, const struct span *names, size_t nnames, struct span text)
{
	struct wording w;

	wording_split(text, &w);
	return all_neutral(of, names, nnames, &w, 0);
}

/* Words about the formula's unit: "price_ct is in cents". */
static bool
is_unit(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w, size_t from)
{
	for (size_t i = from; i < w->n; i++) {
		struct wording one = { .n = 1, .v = { w->v[i] } };

		if (!is_neutral(of, names, nnames, w->v[i]) && !unit_within(&one) && !is_column(of, w->v[i]) &&
		    !span_is_any_word(w->v[i], words_beside_taxes))
			return false;
	}
	return unit_within(w) && unit_fits(&of->unit, w);
}

/* Whether the words contain no possible condition. */
static bool
is_free(const struct wording *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (wording_any_at(w, i, words_form_limits) > 0 || w->v[i].p[0] == '`')
			return false;
	return true;
}

static bool
has_form(const struct condition_of *of, const struct span *names, size_t nnames, const struct wording *w, size_t from)
{
	size_t n;

	for (size_t i = from; i < w->n; i++) {
		if ((n = wording_any_at(w, i, words_free_forms)) > 0)
			return is_free(w, i + n, w->n);
		if (!is_neutral(of, names, nnames, w->v[i]) && !is_column(of, w->v[i]))
			break;
	}
	for (size_t i = from + 1; i < w->n; i++)
		if ((n = wording_any_at(w, i, words_free_ends)) > 0 && i + n == w->n)
			return i - from <= 8 && is_free(w, from, i);
	return false;
}

static bool
is_about_taxes(const struct wording *w, size_t from)
{
	for (size_t i = from; i < w->n; i++)
		if (!span_is_any_word(w->v[i], words_taxes))
			return false;
	return from < w->n;
}

bool
remark_is_idle(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence)
{
	struct wording w;
	size_t from;

	wording_split(sentence, &w);
	if (w.cut)
		return false;
	from = wording_any_at(&w, 0, words_warnings);
	return all_neutral(of, names, nnames, &w, from) || is_unit(of, names, nnames, &w, from) ||
	    has_form(of, names, nnames, &w, from) || (from > 0 && is_about_taxes(&w, from));
}

bool
remark_refers(const struct condition_of *of, const struct span *names, size_t nnames, struct span sentence)
{
	struct wording w;

	wording_split(sentence, &w);
	for (size_t i = 0; i < w.n; i++)
		if (subject_is_pronoun(w.v[i]) || span_is_any_word(w.v[i], words_figures) ||
		    condition_is_noun(of, w.v[i]) || is_in_names(names, nnames, w.v[i]))
			return true;
	/* "Region: Germany" may be a condition. */
	for (size_t i = 0, words = 0; i < sentence.len && words < 4; i++) {
		if (sentence.p[i] == ':' || sentence.p[i] == '=')
			return true;
		words += ascii_is_space(sentence.p[i]);
	}
	return w.cut;
}
