#include "workers/sql/postgres/postgres_scan.h"

#include <string.h>

#include "base/ascii.h"
#include "workers/sql/postgres/postgres_text.h"

/* The characters of PostgreSQL's operators; comments begin and end with some of them, too. */
static bool
is_operator(int c)
{
	return c > 0 && strchr("~!@#^&|`?+-*/%<>=", c) != NULL;
}

/*
 * Counts the operator characters from here on, comments included, and leaves
 * s behind them.  Characters within a comment are not scanned twice.
 */
static size_t
skip_operators(struct sqltext *s, size_t *depth)
{
	size_t begin = s->at, within = *depth;

	while (is_operator(sqltext_peek(s, 0)) &&
	    (*depth > 0 || sqltext_peek(s, 0) != '-' || sqltext_peek(s, 1) != '-')) {
		bool opens = sqltext_peek(s, 0) == '/' && sqltext_peek(s, 1) == '*';
		bool closes = *depth > 0 && sqltext_peek(s, 0) == '*' && sqltext_peek(s, 1) == '/';

		*depth += opens;
		*depth -= closes;
		s->at += opens || closes ? 2 : 1;
		if (opens || closes)
			within = 0;
	}
	return within > 0 ? 0 : s->at - begin;
}

size_t
postgres_scan_work(struct span text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = text };
	size_t work = 0, depth = 0, begin, run;

	while (s.at < s.text.len) {
		begin = s.at;
		run = skip_operators(&s, &depth);
		work += run * run;
		if (s.at > begin)
			continue;
		if (depth > 0)
			s.at++;
		else if (sqltext_piece(&s).kind == SQLTEXT_BROKEN)
			break;
	}
	return work;
}

/* Reads white space and line comments, and writes them as spaces.  False if there is anything else, or no comment. */
static bool
blank_comments(uint8_t *p, uint8_t *end)
{
	bool found = false;

	while (p < end) {
		if (p + 1 < end && p[0] == '-' && p[1] == '-') {
			found = true;
			for (; p < end && *p != '\n' && *p != '\r'; p++)
				*p = ' ';
		} else if (ascii_is_space(*p))
			p++;
		else
			return false;
	}
	return found;
}

bool
postgres_scan_join(struct buf *out, struct span text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = text };
	struct sqltext_token t, before = { .kind = SQLTEXT_END };
	bool joined = false;

	out->len = 0;
	if (memmem(text.p, text.len, "--", 2) == NULL)
		return false;
	buf_span(out, text);
	for (t = sqltext_next(&s); t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN;
	     before = t, t = sqltext_next(&s)) {
		size_t from = (size_t)(before.text.p - text.p) + before.text.len, to = (size_t)(t.text.p - text.p);

		if (before.kind == SQLTEXT_STRING && t.kind == SQLTEXT_STRING && t.text.p[0] == '\'')
			joined = blank_comments(out->p + from, out->p + to) || joined;
	}
	return joined;
}
