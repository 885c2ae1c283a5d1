/* statements.c - see statements.h. */
#include "workers/memory/read/claim.h"
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
	unsigned signals = signals_of_sentence(sentence);

	if (signals == 0 && (claim_asks(sentence) || claim_is_personal(sentence)))
		return false;
	if (mention_is_known(set, subject, false) && !claim_is_name(subject, &name))
		return false;
	return mention_find(set, subject, sentence, out) == 1 || find_named(set, sentence, out);
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
		    !formula_aggregates(s.v[i].text) && find_member(set, s.v[i].text, &found))
			propose_description(out, &found, claim_body(s.v[i].text));
	}
}
