#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "workers/import/chunker.h"

/* Weights are in half words. */
#define WEIGHT_USUAL	400
#define WEIGHT_MAX	500
#define OVERLAP_MIN	40
#define OVERLAP_USUAL	80
#define OVERLAP_MAX	120
#define OVERLAP_CHARS	500

/* A passage is cut when this much is pending, so that the text after its end is known. */
#define PENDING_WEIGHT	600
#define PENDING_CHARS	2500

#define PIECE_CHARS	100	/* a longer run is divided */
#define PIECE_MAX	120	/* combining marks stay with their letter up to here */
#define HEADING_UNITS	60	/* a longer paragraph is not a heading */

#define NOWHERE		UINT32_MAX

/* A word, or a character that is counted as half a word. */
struct unit {
	uint32_t	at, len;	/* of text */
	uint32_t	page;
	uint16_t	chars, weight;
	bool		paragraph;	/* a paragraph begins here */
	bool		glued;		/* no blank before it */
	bool		sentence;	/* a sentence ends here */
	bool		heading;
};

struct chunker {
	chunker_take	 take;
	void		*arg;
	bool		 over;

	struct buf	 text;
	struct unit	*units;
	size_t		 n, cap;
	size_t		 fresh;		/* units before this one were passed on already */
	uint32_t	 weight, chars;	/* of all units */

	struct buf	 word;		/* the current word */
	uint16_t	 word_chars;
	uint8_t		 part[4];	/* of an incomplete character */
	size_t		 nparts;
	uint32_t	 page;
	uint32_t	 paragraph_at;	/* its first unit; NOWHERE when that was passed on or is missing */
	bool		 begins, glue;	/* the next unit begins a paragraph; follows without a blank */

	struct buf	 passage;
};

struct chunker *
chunker_new(chunker_take take, void *arg)
{
	struct chunker *c = mem_new(1, sizeof(*c));

	c->take = take;
	c->arg = arg;
	c->begins = true;
	c->paragraph_at = NOWHERE;
	return c;
}

void
chunker_free(struct chunker *c)
{
	buf_fini(&c->text);
	buf_fini(&c->word);
	buf_fini(&c->passage);
	free(c->units);
	free(c);
}

bool
chunker_is_over(const struct chunker *c)
{
	return c->over;
}

/* The characters of the unit in a passage, with the separator before it. */
static uint32_t
unit_chars(const struct unit *u)
{
	return u->chars + (u->glued && !u->paragraph ? 0u : 1u);
}

static void
pass_on(struct chunker *c, size_t end)
{
	c->passage.len = 0;
	for (size_t i = 0; i < end; i++) {
		const struct unit *u = &c->units[i];

		if (i > 0 && u->paragraph)
			buf_byte(&c->passage, '\n');
		else if (i > 0 && !u->glued)
			buf_byte(&c->passage, ' ');
		buf_append(&c->passage, c->text.p + u->at, u->len);
	}
	c->over = c->take(c->arg, buf_view(&c->passage), c->units[0].page) != 0;
}

/* The cost of a cut before unit i, apart from its distance to the usual length. */
static uint32_t
badness(const struct chunker *c, size_t i)
{
	const struct unit *before = &c->units[i - 1], *u = &c->units[i];

	if (before->heading)
		return 400;
	if (u->paragraph)
		return u->heading ? 0 : 20;
	if (before->sentence)
		return 60;
	return u->glued ? 300 : 240;
}

