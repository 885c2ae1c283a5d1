/* snapshot_mend.c - see snapshot_mend.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "project/snapshot_mend.h"

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

static int
snapshot_mend_hex4(const uint8_t *p, const uint8_t *end)
{
	int v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = p[i] >= '0' && p[i] <= '9'               ? p[i] - '0' :
		    (p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'f' ? (p[i] | 0x20) - 'a' + 10 :
								   -1;

		if (c < 0)
			return -1;
		v = v * 16 + c;
	}
	return v;
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
	size_t left = (size_t)(m->end - m->p);
	int c, low;

	if (left < 2)
		snapshot_mend_copy(m, left);
	else if (m->p[1] != 'u' && strchr("\"\\/bfnrt", m->p[1]) != NULL && m->p[1] != '\0')
		snapshot_mend_copy(m, 2);
	else if (m->p[1] != 'u')
		put_mended(m, m->p[1] < 0x80 ? 2 : 1);
	else if ((c = snapshot_mend_hex4(m->p + 2, m->end)) < 0)
		put_mended(m, 2);
	else if (c >= 0xd800 && c <= 0xdbff) {
		low = left >= 12 && m->p[6] == '\\' && m->p[7] == 'u' ? snapshot_mend_hex4(m->p + 8, m->end) : -1;
		if (low >= 0xdc00 && low <= 0xdfff)
			snapshot_mend_copy(m, 12);
		else
			put_mended(m, 6);
	} else if (c == 0 || (c >= 0xdc00 && c <= 0xdfff))
		put_mended(m, 6);
	else
		snapshot_mend_copy(m, 6);
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
	/* Repair only what is meant as a number; anything else stays invalid JSON. */
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
