#include "words/lexicon_head.h"
#include "words/text.h"
#include "words/words.h"

bool
lexicon_is_strict(struct span head)
{
	struct text_reader r;
	struct text_word w;
	unsigned content = 0;

	text_begin(&r, head);
	while (text_next(&r, &w))
		content += !words_has(WORDS_FUNCTION, w.folded);
	return content < 2;
}
