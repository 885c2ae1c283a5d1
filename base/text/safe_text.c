#include "base/text/safe_text.h"
#include "base/utf8.h"

#define ZWNJ	0x200cu
#define ZWJ	0x200du

/* Beyond ASCII, ascending. */
static const struct range {
	uint32_t	first, last;
} hidden[] = {
	{ 0x80, 0x9f },		/* C1 controls: a terminal may take 9b for ESC [ */
	{ 0xad, 0xad },		/* soft hyphen */
	{ 0x34f, 0x34f },	/* combining grapheme joiner */
	{ 0x61c, 0x61c },	/* Arabic letter mark */
	{ 0x115f, 0x1160 },	/* Hangul fillers: letters without a shape */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian selectors and vowel separator */
	{ 0x200b, 0x200f },	/* no width, joiners, marks of direction */
	{ 0x2028, 0x202e },	/* separators of lines and paragraphs, embeddings, overrides */
	{ 0x2060, 0x206f },	/* word joiner, invisible operators, isolates, deprecated */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xfeff, 0xfeff },	/* byte-order mark */
	{ 0xffa0, 0xffa0 },	/* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },	/* unassigned, annotations */
	{ 0x1bca0, 0x1bca3 },	/* shorthand format controls */
	{ 0x1d173, 0x1d17a },	/* musical ones */
	{ 0xe0000, 0xe0fff },	/* tags, and selectors that hide bytes */
};

#define HIDDEN	(sizeof(hidden) / sizeof(hidden[0]))

/* The first bytes of those: 1 + where in the table the first of them is. */
static const uint8_t leads[256] = {
	[0xc2] = 1, [0xcd] = 3, [0xd8] = 4, [0xe1] = 5, [0xe2] = 8, [0xe3] = 11, [0xef] = 12, [0xf0] = 15, [0xf3] = 17,
};

_Static_assert(HIDDEN == 17, "leads[] points into the table");

/* Of the first bytes above, which second bytes a character in the table may have: bit b is the byte 0x80 + b. */
#define SECOND(byte)	(UINT64_C(1) << ((byte) - 0x80))

const uint64_t shown_seconds[256] = {
	[0xc2] = UINT64_C(0xffffffff) | SECOND(0xad),
	[0xcd] = SECOND(0x8f),
	[0xd8] = SECOND(0x9c),
	[0xe1] = SECOND(0x85) | SECOND(0x9e) | SECOND(0xa0),
	[0xe2] = SECOND(0x80) | SECOND(0x81),
	[0xe3] = SECOND(0x85),
	[0xef] = SECOND(0xbb) | SECOND(0xbe) | SECOND(0xbf),
	[0xf0] = SECOND(0x9b) | SECOND(0x9d),
	[0xf3] = SECOND(0xa0),
};

static inline bool
is_hidden_from(size_t i, uint32_t c)
{
	for (; i < HIDDEN && c >= hidden[i].first; i++)
		if (c <= hidden[i].last)
			return true;
	return false;
}

static bool
is_hidden(uint32_t c)
{
	return is_hidden_from(0, c);
}

bool
safe_text_deceives(uint32_t c)
{
	return c < 0x20 || c == 0x7f || is_hidden(c);
}

/* Decode one UTF-8 character; returns 0 if invalid. */
static size_t
safe_text_decode(const uint8_t *s, size_t len, uint32_t *c)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (n > len || !utf8_valid(s, n))
		return 0;
	*c = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		*c = *c << 6 | (s[i] & 0x3fu);
	return n;
}

/* The first two bytes decide for most characters; few reach the table. */
size_t
safe_text_hidden(const uint8_t *s, size_t len, uint32_t *c)
{
	size_t n;

	if (len < 2 || (shown_seconds[s[0]] >> (s[1] & 0x3f) & 1) == 0)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	*c = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3fu);
	}
	/* None of the leads can begin a longer form of another character, but f0. */
	return (n < 4 || *c >= 0x10000) && is_hidden_from(leads[s[0]] - 1u, *c) ? n : 0;
}

/* Does the byte in front of s[at] end a character from U+0300 on? */
static bool
follows_letter(struct span s, size_t at)
{
	while (at > 0 && (s.p[at - 1] & 0xc0) == 0x80)
		at--;
	return at > 0 && s.p[at - 1] >= 0xcc;
}

size_t
safe_text_hidden_in(struct span s, size_t at, uint32_t *c)
{
	size_t n = safe_text_hidden(s.p + at, s.len - at, c);

	return n != 0 && (*c == ZWNJ || *c == ZWJ) && follows_letter(s, at) ? 0 : n;
}

static void
put_escape(struct buf *out, uint32_t c)
{
	if (c == '\n')
		buf_str(out, "\\n");
	else if (c == '\t')
		buf_str(out, "\\t");
	else if (c == '\r')
		buf_str(out, "\\r");
	else if (c < 0xa0)
		buf_printf(out, "\\x%02x", (unsigned)c);
	else if (c < 0x10000)
		buf_printf(out, "\\u%04x", (unsigned)c);
	else
		buf_printf(out, "\\u{%x}", (unsigned)c);
}

/* Escape or drop one deceptive character. */
typedef void put_fn(struct buf *out, uint32_t c);

static void
put_space(struct buf *out, uint32_t c)
{
	if (c < 0x20 || c == 0x85 || c == 0x2028 || c == 0x2029)
		buf_byte(out, ' ');
}

static void
safe_text_pass(struct buf *out, struct span text, bool lines, put_fn *put, bool show_bad)
{
	uint32_t before = 0, c = 0;

	for (size_t at = 0, n; at < text.len; at += n) {
		if ((n = safe_text_decode(text.p + at, text.len - at, &c)) == 0) {
			n = 1;
			if (show_bad)
				buf_printf(out, "\\x%02x", text.p[at]);
			before = 0;
			continue;
		}
		if (!safe_text_deceives(c) || (lines && (c == '\n' || c == '\t')) ||
		    ((c == ZWNJ || c == ZWJ) && before >= 0x300))
			buf_append(out, text.p + at, n);
		else
			put(out, c);
		before = c;
	}
}

void
safe_text_escape(struct buf *out, struct span text, bool lines)
{
	safe_text_pass(out, text, lines, put_escape, true);
}

void
safe_text_strip(struct buf *out, struct span text, bool lines)
{
	safe_text_pass(out, text, lines, put_space, false);
}
