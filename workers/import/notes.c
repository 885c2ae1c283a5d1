#include <stdarg.h>
#include <stdio.h>

#include "base/json/json_put.h"
#include "base/utf8.h"
#include "workers/import/notes.h"

void
notes_add(struct import_notes *n, uint64_t line, struct span column, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	json_put_object(&n->json, NULL);
	json_put_known(&n->json, "line", line > 0, line);
	json_put_str(&n->json, "column", column.len > 0 ? column : SPAN_NONE);
	json_put_str(&n->json, "note", span_of(text, utf8_cut((const uint8_t *)text, (size_t)len, sizeof(text) - 1)));
	json_end_object(&n->json);
}

void
notes_quote(struct buf *out, struct span t)
{
	size_t end = utf8_cut(t.p, t.len, NOTES_QUOTED);

	buf_byte(out, '"');
	for (size_t i = 0, good; i < end; i += good + 1) {
		good = utf8_bad(t.p + i, end - i);
		for (size_t k = i; k < i + good; k++)
			buf_byte(out, t.p[k] < 0x20 || t.p[k] == 0x7f ? ' ' : t.p[k]);
		if (i + good < end)
			buf_str(out, "\xef\xbf\xbd");
	}
	buf_str(out, end < t.len ? "…\"" : "\"");
}
