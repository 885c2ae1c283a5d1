#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/import/rows_records.h"
#include "workers/import/source_text.h"

#define BLOCK	((size_t)1 << 20)
#define GUESSED	((size_t)256 << 10)	/* bytes of which the encoding is guessed */
#define BROKEN	0xff	/* in place of bytes that are no text: in UTF-8 it never occurs */

/* Windows-1252 at 0x80 to 0x9f; 0: unassigned, taken as the C1 control. */
static const uint16_t windows_1252[32] = {
	0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0,
	0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e,
	0x0178,
};

static void
take_windows_1252(struct import_source *s, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t c = p[i];

		if (c >= 0x80 && c < 0xa0 && windows_1252[c - 0x80] != 0)
			c = windows_1252[c - 0x80];
		utf8_put(&s->text, c);
		s->dirty |= c == 0;
	}
}

static void
put_broken(struct import_source *s)
{
	buf_byte(&s->text, BROKEN);
	s->dirty = true;
}

/* Decode UTF-16. */
static void
take_utf16(struct import_source *s, const uint8_t *p, size_t n)
{
	size_t at = 0;
	unsigned low = s->encoding.encoding == ENCODING_UTF16LE ? 0 : 1;

	buf_append(&s->raw, p, n);
	p = s->raw.p;
	n = s->raw.len;
	while (n - at >= 2) {
		uint32_t c = p[at + low] | (uint32_t)p[at + 1 - low] << 8;

		if (c >= 0xd800 && c < 0xdc00 && n - at < 4 && !s->ends)
			break;
		at += 2;
		if (c >= 0xd800 && c < 0xdc00 && n - at >= 2) {
			uint32_t d = p[at + low] | (uint32_t)p[at + 1 - low] << 8;

			if (d >= 0xdc00 && d < 0xe000) {
				at += 2;
				c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
			}
		}
		if (c >= 0xd800 && c < 0xe000)
			put_broken(s);
		else
			utf8_put(&s->text, c);
		s->dirty |= c == 0;
	}
	buf_consume(&s->raw, at);
	if (s->ends && s->raw.len > 0)
		put_broken(s);
}

/* Decode with iconv(3). */
static void
take_converted(struct import_source *s, const uint8_t *p, size_t n)
{
	char *in, *out, *from;
	size_t left, room;

	buf_append(&s->raw, p, n);
	in = (char *)s->raw.p;
	left = s->raw.len;
	while (left > 0) {
		/* A character of two bytes may take three. */
		room = left * 2 + 16;
		from = out = (char *)buf_reserve(&s->text, room);
		if (out == NULL)
			break;
		if (iconv(s->encoding.converter, &in, &left, &out, &room) != (size_t)-1)
			errno = 0;
		s->dirty |= memchr(from, '\0', (size_t)(out - from)) != NULL;
		s->text.len += (size_t)(out - from);
		if (errno == EINVAL && !s->ends)
			break;
		if (errno == EILSEQ || errno == EINVAL) {
			put_broken(s);
			in++;
			left--;
		}
	}
	buf_consume(&s->raw, s->raw.len - left);
}

/* Guess the encoding of a file that is not, or not all, UTF-8.  False: it stays. */
static bool
guess_encoding(struct import_source *s)
{
	uint8_t *sample = mem_alloc(GUESSED);
	ssize_t n = pread(s->fd, sample, GUESSED, (off_t)s->high);

	s->encoding = encoding_guess(span_of(sample, n < 0 ? 0 : (size_t)n));
	s->decided = true;
	free(sample);
	return s->encoding.encoding != ENCODING_UTF8;
}

/* Check the new bytes, except an incomplete character at the end. */
static enum source_more
check_utf8(struct import_source *s)
{
	size_t left = s->text.len - s->checked, good, i = 0;
	const uint8_t *from;
	bool cut;

	if (left == 0)
		return SOURCE_MORE;
	from = s->text.p + s->checked;
	while (s->high == UINT64_MAX && i < left && from[i] < 0x80)
		i++;
	if (s->high == UINT64_MAX && i < left)
		s->high = s->done - left + i;
	good = utf8_bad(from, left);
	cut = !s->ends && left - good < 4 && left > good && utf8_cut(from, left, left) == good;
	if (good > 0 && memchr(from, '\0', good) != NULL)
		s->dirty = true;
	if (good == left || cut) {
		s->checked += good;
		return SOURCE_MORE;
	}
	if (!s->decided && guess_encoding(s))
		return SOURCE_AGAIN;
	s->dirty = true;
	s->checked = s->text.len;
	return SOURCE_MORE;
}