static uint32_t
difference(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* The unit before which the passage is cut. */
static size_t
find_end(const struct chunker *c)
{
	uint32_t weight = 0, chars = 0, whole = 0, least = UINT32_MAX, usual;
	size_t last = 0, best;

	while (last < c->n && weight + c->units[last].weight <= WEIGHT_MAX &&
	    chars + unit_chars(&c->units[last]) <= CHUNKER_CHARACTERS) {
		weight += c->units[last].weight;
		chars += unit_chars(&c->units[last++]);
	}
	if (last == c->n)
		return last;
	whole = weight;
	usual = whole * 9 / 10 < WEIGHT_USUAL ? whole * 9 / 10 : WEIGHT_USUAL;
	best = last;
	for (size_t i = last; i > c->fresh && i > 0 && weight * 5 >= whole * 3; i--) {
		uint32_t bad = badness(c, i) + difference(weight, usual);

		if (bad < least) {
			least = bad;
			best = i;
		}
		weight -= c->units[i - 1].weight;
	}
	return best;
}

/* The first unit of the next passage, which repeats the end of the last one. */
static size_t
find_overlap(const struct chunker *c, size_t end)
{
	uint32_t weight = 0, chars = 0, least = UINT32_MAX;
	size_t best = end;

	for (size_t i = end; i-- > 1;) {
		const struct unit *u = &c->units[i];
		uint32_t bad;

		weight += u->weight;
		chars += unit_chars(u);
		if (weight > OVERLAP_MAX || chars > OVERLAP_CHARS)
			break;
		if (weight < OVERLAP_MIN && i > 1)
			continue;
		bad = difference(weight, OVERLAP_USUAL) +
		    (u->paragraph || c->units[i - 1].sentence ? 0 :
			    u->glued                          ? 80 :
								50);
		if (bad < least) {
			least = bad;
			best = i;
		}
	}
	return best;
}

static void
forget(struct chunker *c, size_t n)
{
	uint32_t bytes = n == c->n ? (uint32_t)c->text.len : c->units[n].at;

	for (size_t i = 0; i < n; i++) {
		c->weight -= c->units[i].weight;
		c->chars -= unit_chars(&c->units[i]);
	}
	memmove(c->units, c->units + n, (c->n - n) * sizeof(*c->units));
	c->n -= n;
	for (size_t i = 0; i < c->n; i++)
		c->units[i].at -= bytes;
	buf_consume(&c->text, bytes);
	if (c->paragraph_at != NOWHERE)
		c->paragraph_at = c->paragraph_at >= n ? c->paragraph_at - (uint32_t)n : NOWHERE;
}

static void
cut(struct chunker *c)
{
	size_t end = find_end(c), next;

	pass_on(c, end);
	next = find_overlap(c, end);
	c->fresh = end - next;
	forget(c, next);
}

/* Whether the word ends with a sentence mark, perhaps followed by closing quotes and brackets. */
static bool
ends_sentence(struct span word)
{
	static const char *const closing[] = { "\"", "'", ")", "]", "\xc2\xbb", "\xe2\x80\x9d", "\xe2\x80\x99",
		"\xe2\x80\x9c", "\xe3\x80\x8d", "\xe3\x80\x8f", "\xef\xbc\x89", NULL };
	static const char *const marks[] = { ".", "!", "?", "\xe2\x80\xa6", "\xe3\x80\x82", "\xef\xbc\x81",
		"\xef\xbc\x9f", "\xef\xbd\xa1", "\xe0\xa5\xa4", "\xd8\x9f", "\xdb\x94", NULL };

	for (size_t i = 0; closing[i] != NULL; i++)
		if (span_ends(word, closing[i])) {
			word.len -= strlen(closing[i]);
			i = (size_t)-1;
		}
	for (size_t i = 0; marks[i] != NULL; i++)
		if (span_ends(word, marks[i]))
			return true;
	return false;
}

static void
add_unit(struct chunker *c, struct span word, uint16_t chars, uint16_t weight)
{
	struct unit *u;

	c->units = mem_grow(c->units, c->n, &c->cap, sizeof(*c->units));
	u = &c->units[c->n];
	*u = (struct unit){ .at = (uint32_t)c->text.len, .len = (uint32_t)word.len, .page = c->page, .chars = chars,
		.weight = weight, .paragraph = c->begins, .glued = c->glue, .sentence = ends_sentence(word) };
	buf_span(&c->text, word);
	/* "approx. 5 %", "e.g. this": a sentence does not begin with a lower-case letter. */
	if (c->n > 0 && !c->begins && ascii_is_lower(word.p[0]))
		u[-1].sentence = false;
	if (c->begins)
		c->paragraph_at = (uint32_t)c->n;
	c->n++;
	c->weight += weight;
	c->chars += unit_chars(u);
	c->begins = c->glue = false;
	while (!c->over && (c->weight > PENDING_WEIGHT || c->chars > PENDING_CHARS))
		cut(c);
}

static void
end_word(struct chunker *c, bool glue)
{
	uint16_t n = c->word_chars;

	if (n > 0)
		add_unit(c, buf_view(&c->word), n, n <= 20 ? 2 : (uint16_t)(n / 5));
	c->word.len = 0;
	c->word_chars = 0;
	c->glue = glue && !c->begins;
}

/* Letters of scripts without blanks between words. */
static bool
stands_alone(uint32_t c)
{
	return (c >= 0x2e80 && c <= 0x2fff) || (c >= 0x3041 && c <= 0x312f) || (c >= 0x3190 && c <= 0x4dbf) ||
	    (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff66 && c <= 0xff9f) ||
	    (c >= 0x1b000 && c <= 0x1b2ff) || (c >= 0x20000 && c <= 0x3ffff);
}

/* Marks that belong to the letter before them. */
static bool
hangs_on(uint32_t c)
{
	return (c >= 0x0300 && c <= 0x036f) || c == 0x200c || c == 0x200d || (c >= 0x3001 && c <= 0x3003) ||
	    (c >= 0x3099 && c <= 0x309a) || c == 0x300d || c == 0x300f || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xff01 ||
	    c == 0xff09 || c == 0xff0c || c == 0xff0e || c == 0xff1a || c == 0xff1b || c == 0xff1f || c == 0xff61 ||
	    c == 0xff64;
}

static bool
is_blank(uint32_t c)
{
	return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
	    c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Append a mark to the preceding single-letter unit. */
static bool
hang_on_last(struct chunker *c, struct span bytes)
{
	struct unit *u = c->n == 0 ? NULL : &c->units[c->n - 1];

	if (u == NULL || c->word_chars > 0 || !c->glue || c->n <= c->fresh || u->chars >= 8)
		return false;
	buf_span(&c->text, bytes);
	u->len += (uint32_t)bytes.len;
	u->chars++;
	c->chars++;
	u->sentence = ends_sentence(span_of(c->text.p + u->at, u->len));
	return true;
}

static void
take_character(struct chunker *c, uint32_t ch, struct span bytes)
{
	if (is_blank(ch)) {
		end_word(c, false);
		return;
	}
	if (safe_text_deceives(ch) && ch != 0x200c && ch != 0x200d)
		return;
	if (stands_alone(ch)) {
		end_word(c, c->word_chars > 0 || c->glue);
		add_unit(c, bytes, 1, 1);
		c->glue = true;
		return;
	}
	if (hangs_on(ch) && hang_on_last(c, bytes))
		return;
	if (c->word_chars >= PIECE_MAX || (c->word_chars >= PIECE_CHARS && !hangs_on(ch)))
		end_word(c, true);
	buf_span(&c->word, bytes);
	c->word_chars++;
}

/* Read the character at the start of s; 0: it is incomplete.  An invalid byte becomes U+FFFD, of length 1. */
static size_t
read_character(struct span s, uint32_t *ch)
{
	static const uint8_t lead[] = { 0, 0, 0x1f, 0x0f, 0x07 };
	size_t n = s.p[0] < 0x80 ? 1 : s.p[0] >= 0xf0 ? 4 : s.p[0] >= 0xe0 ? 3 : s.p[0] >= 0xc2 ? 2 : 0;

	*ch = s.p[0];
	if (n == 1)
		return 1;
	if (n > s.len && s.p[0] < 0xf5) {
		size_t i = 1;

		while (i < s.len && (s.p[i] & 0xc0) == 0x80)
			i++;
		if (i == s.len)
			return 0;
	}
	if (n == 0 || n > s.len || !utf8_valid(s.p, n)) {
		*ch = 0xfffd;
		return 1;
	}
	*ch &= lead[n];
	for (size_t i = 1; i < n; i++)
		*ch = *ch << 6 | (s.p[i] & 0x3fu);
	return n;
}

static void
take_bytes(struct chunker *c, struct span text)
{
	uint32_t ch;
	size_t n;

	while (text.len > 0 && !c->over) {
		if ((n = read_character(text, &ch)) == 0) {
			memcpy(c->part, text.p, text.len);
			c->nparts = text.len;
			return;
		}
		take_character(c, ch, ch == 0xfffd ? SPAN("\xef\xbf\xbd") : span_of(text.p, n));
		text = span_of(text.p + n, text.len - n);
	}
}

void
chunker_text(struct chunker *c, struct span text)
{
	uint8_t whole[8];
	size_t n;

	while (c->nparts > 0 && text.len > 0 && !c->over) {
		n = c->nparts;
		memcpy(whole, c->part, n);
		whole[n++] = text.p[0];
		text = span_of(text.p + 1, text.len - 1);
		c->nparts = 0;
		take_bytes(c, span_of(whole, n));
	}
	take_bytes(c, text);
}

/* An incomplete character at the end is invalid: one U+FFFD for each byte. */
static void
end_part(struct chunker *c)
{
	for (size_t n = c->nparts; n > 0; n--)
		take_character(c, 0xfffd, SPAN("\xef\xbf\xbd"));
	c->nparts = 0;
}

void
chunker_paragraph(struct chunker *c, bool heading)
{
	end_part(c);
	end_word(c, false);
	if (heading && c->paragraph_at != NOWHERE && c->n - c->paragraph_at <= HEADING_UNITS)
		for (size_t i = c->paragraph_at; i < c->n; i++)
			c->units[i].heading = true;
	c->paragraph_at = NOWHERE;
	c->begins = true;
	c->glue = false;
}

/* Pass on everything; the next passage repeats nothing of it. */
static void
end_passages(struct chunker *c)
{
	chunker_paragraph(c, false);
	while (!c->over && c->n > c->fresh)
		cut(c);
	if (c->n > 0)
		forget(c, c->n);
	c->fresh = 0;
}

void
chunker_page(struct chunker *c, uint32_t page)
{
	if (page != c->page)
		end_passages(c);
	c->page = page;
}

int
chunker_end(struct chunker *c)
{
	end_passages(c);
	return c->over ? -1 : 0;
}
