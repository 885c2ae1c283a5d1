/* text.c - splitting, folding, stemming; see text.h. */
#include <stdlib.h>
#include <string.h>

#include <libstemmer.h>
#include <utf8proc.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "words/text.h"
#include "words/text_hash.h"
#include "words/text_short.h"

#define STEMS_KEPT	1024

enum char_class { SEPARATOR, LOWER, UPPER, DIGIT, PAIRED, MARK };

static bool
is_paired(int32_t c)
{
	return (c >= 0x3041 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
	    (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3134f);
}

static enum char_class
class_of(int32_t c)
{
	if (is_paired(c))
		return PAIRED;
	switch (utf8proc_category(c)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LT:
		return UPPER;
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
		return LOWER;
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
		return DIGIT;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		return MARK;
	default:
		return SEPARATOR;
	}
}

#define L	LOWER
#define U	UPPER
#define D	DIGIT

/* Everything else is a separator, which is 0. */
static const uint8_t ascii[128] = {
	['0'] = D, D, D, D, D, D, D, D, D, D,
	['A'] = U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U,
	['a'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
};

#undef L
#undef U
#undef D

/* Class and length of the character at p. */
static enum char_class
text_look(const uint8_t *p, size_t left, size_t *len)
{
	int32_t c;
	ssize_t n;

	*len = 1;
	if (*p < 0x80)
		return (enum char_class)ascii[*p];
	n = utf8proc_iterate(p, (ssize_t)left, &c);
	if (n <= 0)
		return SEPARATOR;
	*len = (size_t)n;
	return class_of(c);
}

/* NFKC and case folding of what is not plain ASCII; the result goes to out, cut at max. */
static size_t
fold_unicode(struct span s, uint8_t *out, size_t max)
{
	utf8proc_uint8_t *folded = NULL;
	ssize_t n;
	size_t len;

	n = utf8proc_map(s.p, (ssize_t)s.len, &folded,
	    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
	if (n < 0) {
		if (n == UTF8PROC_ERROR_NOMEM)
			abort();
		free(folded);
		return 0;
	}
	len = utf8_cut(folded, (size_t)n, max);
	memcpy(out, folded, len);
	free(folded);
	return len;
}

static bool
fold_ascii(struct span s, uint8_t *out)
{
	uint8_t high = 0;

	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];

		high |= c;
		out[i] = ascii_lower(c);
	}
	return high < 0x80;
}

static bool
give(struct text_reader *r, size_t start, size_t end, struct text_word *word)
{
	struct span piece = span_of(r->text.p + start, end - start);
	size_t n = piece.len;

	if (n > TEXT_WORD_MAX)
		piece.len = n = utf8_cut(piece.p, piece.len, TEXT_WORD_MAX);
	if (!fold_ascii(piece, r->folded))
		n = fold_unicode(piece, r->folded, TEXT_WORD_MAX);
	word->folded = span_of(r->folded, n);
	word->at = start;
	word->end = end;
	return n > 0;
}

/* A pair of characters beginning at start, or the one character when it stands alone. */
static bool
give_pair(struct text_reader *r, size_t start, size_t first, struct text_word *word)
{
	size_t next = start + first, second = 0;
	bool more = next < r->text.len && text_look(r->text.p + next, r->text.len - next, &second) == PAIRED;
	bool alone = r->pair != start;

	r->at = next;
	r->pair = SIZE_MAX;
	if (more) {
		r->pair = next;
		return give(r, start, next + second, word);
	}
	return alone && give(r, start, next, word);
}

/* An s that nothing but a separator follows. */
static bool
is_plural(const struct text_reader *r, size_t at)
{
	size_t len;

	return r->text.p[at] == 's' &&
	    (at + 1 == r->text.len || text_look(r->text.p + at + 1, r->text.len - at - 1, &len) == SEPARATOR);
}

/* The end of the word that starts at start, after its first character of class c. */
static size_t
find_end(const struct text_reader *r, size_t start, size_t first, enum char_class c)
{
	const uint8_t *p = r->text.p;
	size_t at = start + first, last = start, len;
	bool hump = false; /* the character before last was upper case too */

	while (at < r->text.len) {
		enum char_class next = text_look(p + at, r->text.len - at, &len);

		if (next == MARK) {
			at += len;
			continue;
		}
		if (next == SEPARATOR || next == PAIRED || (c == DIGIT) != (next == DIGIT) ||
		    (c == LOWER && next == UPPER))
			break;
		/* HTTPServer: the last capital belongs to the word that follows; KPIs is one word. */
		if (c == UPPER && next == LOWER && hump)
			return is_plural(r, at) ? at + 1 : last;
		hump = c == UPPER && next == UPPER;
		last = at;
		c = next;
		at += len;
	}
	return at;
}

bool
text_next_short_anywhere(struct text_reader *r, struct text_short *word)
{
	const uint8_t *p = r->text.p;
	size_t at = r->at, end;

	while (at < r->text.len && p[at] < 0x80 && ascii[p[at]] == SEPARATOR)
		at++;
	r->at = end = at;
	while (end < r->text.len && end - at < TEXT_SHORT_MAX && p[end] >= 'a' && p[end] <= 'z')
		end++;
	if (end == at || end - at == TEXT_SHORT_MAX || (end < r->text.len && p[end] >= 0x80))
		return false;
	*word = text_short_of(span_of(p + at, end - at));
	r->at = end;
	return true;
}

bool
text_next(struct text_reader *r, struct text_word *word)
{
	struct text_short plain;

	while (r->at < r->text.len) {
		size_t start, len;
		enum char_class c;

		if (text_next_short(r, &plain)) {
			start = r->at - plain.len;
			*word = (struct text_word){ span_of(r->text.p + start, plain.len), start, r->at };
			return true;
		}
		if ((start = r->at) == r->text.len)
			return false;
		c = text_look(r->text.p + start, r->text.len - start, &len);
		if (c == SEPARATOR || c == MARK) {
			r->at += len;
			continue;
		}
		if (c == PAIRED) {
			if (give_pair(r, start, len, word))
				return true;
			continue;
		}
		r->at = find_end(r, start, len, c);
		if (give(r, start, r->at, word))
			return true;
	}
	return false;
}

void
text_fold(struct span s, struct buf *out)
{
	uint8_t *at = buf_reserve(out, s.len);
	utf8proc_uint8_t *folded = NULL;
	ssize_t n;

	if (s.len == 0 || at == NULL)
		return;
	if (fold_ascii(s, at)) {
		out->len += s.len;
		return;
	}
	n = utf8proc_map(s.p, (ssize_t)s.len, &folded,
	    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
	if (n == UTF8PROC_ERROR_NOMEM)
		abort();
	if (n >= 0)
		buf_append(out, folded, (size_t)n);
	else
		buf_span(out, s);
	free(folded);
}

/* Letters that have no decomposition, or another one where they are written out. */
static const char *
plain_letter(int32_t c, bool written)
{
	static const struct {
		int32_t c;
		const char *plain, *written;
	} letters[] = { { 0xe4, NULL, "ae" }, { 0xf6, NULL, "oe" }, { 0xfc, NULL, "ue" }, { 0xe5, NULL, "aa" },
		{ 0xf8, "o", "oe" }, { 0xe6, "ae", "ae" }, { 0x153, "oe", "oe" }, { 0x142, "l", "l" },
		{ 0x111, "d", "d" }, { 0xf0, "d", "d" }, { 0xfe, "th", "th" }, { 0x131, "i", "i" },
		{ 0x127, "h", "h" } };

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].c == c)
			return written ? letters[i].written : letters[i].plain;
	return NULL;
}