/* Look at the first bytes.  Returns the length of a byte order mark. */
static size_t
mark_length(struct import_source *s, const uint8_t *p, size_t n)
{
	static const struct {
		const char *mark;
		size_t len;
		struct encoding_choice encoding;
	} marks[] = {
		{ "\xef\xbb\xbf", 3, { .encoding = ENCODING_UTF8, .name = "utf-8" } },
		{ "\xff\xfe", 2, { .encoding = ENCODING_UTF16LE, .name = "utf-16le" } },
		{ "\xfe\xff", 2, { .encoding = ENCODING_UTF16BE, .name = "utf-16be" } },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (n < marks[i].len || memcmp(p, marks[i].mark, marks[i].len) != 0)
			continue;
		if (!s->decided)
			s->encoding = marks[i].encoding;
		s->decided = true;
		return s->encoding.encoding == marks[i].encoding.encoding ? marks[i].len : 0;
	}
	if (!s->decided && n > 0)
		s->decided = encoding_guess_utf16(span_of(p, n), &s->encoding);
	return 0;
}

enum source_more
source_read(struct import_source *s, struct err *err)
{
	uint8_t *room, block[64 * 1024];
	bool direct = s->encoding.encoding == ENCODING_UTF8 && s->done > 0;
	size_t before = s->text.len, skip;
	ssize_t n;

	if (s->ends)
		return SOURCE_END;
	if (before >= ROWS_RECORD_MAX)
		return SOURCE_FULL;
	room = direct ? buf_reserve(&s->text, BLOCK) : block;
	while ((n = read(s->fd, room, direct ? BLOCK : sizeof(block))) < 0 && errno == EINTR)
		;
	if (n < 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the file could not be read: %s", strerror(errno));
		return SOURCE_FAILED;
	}
	skip = s->done == 0 ? mark_length(s, room, (size_t)n) : 0;
	s->done += (uint64_t)n;
	s->ends = n == 0;
	switch (s->encoding.encoding) {
	case ENCODING_UTF8:
		if (direct)
			s->text.len += (size_t)n;
		else
			buf_append(&s->text, block + skip, (size_t)n - skip);
		if (check_utf8(s) == SOURCE_AGAIN)
			return SOURCE_AGAIN;
		break;
	case ENCODING_WINDOWS_1252:
		take_windows_1252(s, block, (size_t)n);
		break;
	case ENCODING_UTF16LE:
	case ENCODING_UTF16BE:
		take_utf16(s, block + skip, (size_t)n - skip);
		break;
	case ENCODING_CONVERTED:
		take_converted(s, block, (size_t)n);
	}
	return s->ends && s->text.len == before ? SOURCE_END : SOURCE_MORE;
}

void
source_consume(struct import_source *s, size_t n)
{
	buf_consume(&s->text, n);
	s->checked = s->checked > n ? s->checked - n : 0;
}

int
source_rewind(struct import_source *s, struct err *err)
{
	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file cannot be read twice: %s", strerror(errno));
	s->ends = s->dirty = false;
	s->checked = 0;
	s->done = 0;
	buf_reset(&s->text, 2 * BLOCK);
	buf_reset(&s->raw, BLOCK);
	if (s->encoding.encoding == ENCODING_CONVERTED)
		(void)iconv(s->encoding.converter, NULL, NULL, NULL, NULL);
	return 0;
}

int
source_open(struct import_source *s, int fd, const struct encoding_choice *encoding, struct err *err)
{
	struct stat st;

	*s = (struct import_source){
		.fd = fd, .high = UINT64_MAX, .encoding = { .encoding = ENCODING_UTF8, .name = "utf-8" }
	};
	if (encoding != NULL) {
		s->encoding = *encoding;
		s->decided = true;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "only a file can be imported, since it is read twice; save what comes by a pipe first");
	s->total = (uint64_t)st.st_size;
	return source_rewind(s, err);
}

void
source_close(struct import_source *s)
{
	buf_fini(&s->text);
	buf_fini(&s->raw);
}

void
source_describe(const struct import_source *s, struct buf *out)
{
	json_put_cstr(out, "encoding", s->encoding.name);
}

void
source_doubt(const struct import_source *s, struct import_notes *notes)
{
	if (s->encoding.doubt != NULL)
		notes_add(notes, 0, SPAN_NONE, "%s", s->encoding.doubt);
}
