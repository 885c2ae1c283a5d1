#include "base/text/markup.h"

static const char *const references[256] = {
	['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
};

void
markup_escape(struct buf *out, struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (references[text.p[i]] != NULL)
			buf_str(out, references[text.p[i]]);
		else
			buf_byte(out, text.p[i]);
}
