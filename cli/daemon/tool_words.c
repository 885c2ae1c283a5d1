#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "cli/daemon/tool_words.h"

static const struct { const char *agent, *person; } words[] = {
#define WORD(agent, person)	{ agent, person },
#include "cli/daemon/tool_words.def"
#undef WORD
};

#define NWORDS	(sizeof(words) / sizeof(words[0]))

static bool
is_name_byte(uint8_t c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* The row that the name at the start of text is; NWORDS: none. */
static size_t
word_at(struct span text, size_t *len)
{
	for (size_t i = 0; i < NWORDS; i++) {
		size_t n = strlen(words[i].agent);

		if (text.len >= n && memcmp(text.p, words[i].agent, n) == 0 &&
		    (text.len == n || !is_name_byte(text.p[n]))) {
			*len = n;
			return i;
		}
	}
	return NWORDS;
}

void
words_translate(struct span text, struct buf *out)
{
	bool ticks = false; /* inside a pair of backticks */

	for (size_t at = 0; at < text.len;) {
		bool begins = at == 0 || !is_name_byte(text.p[at - 1]);
		size_t len = 0, i = begins ? word_at(span_of(text.p + at, text.len - at), &len) : NWORDS;

		if (i < NWORDS) {
			bool bare = !ticks && strncmp(words[i].person, "carrel", 6) == 0;

			buf_printf(out, "%s%s%s", bare ? "`" : "", words[i].person, bare ? "`" : "");
			at += len;
			continue;
		}
		ticks = ticks != (text.p[at] == '`');
		buf_byte(out, text.p[at++]);
	}
}
