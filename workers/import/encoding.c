#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "workers/import/encoding.h"

#define NONE	((iconv_t)-1)

static const struct {
	const char	*name, *reported;
	enum encoding	 encoding;
} own[] = {
	{ "utf-8", "utf-8", ENCODING_UTF8 },
	{ "utf8", "utf-8", ENCODING_UTF8 },
	{ "utf-16le", "utf-16le", ENCODING_UTF16LE },
	{ "utf-16be", "utf-16be", ENCODING_UTF16BE },
	{ "windows-1252", "windows-1252", ENCODING_WINDOWS_1252 },
	{ "cp1252", "windows-1252", ENCODING_WINDOWS_1252 },
	/* Files that claim ISO 8859-1 are Windows-1252, which differs only where ISO 8859-1 has control characters. */
	{ "iso-8859-1", "windows-1252", ENCODING_WINDOWS_1252 },
	{ "latin1", "windows-1252", ENCODING_WINDOWS_1252 },
};

/* Letters, digits and -_.: only: iconv(3) takes more for options. */
static bool
is_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!ascii_is_alnum((uint8_t)name[i]) && !ascii_is_any((uint8_t)name[i], "-_.:"))
			return false;
	return n > 0 && n <= 40;
}

int
encoding_named(const char *name, struct encoding_choice *choice, struct err *err)
{
	static iconv_t named = NONE;

	*choice = (struct encoding_choice){ .encoding = ENCODING_CONVERTED, .name = name, .converter = NONE };
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (span_is_word(span_str(name), own[i].name)) {
			choice->encoding = own[i].encoding;
			choice->name = own[i].reported;
			return 0;
		}
	if (named != NONE)
		iconv_close(named);
	choice->converter = named = is_name(name) ? iconv_open("UTF-8", name) : NONE;
	return choice->converter != NONE ?
	    0 :
	    err_set(err, ERR_INVALID_ARGUMENTS,
		"there is no encoding \"%.40s\" on this machine; `iconv -l` lists those there are", name);
}

struct byte_range {
	uint8_t	from, to;
};

/* An encoding of pairs of bytes: which pairs there are, and which of them most texts consist of. */
static const struct pairs {
	const char	*name, *converter;
	struct byte_range	 lead[2], trail[3], single, common[3], common_trail;
} pairs[] = {
	{ "gb18030", "GB18030", { { 0x81, 0xfe } }, { { 0x40, 0x7e }, { 0x80, 0xfe } }, { 1, 0 },
	    { { 0xa1, 0xa1 }, { 0xa3, 0xa3 }, { 0xb0, 0xd7 } }, { 0xa1, 0xfe } },
	{ "shift_jis", "CP932", { { 0x81, 0x9f }, { 0xe0, 0xfc } }, { { 0x40, 0x7e }, { 0x80, 0xfc } }, { 0xa1, 0xdf },
	    { { 0x81, 0x83 }, { 0x88, 0x97 } }, { 0x40, 0xfc } },
	{ "euc-jp", "EUC-JP", { { 0xa1, 0xfe } }, { { 0xa1, 0xfe } }, { 1, 0 },
	    { { 0xa1, 0xa1 }, { 0xa4, 0xa5 }, { 0xb0, 0xcf } }, { 0xa1, 0xfe } },
	{ "big5", "BIG5-HKSCS", { { 0xa1, 0xf9 } }, { { 0x40, 0x7e }, { 0xa1, 0xfe } }, { 1, 0 },
	    { { 0xa1, 0xa1 }, { 0xa4, 0xc6 } }, { 0x40, 0xfe } },
	{ "euc-kr", "CP949", { { 0x81, 0xfe } }, { { 0x41, 0x5a }, { 0x61, 0x7a }, { 0x81, 0xfe } }, { 1, 0 },
	    { { 0xa1, 0xa1 }, { 0xb0, 0xc8 } }, { 0xa1, 0xfe } },
};

#define PAIRS		(sizeof(pairs) / sizeof(pairs[0]))
#define KOREAN		(PAIRS - 1)
#define KOREAN_PAIRS	20	/* this many of its common pairs and no others are unlikely in Chinese */

static iconv_t converters[PAIRS];
static bool prepared;

void
encoding_prepare(void)
{
	for (size_t i = 0; !prepared && i < PAIRS; i++)
		converters[i] = iconv_open("UTF-8", pairs[i].converter);
	prepared = true;
}

