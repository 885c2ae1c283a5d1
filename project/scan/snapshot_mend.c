#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_text.h"
#include "base/utf8.h"
#include "project/scan/snapshot_mend.h"

#define NUMBER_MAX	400	/* of characters looked at; longer ones do not fit */

struct mend {
	const uint8_t	*p, *end;
	struct buf	*out;
	bool		 mended;
};

static void
put_mended(struct mend *m, size_t skip)
{
	buf_str(m->out, SNAPSHOT_MENDED);
	m->p += skip;
	m->mended = true;
}

static void
snapshot_mend_copy(struct mend *m, size_t n)
{
	buf_append(m->out, m->p, n);
	m->p += n;
}

/* m->p is at a backslash inside a string. */
static void
escape(struct mend *m)
{
	size_t left = (size_t)(m->end - m->p), len;
	int32_t c;

	if (left < 2)
		snapshot_mend_copy(m, left);
	else if (json_escape_letter(m->p[1]) != 0)
		snapshot_mend_copy(m, 2);
	else if (m->p[1] != 'u')
		put_mended(m, m->p[1] < 0x80 ? 2 : 1);
	else if ((c = json_escape_unicode(m->p + 2, m->end, &len)) <= 0 || json_is_surrogate(c))
		put_mended(m, 2 + len);
	else
		snapshot_mend_copy(m, 2 + len);
}

/* m->p is behind the opening quote; the text up to its end, its quote included. */
static void
string(struct mend *m)
{
	while (m->p < m->end && *m->p != '"') {
		size_t n = 0, good;

		while (m->p + n < m->end && m->p[n] != '"' && m->p[n] != '\\' && m->p[n] >= ' ')
			n++;
		good = utf8_bad(m->p, n);
		snapshot_mend_copy(m, good);
		if (good < n)
			put_mended(m, 1);
		else if (m->p < m->end && *m->p == '\\')
			escape(m);
		else if (m->p < m->end && *m->p < ' ')
			put_mended(m, 1);
	}
	if (m->p < m->end)
		snapshot_mend_copy(m, 1);
}

static bool
snapshot_mend_fits(struct span s)
{
	char text[NUMBER_MAX + 1];
	bool whole =
	    memchr(s.p, '.', s.len) == NULL && memchr(s.p, 'e', s.len) == NULL && memchr(s.p, 'E', s.len) == NULL;

	if (s.len > NUMBER_MAX || !json_is_number(s))
		return false;
	memcpy(text, s.p, s.len);
	text[s.len] = '\0';
	errno = 0;
	if (!whole)
		return isfinite(strtod(text, NULL));
	if (text[0] == '-')
		(void)strtoll(text, NULL, 10);
	else
		(void)strtoull(text, NULL, 10);
	return errno == 0;
}

/* A number or a word: true, -1.5, NaN. */
static void
token(struct mend *m)
{
	static const char *const words[] = { "true", "false", "null", NULL };
	const uint8_t *start = m->p;
	struct span s;

	while (m->p<m->end && * m->p> ' ' && strchr("{}[],:\"", *m->p) == NULL)
		m->p++;
	s = span_of(start, (size_t)(m->p - start));
	if (span_is_any(s, words) || snapshot_mend_fits(s)) {
		buf_span(m->out, s);
		return;
	}
	/* Repair only numbers; anything else stays invalid JSON. */
	if (span_is_str(s, "NaN") || span_is_str(s, "Infinity") || span_is_str(s, "-Infinity") || json_is_number(s)) {
		buf_str(m->out, "null");
		m->mended = true;
	} else
		buf_span(m->out, s);
}

bool
snapshot_mend(struct span json, struct buf *out)
{
	struct mend m = { json.p, json.p + json.len, out, false };
	size_t start = out->len;

	while (m.p < m.end && !out->full) {
		if (*m.p == '"') {
			snapshot_mend_copy(&m, 1);
			string(&m);
		} else if (*m.p <= ' ' || strchr("{}[],:", *m.p) != NULL)
			snapshot_mend_copy(&m, 1);
		else
			token(&m);
	}
	if (m.mended && !out->full)
		return true;
	out->len = start;
	return false;
}
