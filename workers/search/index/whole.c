/* whole.c - whole names as one word; see vocab.h. */
#include <string.h>

#include "words/lexicon.h"
#include "workers/search/index/vocab.h"
#include "words/words.h"

void
vocab_whole_begin(struct vocab_whole *w)
{
	w->text[0] = VOCAB_WHOLE;
	w->len = 1;
	w->skipped = 0;
	w->full = false;
}

static void
whole_append(uint8_t *text, size_t *len, bool *full, struct span s, bool blanks)
{
	if (s.len <= TEXT_WORD_MAX - *len && (!blanks || memchr(s.p, ' ', s.len) == NULL)) {
		memcpy(text + *len, s.p, s.len);
		*len += s.len;
		return;
	}
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == ' ')
			continue;
		if (*len == TEXT_WORD_MAX) {
			*full = true;
			return;
		}
		text[(*len)++] = s.p[i];
	}
}

static void
whole_add(struct vocab_whole *w, struct span text, bool wraps, bool blanks)
{
	bool full = false; /* what is left out may be cut */

	if (wraps)
		whole_append(w->spare, &w->skipped, &full, text, blanks);
	else
		whole_append(w->text, &w->len, &w->full, text, blanks);
}

void
vocab_whole_add(struct vocab_whole *w, const struct vocab *v, uint32_t term, bool plain)
{
	bool wraps = false;
	struct span text = plain ? vocab_meaning(v, term, &wraps) : vocab_stem_of(v, term);

	/* Only what stands for a word may be several. */
	whole_add(w, text, wraps, plain);
}

void
vocab_whole_text(struct vocab_whole *w, struct span folded, bool plain)
{
	uint8_t stem[TEXT_WORD_MAX];
	struct span text = span_of(stem, text_stem(folded, stem));
	uint16_t row = plain ? lexicon_row_of(folded) : LEXICON_NONE;

	if (row != LEXICON_NONE)
		text = lexicon_head(row);
	whole_add(w, text, plain && words_has(WORDS_WRAPPING, text), plain);
}

bool
vocab_whole_end(struct vocab_whole *w)
{
	if (w->len == 1)
		whole_append(w->text, &w->len, &w->full, span_of(w->spare, w->skipped), false);
	return w->len > 1 && !w->full;
}
