#include <string.h>

#include "words/lexicon.h"
#include "workers/search/index/whole.h"

void
vocab_whole_begin(struct vocab_whole *w)
{
	w->text[0] = VOCAB_WHOLE;
	w->len = 1;
	w->full = false;
}

/* blanks: the text may have some, which are left out. */
static void
whole_add(struct vocab_whole *w, struct span s, bool blanks)
{
	if (s.len <= TEXT_WORD_MAX - w->len && (!blanks || memchr(s.p, ' ', s.len) == NULL)) {
		memcpy(w->text + w->len, s.p, s.len);
		w->len += s.len;
		return;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == ' ')
			continue;
		if (w->len == TEXT_WORD_MAX) {
			w->full = true;
			return;
		}
		w->text[w->len++] = s.p[i];
	}
}

void
vocab_whole_add(struct vocab_whole *w, const struct vocab *v, uint32_t term, bool plain)
{
	struct span text = plain ? vocab_meaning(v, term) : vocab_stem_of(v, term);

	/* Only what stands for a word may be several. */
	whole_add(w, text, plain);
}

void
vocab_whole_text(struct vocab_whole *w, struct span folded, bool plain)
{
	uint8_t stem[TEXT_WORD_MAX];
	struct span text = span_of(stem, text_stem(folded, stem));
	uint16_t row = plain ? lexicon_row_of(folded) : LEXICON_NONE;

	if (row != LEXICON_NONE)
		text = lexicon_head(row);
	whole_add(w, text, plain);
}

bool
vocab_whole_end(struct vocab_whole *w)
{
	return w->len > 1 && !w->full;
}
