#include <string.h>

#include "base/ascii.h"
#include "base/text/sql_quote.h"

void
sql_quote_name(struct buf *out, struct span name)
{
	bool plain = name.len > 0 && !ascii_is_digit(name.p[0]);

	for (size_t i = 0; i < name.len && plain; i++)
		plain = ascii_is_alnum(name.p[i]) || name.p[i] == '_' || name.p[i] >= 0x80;
	if (plain)
		buf_span(out, name);
	else
		buf_quoted(out, name, '"');
}

size_t
sql_quote_end(struct span text, size_t at, uint8_t close, enum sql_quote_rule rule)
{
	for (size_t i = at + 1; i < text.len; i++) {
		if (text.p[i] == '\\' && rule == SQL_QUOTE_ESCAPES)
			i++;
		else if (text.p[i] == close && rule != SQL_QUOTE_PLAIN && i + 1 < text.len && text.p[i + 1] == close)
			i++;
		else if (text.p[i] == close)
			return i + 1;
	}
	return 0;
}

size_t
sql_dollar_tag(struct span text, size_t at)
{
	size_t i = at + 1;

	if (i < text.len && ascii_is_digit(text.p[i]))
		return 0;
	while (i < text.len &&
	    (ascii_is_letter(text.p[i]) || ascii_is_digit(text.p[i]) || text.p[i] == '_' || text.p[i] >= 0x80))
		i++;
	return i < text.len && text.p[i] == '$' ? i + 1 - at : 0;
}

size_t
sql_dollar_end(struct span text, size_t at)
{
	size_t tag = sql_dollar_tag(text, at);
	const uint8_t *close;

	if (tag == 0)
		return 0;
	close = memmem(text.p + at + tag, text.len - at - tag, text.p + at, tag);
	return close == NULL ? 0 : (size_t)(close - text.p) + tag;
}
