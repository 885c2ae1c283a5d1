#include "workers/memory/read/claim.h"
#include "workers/memory/read/definition.h"
#include "workers/memory/read/mention.h"
#include "workers/memory/read/sentences.h"
#include "workers/memory/read/signals.h"
#include "workers/memory/read/statements.h"
#include "workers/memory/read/wording.h"

#define SENTENCES_LOOKED_AT	200u
#define STATEMENT_MAX		500u	/* bytes; a longer sentence stays on the page */

/* Whether a comparison follows the word, as in a condition: "(x.y = 1)". */
static bool
is_compared(const struct wording *w, size_t i)
{
	return i + 1 < w->n && ascii_is_any(w->v[i + 1].p[0], "=<>");
}

/* The only member that the sentence names, when its subject is nothing that the set knows. */
static bool
find_named(const struct source_set *set, struct span sentence, struct mention *out)
{
	struct mention found;
	struct wording w;
	struct span name;
	size_t n = 0;

	wording_split(sentence, &w);
	for (size_t i = 0; i < w.n; i++) {
		if (!claim_is_name(w.v[i], &name) || !mention_is_known(set, w.v[i], false))
			continue;
		if (n++ > 0 || is_compared(&w, i) || mention_find(set, w.v[i], sentence, &found) != 1)
			return false;
		*out = found;
	}
	return n == 1;
}

static bool
find_member(const struct source_set *set, struct span sentence, struct mention *out)
{
	struct span subject = claim_subject(sentence), name;
	struct definition d[DEFINITIONS_MAX];
	struct wording w;

	wording_split(sentence, &w);
	if (w.n < 3)
		return false;
	if (signals_of_sentence(sentence) == 0 && (claim_asks(sentence) || claim_is_personal(sentence)))
		return false;
	/* Of a source, or "Country = DE": a restriction of the definition next to it. */
	if (!claim_is_name(subject, &name) &&
	    (mention_is_known(set, subject, false) || definition_read(claim_body(sentence), d) > 0))
		return false;
	return mention_find(set, subject, sentence, out) == 1 || find_named(set, sentence, out);
}

/* Whether a formula is in the paragraph: the sentence may be a condition of it. */
static bool
is_beside_formula(const struct sentences *s, size_t at)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].group == s->v[at].group && formula_aggregates(s->v[i].text))
			return true;
	return false;
}

void
statements_propose(struct arena *a, struct span content, const struct source_set *set, struct proposals *out)
{
	struct sentences s;

	if (sentences_read(a, SPAN_NONE, content, &s) != 0)
		return;
	for (size_t i = 0; i < s.n && i < SENTENCES_LOOKED_AT; i++) {
		struct mention found;

		if (s.v[i].kind == SENTENCE_PROSE && !s.v[i].quoted && s.v[i].text.len <= STATEMENT_MAX &&
		    find_member(set, s.v[i].text, &found) && !is_beside_formula(&s, i))
			propose_description(a, out, &found, claim_body(s.v[i].text));
	}
}
