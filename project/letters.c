#include <stdlib.h>
#include <utf8proc.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "project/letters.h"

/* Letters whose plain spelling is not just the letter without its marks. */
static const struct {
	utf8proc_int32_t	 letter;
	const char		*plain;
} plain_letters[] = {
	/* Ä Ö Ü ä ö ü ß */
	{ 0xc4, "Ae" }, { 0xd6, "Oe" }, { 0xdc, "Ue" }, { 0xe4, "ae" }, { 0xf6, "oe" }, { 0xfc, "ue" }, { 0xdf, "ss" },
	/* ẞ Æ æ Œ œ Ø ø Ł ł */
	{ 0x1e9e, "SS" }, { 0xc6, "Ae" }, { 0xe6, "ae" }, { 0x152, "Oe" }, { 0x153, "oe" }, { 0xd8, "O" },
	{ 0xf8, "o" }, { 0x141, "L" }, { 0x142, "l" },
	/* Đ đ Ð ð Þ þ ı Ħ ħ Ŧ ŧ Ŋ ŋ */
	{ 0x110, "D" }, { 0x111, "d" }, { 0xd0, "D" }, { 0xf0, "d" }, { 0xde, "Th" }, { 0xfe, "th" }, { 0x131, "i" },
	{ 0x126, "H" }, { 0x127, "h" }, { 0x166, "T" }, { 0x167, "t" }, { 0x14a, "N" }, { 0x14b, "n" },
};

enum letter { LETTER_NONE, LETTER_LATIN, LETTER_OTHER, LETTER_DIGIT };

static bool
is_part_of_word(utf8proc_int32_t c)
{
	utf8proc_category_t k = utf8proc_category(c);

	return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) || k == UTF8PROC_CATEGORY_MN ||
	    k == UTF8PROC_CATEGORY_MC || k == UTF8PROC_CATEGORY_ND;
}

/* Removes the marks of a letter, and splits ligatures; false: not a Latin letter. */
static bool
put_without_marks(struct buf *out, utf8proc_int32_t c)
{
	utf8proc_int32_t parts[32];
	int last = 0;
	utf8proc_ssize_t n = utf8proc_decompose_char(c, parts, (utf8proc_ssize_t)(sizeof(parts) / sizeof(parts[0])),
	    UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, &last);

	if (n <= 0 || n > (utf8proc_ssize_t)(sizeof(parts) / sizeof(parts[0])) || parts[0] >= 0x80 ||
	    !ascii_is_letter((uint8_t)parts[0]))
		return false;
	for (utf8proc_ssize_t i = 0; i < n; i++)
		if (parts[i] < 0x80 && ascii_is_alnum((uint8_t)parts[i]))
			buf_byte(out, (uint8_t)parts[i]);
	return true;
}

static enum letter
put_letter(struct buf *out, utf8proc_int32_t c)
{
	utf8proc_uint8_t bytes[4];

	for (size_t i = 0; i < sizeof(plain_letters) / sizeof(plain_letters[0]); i++)
		if (plain_letters[i].letter == c) {
			buf_str(out, plain_letters[i].plain);
			return LETTER_LATIN;
		}
	if (c < 0x80 && (ascii_is_alnum((uint8_t)c) || c == '_')) {
		buf_byte(out, (uint8_t)c);
		return ascii_is_letter((uint8_t)c) ? LETTER_LATIN : LETTER_DIGIT;
	}
	if (c >= 0x80 && put_without_marks(out, c))
		return LETTER_LATIN;
	if (c >= 0x80 && is_part_of_word(c)) {
		buf_append(out, bytes, (size_t)utf8proc_encode_char(utf8proc_tolower(c), bytes));
		return LETTER_OTHER;
	}
	buf_byte(out, ' ');
	return LETTER_NONE;
}

struct span
letters_plain(struct arena *a, struct span text, bool *mixed)
{
	utf8proc_uint8_t *composed = NULL;
	/* A letter and its mark may be two characters: compose them first. */
	utf8proc_ssize_t n =
	    utf8proc_map(text.p, (utf8proc_ssize_t)text.len, &composed, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
	bool latin = false, other = false, both = false;
	struct buf out = { 0 };
	struct span plain;

	if (n == UTF8PROC_ERROR_NOMEM)
		abort();
	for (utf8proc_ssize_t at = 0; at < n;) {
		utf8proc_int32_t c;
		utf8proc_ssize_t len = utf8proc_iterate(composed + at, n - at, &c);
		enum letter letter;

		if (len <= 0)
			break;
		at += len;
		letter = put_letter(&out, c);
		if (letter == LETTER_NONE || c == '_')
			latin = other = false;
		latin = latin || letter == LETTER_LATIN;
		other = other || letter == LETTER_OTHER;
		both = both || (latin && other);
	}
	free(composed);
	plain = arena_span(a, span_trim(buf_view(&out)));
	buf_fini(&out);
	if (mixed != NULL)
		*mixed = both;
	return plain;
}