static bool
within(const struct byte_range *ranges, size_t n, uint8_t byte)
{
	for (size_t i = 0; i < n; i++)
		if (byte >= ranges[i].from && byte <= ranges[i].to && ranges[i].to != 0)
			return true;
	return false;
}

/* The share of common pairs among the characters beyond ASCII; 0: the bytes are no text of this encoding. */
static double
score_pairs(const struct pairs *e, struct span b, size_t *n)
{
	size_t common = 0;

	*n = 0;
	for (size_t i = 0; i < b.len; i++) {
		if (b.p[i] < 0x80)
			continue;
		++*n;
		if (within(e->lead, 2, b.p[i]) && i + 1 < b.len && within(e->trail, 3, b.p[i + 1])) {
			common += within(e->common, 3, b.p[i]) && within(&e->common_trail, 1, b.p[i + 1]);
			i++;
		} else if (!within(&e->single, 1, b.p[i]) && i + 1 < b.len)
			return 0;
	}
	return *n == 0 ? 0 : (double)common / (double)*n;
}

/*
 * In Western languages the letters beyond ASCII stand alone between others, and some bytes of Windows-1252 are never
 * used.
 */
static bool
is_western(struct span b)
{
	size_t high = 0, in_runs = 0, odd = 0;

	for (size_t i = 0; i < b.len; i++) {
		if (b.p[i] < 0x80)
			continue;
		high++;
		in_runs += (i > 0 && b.p[i - 1] >= 0x80) || (i + 1 < b.len && b.p[i + 1] >= 0x80);
		odd += memchr("\x81\x82\x83\x8d\x8f\x90\x9d", b.p[i], 7) != NULL;
	}
	return in_runs * 10 < high * 7 && odd * 10 < high;
}

static bool
is_utf8_mostly(struct span b)
{
	size_t good = 0, bad = 0, n, i = 0;

	while (i < b.len) {
		n = utf8_bad(b.p + i, b.len - i);
		for (size_t k = i; k < i + n; k++)
			good += b.p[k] >= 0xc0; /* the first byte of each character beyond ASCII */
		i += n;
		for (; i < b.len && b.p[i] >= 0x80 && utf8_bad(b.p + i, b.len - i) == 0; i++)
			bad++;
	}
	return good >= bad;
}

struct encoding_choice
encoding_guess(struct span bytes)
{
	struct encoding_choice choice = {
		.encoding = ENCODING_WINDOWS_1252, .name = "windows-1252", .converter = NONE
	};
	double best = 0.6, score;
	size_t found = PAIRS, n;

	if (is_utf8_mostly(bytes))
		return (struct encoding_choice){ .encoding = ENCODING_UTF8, .name = "utf-8", .converter = NONE };
	if (is_western(bytes))
		return choice;
	choice.doubt = "the file is not UTF-8, and its letters are hardly those of Windows-1252, as which it was read; "
		       "--encoding names the right one";
	for (size_t i = 0; i < KOREAN; i++)
		if ((score = score_pairs(&pairs[i], bytes, &n)) > best) {
			best = score;
			found = i;
		}
	if (score_pairs(&pairs[KOREAN], bytes, &n) >= 0.98 && n >= KOREAN_PAIRS)
		found = KOREAN;
	encoding_prepare();
	if (found == PAIRS || converters[found] == NONE)
		return choice;
	return (struct encoding_choice){ ENCODING_CONVERTED, pairs[found].name, converters[found],
		"the file is not UTF-8; its encoding was guessed from its bytes, --encoding names another one" };
}

bool
encoding_guess_utf16(struct span bytes, struct encoding_choice *choice)
{
	size_t zeros[2] = { 0 }, most = bytes.len < 65536 ? bytes.len : 65536;
	unsigned high;

	for (size_t i = 0; i < most; i++)
		zeros[i & 1] += bytes.p[i] == 0;
	high = zeros[1] > zeros[0];
	/* Every delimiter and line end has a zero as its higher byte. */
	if (zeros[high] < 2 || zeros[high] * 20 < most || zeros[1 - high] > 0)
		return false;
	*choice = (struct encoding_choice){ high == 1 ? ENCODING_UTF16LE : ENCODING_UTF16BE,
		high == 1 ? "utf-16le" : "utf-16be", NONE,
		"the file has no byte order mark; UTF-16 was guessed from its bytes, --encoding names another one" };
	return true;
}
