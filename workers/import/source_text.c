/* source_text.c - see source_text.h. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "workers/import/rows_records.h"
#include "workers/import/source_text.h"

#define BLOCK	((size_t)1 << 20)

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
	}
}

/* Decode UTF-16.  A lone surrogate becomes U+FFFD. */
static void
take_utf16(struct import_source *s, const uint8_t *p, size_t n)
{
	size_t at = 0;
	unsigned low = s->encoding == ENCODING_UTF16LE ? 0 : 1;

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
		utf8_put(&s->text, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	}
	buf_consume(&s->raw, at);
}

static bool
is_beyond_ascii(const uint8_t *p, size_t n)
{
	uint8_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= p[i];
	return (all & 0x80) != 0;
}

/* Check the new bytes, except an incomplete character at the end. */
static enum source_more
check_utf8(struct import_source *s)
{
	size_t left = s->text.len - s->checked, good;
	const uint8_t *from;
	bool cut;

	if (left == 0)
		return SOURCE_MORE;
	from = s->text.p + s->checked;
	good = utf8_bad(from, left);
	cut = !s->ends && left - good < 4 && left > good && utf8_cut(from, left, left) == good;
	if (good > 0 && is_beyond_ascii(from, good))
		s->beyond_ascii = true;
	if (good > 0 && memchr(from, '\0', good) != NULL)
		s->dirty = true;
	if (good == left || cut) {
		s->checked += good;
		return SOURCE_MORE;
	}
	if (!s->beyond_ascii) {
		s->encoding = ENCODING_WINDOWS_1252;
		return SOURCE_AGAIN;
	}
	s->dirty = true;
	s->checked = s->text.len;
	return SOURCE_MORE;
}

static size_t
mark_length(struct import_source *s, const uint8_t *p, size_t n)
{
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		s->beyond_ascii = true; /* a byte order mark: the file is never taken for another encoding */
		return 3;
	}
	if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0)) {
		s->encoding = p[0] == 0xff ? ENCODING_UTF16LE : ENCODING_UTF16BE;
		return 2;
	}
	return 0;
}

enum source_more
source_read(struct import_source *s, struct err *err)
{
	uint8_t *room, block[64 * 1024];
	bool direct = s->encoding == ENCODING_UTF8 && s->done > 0;
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
	if (direct)
		s->text.len += (size_t)n;
	else if (s->encoding == ENCODING_UTF8)
		buf_append(&s->text, block + skip, (size_t)n - skip);
	else if (s->encoding == ENCODING_WINDOWS_1252)
		take_windows_1252(s, block, (size_t)n);
	else
		take_utf16(s, block + skip, (size_t)n - skip);
	if (s->encoding == ENCODING_UTF8 && check_utf8(s) == SOURCE_AGAIN)
		return SOURCE_AGAIN;
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
	return 0;
}

int
source_open(struct import_source *s, int fd, struct err *err)
{
	struct stat st;

	*s = (struct import_source){ .fd = fd };
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