void
text_unaccent(struct span folded, bool written, struct buf *out)
{
	for (size_t at = 0; at < folded.len;) {
		int32_t c, parts[8];
		ssize_t len = utf8proc_iterate(folded.p + at, (ssize_t)(folded.len - at), &c), n;
		const char *letter = len > 1 ? plain_letter(c, written) : NULL;

		if (letter != NULL)
			buf_str(out, letter);
		else if (len <= 1)
			buf_byte(out, folded.p[at]);
		else {
			n = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &(int){ 0 });
			for (ssize_t i = 0; i < n && i < 8; i++)
				if (parts[i] < 0x300 || parts[i] > 0x36f)
					utf8_put(out, (uint32_t)parts[i]);
		}
		at += len > 0 ? (size_t)len : 1;
	}
}

bool
text_is_same(struct span a, struct span b)
{
	struct buf x = { 0 }, y = { 0 };
	bool same;

	if (span_is(a, b))
		return true;
	text_fold(a, &x);
	text_fold(b, &y);
	same = span_is(buf_view(&x), buf_view(&y));
	buf_fini(&x);
	buf_fini(&y);
	return same;
}

bool
text_is_number(struct span folded)
{
	for (size_t i = 0; i < folded.len; i++)
		if (folded.p[i] < '0' || folded.p[i] > '9')
			return false;
	return folded.len > 0;
}

/* A language's stemmer, one per process, and stems it found lately: most words are stemmed several times in a row. */
struct stemmer {
	const char		*language;
	struct sb_stemmer	*utf8, *latin;
	struct {
		struct text_short	word;	/* len 0: none */
		uint8_t			stem[TEXT_SHORT_MAX];
		size_t			len;
	}			lately[STEMS_KEPT];
};

static size_t
ask_stemmer(struct stemmer *s, struct span word, uint8_t *out)
{
	bool plain = span_is_ascii(word);
	struct sb_stemmer **library = plain ? &s->latin : &s->utf8;
	const sb_symbol *stem;
	size_t n;

	/* Letters of ASCII are the same in both, and the one that need not put them together is faster. */
	if (*library == NULL && (*library = sb_stemmer_new(s->language, plain ? "ISO_8859_1" : "UTF_8")) == NULL)
		abort();
	if ((stem = sb_stemmer_stem(*library, word.p, (int)word.len)) == NULL)
		abort();
	n = (size_t)sb_stemmer_length(*library);
	n = n < TEXT_WORD_MAX ? n : TEXT_WORD_MAX;
	memcpy(out, stem, n);
	return n;
}

