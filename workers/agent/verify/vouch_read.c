#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "workers/agent/verify/vouch_read.h"

#define NUMBER_BYTES 64u
#define ROUGH	     0.02  /* tolerance for rounding to fewer than two decimals, relative */
#define ROUGH_SCALED 0.005 /* the same for thousands and millions */

/* Signs outside ASCII that are not letters. */
static bool
is_sign(const uint8_t *p, size_t len)
{
	static const char *const signs[] = { "–", "—", "−", "…", "€", "£", "’", "‘", "“", "”", "„", "«", "»", "·" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strlen(signs[i]) == len && memcmp(p, signs[i], len) == 0)
			return true;
	return false;
}

/* The length of the blank at p; 0: none. */
static size_t
blank_at(const uint8_t *p, size_t left)
{
	if (ascii_is_space(*p))
		return 1;
	if (left >= 2 && memcmp(p, "\xc2\xa0", 2) == 0)
		return 2;
	return left >= 3 && memcmp(p, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

static size_t
char_at(const uint8_t *p, size_t left)
{
	size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	return n < left ? n : left;
}

static enum vouch_kind
kind_at(const uint8_t *p, size_t len)
{
	if (ascii_is_digit(*p))
		return VOUCH_DIGITS;
	return ascii_is_letter(*p) || (*p >= 0x80 && !is_sign(p, len)) ? VOUCH_WORD : VOUCH_MARK;
}

/* Lower case, including Latin-1. */
static struct span
fold(struct arena *a, struct span text)
{
	struct span out = arena_span(a, text);
	uint8_t *p = (uint8_t *)(uintptr_t)out.p;

	for (size_t i = 0; out.p != NULL && i < out.len; i++) {
		p[i] = ascii_lower(p[i]);
		if (i > 0 && p[i - 1] == 0xc3 && p[i] >= 0x80 && p[i] <= 0x9e && p[i] != 0x97)
			p[i] |= 0x20;
	}
	return out;
}

struct vouch_token *
vouch_tokens(struct arena *a, struct span text, size_t max, size_t *n)
{
	struct vouch_token *list = arena_array(a, max > 0 ? max : 1, sizeof(*list));
	bool glued = false, line = true;
	size_t at = 0, len, blank;

	*n = 0;
	if (list == NULL || (text = fold(a, text)).p == NULL)
		return NULL;
	while (at < text.len) {
		const uint8_t *p = text.p + at;
		enum vouch_kind kind;

		if ((blank = blank_at(p, text.len - at)) > 0) {
			line = line || *p == '\n';
			glued = false;
			at += blank;
			continue;
		}
		if (*n == max)
			return NULL;
		len = char_at(p, text.len - at);
		kind = kind_at(p, len);
		while (kind != VOUCH_MARK && at + len < text.len && blank_at(p + len, text.len - at - len) == 0 &&
		    kind_at(p + len, char_at(p + len, text.len - at - len)) == kind)
			len += char_at(p + len, text.len - at - len);
		list[(*n)++] =
		    (struct vouch_token){ .kind = kind, .glued = glued, .line = line, .text = span_of(p, len) };
		at += len;
		glued = true;
		line = false;
	}
	return list;
}

static bool
is_mark(const struct vouch_token *t, const char *mark)
{
	return t->kind == VOUCH_MARK && span_is_str(t->text, mark);
}

/* The tokens of a number: digits with points and commas between them, without blanks. */
static size_t
number_tokens(const struct vouch_token *t, size_t n)
{
	size_t used = 1;

	while (used + 1 < n && t[used].glued && t[used + 1].glued && t[used + 1].kind == VOUCH_DIGITS &&
	    (is_mark(&t[used], ".") || is_mark(&t[used], ",")))
		used += 2;
	return used;
}

/* Read digits in groups of three with this separator, and decimals after the other one, into C's form. */
static bool
read_grouped(const struct vouch_token *t, size_t n, char group, char out[NUMBER_BYTES], unsigned *decimals)
{
	size_t len = 0;
	bool grouped = false;

	*decimals = 0;
	for (size_t i = 0; i < n; i += 2) {
		bool last = i + 1 == n, by_group = i > 0 && t[i - 1].text.p[0] == (uint8_t)group;

		if (len + t[i].text.len + 2 > NUMBER_BYTES || (i > 0 && !by_group && !last))
			return false;
		if (by_group && (t[i].text.len != 3 || t[0].text.len > 3))
			return false;
		grouped = grouped || by_group;
		if (i > 0 && !by_group) {
			out[len++] = '.';
			*decimals = (unsigned)t[i].text.len;
		}
		memcpy(out + len, t[i].text.p, t[i].text.len);
		len += t[i].text.len;
	}
	out[len] = '\0';
	/* Leading zeros are not allowed. */
	return t[0].text.p[0] != '0' || (t[0].text.len == 1 && !grouped);
}

/* The scale of the word after a number; 1: none. */
static double
scale_of(struct span word)
{
	static const struct {
		const char *word;
		double scale;
	} scales[] = { { "thousand", 1e3 }, { "million", 1e6 }, { "billion", 1e9 }, { "tausend", 1e3 }, { "mio", 1e6 },
		{ "millionen", 1e6 }, { "mrd", 1e9 }, { "milliarden", 1e9 }, { "milliarde", 1e9 } };

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
		if (span_is_str(word, scales[i].word))
			return scales[i].scale;
	return 1;
}

/* Read a number that is written as a word. */
static bool
read_word(struct span word, double *value)
{
	static const char *const words[2][13] = { { "zero", "one", "two", "three", "four", "five", "six", "seven",
						      "eight", "nine", "ten", "eleven", "twelve" },
		{ "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
		    "zwölf" } };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < 13; i++)
			if (span_is_str(word, words[k][i])) {
				*value = (double)i;
				return true;
			}
	return false;
}

static struct span
digits_of(struct arena *a, const char *text)
{
	char digits[NUMBER_BYTES];
	size_t n = 0;

	for (; *text != '\0'; text++)
		if (*text != '.' && (n > 0 || *text != '0'))
			digits[n++] = *text;
	return arena_span(a, span_of(digits, n));
}

size_t
vouch_number(struct arena *a, const struct vouch_token *t, size_t n, bool german, struct vouch_number *out)
{
	char text[NUMBER_BYTES];
	size_t used = 1, minus = is_mark(t, "-") || is_mark(t, "−");

	*out = (struct vouch_number){ .scale = 1 };
	if (t->kind == VOUCH_WORD) {
		if (!read_word(t->text, &out->value))
			return 0;
	} else if (t->kind == VOUCH_DIGITS ||
	    (minus && !t->glued && n > 1 && t[1].kind == VOUCH_DIGITS && t[1].glued)) {
		t += minus;
		n -= minus;
		used = number_tokens(t, n);
		if (!read_grouped(t, used, german ? '.' : ',', text, &out->decimals) &&
		    !read_grouped(t, used, german ? ',' : '.', text, &out->decimals))
			return SIZE_MAX;
		/* "Q3", "5k", "1e6" and "3rd" are not numbers. */
		if ((!minus && t->glued && t[-1].kind == VOUCH_WORD) ||
		    (used < n && t[used].glued && t[used].kind == VOUCH_WORD))
			return SIZE_MAX;
		out->value = strtod(text, NULL);
		out->digits = digits_of(a, text);
	} else
		return 0;
	if (used < n && t[used].kind == VOUCH_WORD && (out->scale = scale_of(t[used].text)) != 1) {
		out->value *= out->scale;
		used += used + 1 < n && t[used].text.len == 3 && is_mark(&t[used + 1], ".") ? 2 : 1;
	}
	if (minus)
		out->value = -out->value;
	return used + minus;
}

bool
vouch_equals(const struct vouch_number *number, double v, struct span exact)
{
	double step = number->scale * pow(10, -(double)number->decimals), off = fabs(number->value - v);

	if (exact.len > 0)
		return number->scale == 1 && (number->value < 0) == (v < 0) && span_is(number->digits, exact);
	if (off > step / 2 + fabs(v) * 1e-12)
		return false;
	if (number->scale > 1)
		return off <= fabs(v) * ROUGH_SCALED;
	return number->decimals >= 2 ? v == 0 || number->value != 0 : off <= fabs(v) * ROUGH;
}