/* word may be another spelling of folded. */
static size_t
find_stem(struct stemmer *s, struct span folded, struct span word, uint8_t *out)
{
	struct text_short key;
	size_t at, n;

	if (folded.len > TEXT_SHORT_MAX)
		return ask_stemmer(s, word, out);
	key = text_short_of(folded);
	at = text_hash(folded) % STEMS_KEPT;
	if (s->lately[at].word.low == key.low && s->lately[at].word.high == key.high &&
	    s->lately[at].word.len == key.len) {
		memcpy(out, s->lately[at].stem, s->lately[at].len);
		return s->lately[at].len;
	}
	n = ask_stemmer(s, word, out);
	if (n <= TEXT_SHORT_MAX) {
		s->lately[at].word = key;
		memcpy(s->lately[at].stem, out, n);
		s->lately[at].len = n;
	}
	return n;
}

size_t
text_stem(struct span folded, uint8_t *out)
{
	static struct stemmer english = { .language = "english" };
	size_t n = folded.len;

	for (size_t i = 0; i < folded.len; i++)
		if (folded.p[i] < 'a' || folded.p[i] > 'z')
			n = 0;
	if (n >= 3)
		return find_stem(&english, folded, folded, out);
	memcpy(out, folded.p, folded.len);
	return folded.len;
}

static const struct {
	const char	*plain, *umlaut;
} umlauts[] = { { "ae", "ä" }, { "oe", "ö" }, { "ue", "ü" } };

struct span
text_respell(struct span word, bool out, uint8_t *text)
{
	size_t n = 0;

	for (size_t at = 0; at < word.len;) {
		size_t i = 3;

		if (at + 1 < word.len && (out ? word.p[at] == 0xc3 : word.p[at + 1] == 'e'))
			for (i = 0; i < 3; i++)
				if (memcmp(word.p + at, out ? umlauts[i].umlaut : umlauts[i].plain, 2) == 0)
					break;
		if (i < 3) {
			memcpy(text + n, out ? umlauts[i].plain : umlauts[i].umlaut, 2);
			n += 2;
			at += 2;
		} else
			text[n++] = word.p[at++];
	}
	return span_of(text, n);
}

size_t
text_german_stem(struct span folded, uint8_t *out)
{
	static struct stemmer german = { .language = "german" };
	uint8_t text[2 * TEXT_WORD_MAX];

	return find_stem(&german, folded, text_respell(folded, false, text), out);
}

static size_t
text_decode(struct span s, int32_t *out, size_t max)
{
	size_t n = 0;

	for (size_t at = 0; at < s.len && n < max; n++) {
		ssize_t len = 1;

		if (s.p[at] < 0x80)
			out[n] = s.p[at];
		else
			len = utf8proc_iterate(s.p + at, (ssize_t)(s.len - at), &out[n]);
		at += len > 0 ? (size_t)len : 1;
	}
	return n;
}

static unsigned
text_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment over three rows; words are at most TEXT_WORD_MAX
 * characters.  What is more than max off the diagonal costs more than max.
 */
unsigned
text_distance(struct span a, struct span b, unsigned max)
{
	int32_t x[TEXT_WORD_MAX], y[TEXT_WORD_MAX];
	unsigned rows[3][TEXT_WORD_MAX + 1];
	unsigned *before = rows[0], *row = rows[1], *next = rows[2];
	size_t n = utf8_count(a), m = utf8_count(b);

	if ((n > m ? n - m : m - n) > max)
		return max + 1;
	n = text_decode(a, x, TEXT_WORD_MAX);
	m = text_decode(b, y, TEXT_WORD_MAX);
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		size_t from = i > max ? i - max : 1, to = i + max < m ? i + max : m;
		unsigned *spare = before, best = next[from - 1] = from == 1 ? (unsigned)i : max + 1;

		for (size_t j = from; j <= to; j++) {
			unsigned cost = row[j - 1] + (x[i - 1] != y[j - 1]);

			cost = text_least(cost, text_least(row[j], next[j - 1]) + 1);
			if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
				cost = text_least(cost, before[j - 2] + 1);
			next[j] = cost;
			best = text_least(best, cost);
		}
		if (best > max)
			return max + 1;
		if (to < m)
			next[to + 1] = max + 1;
		before = row;
		row = next;
		next = spare;
	}
	return text_least(row[m], max + 1);
}

static bool
is_space(int32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x2028 || c == 0x2029 ||
	    c == 0x3000;
}

void
text_snippet(struct span s, size_t from, size_t max, struct buf *out)
{
	size_t chars = 0, start = out->len;
	bool gap = false;

	for (size_t at = from; at < s.len && chars < max;) {
		int32_t c;
		ssize_t len = utf8proc_iterate(s.p + at, (ssize_t)(s.len - at), &c);

		if (len <= 0) {
			at++;
			continue;
		}
		if (is_space(c)) {
			gap = out->len > start;
		} else {
			if (gap && ++chars == max)
				break;
			if (gap)
				buf_byte(out, ' ');
			gap = false;
			buf_append(out, s.p + at, (size_t)len);
			chars++;
		}
		at += (size_t)len;
	}
}
