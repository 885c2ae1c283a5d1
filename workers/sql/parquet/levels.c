#include "workers/sql/parquet/levels.h"

#include "base/span.h"
#include "workers/sql/parquet/thrift.h"

#define GROUP	8u	/* levels that are packed together; a run of fewer is packed, too */

static unsigned
width_of(unsigned max)
{
	unsigned width = 0;

	for (; max > 0; max >>= 1)
		width++;
	return width;
}

static size_t
run_length(const uint8_t *levels, size_t n)
{
	size_t i = 1;

	while (i < n && levels[i] == levels[0])
		i++;
	return i;
}

/* Of groups that are packed: the last one may be short, and is filled up with zeros. */
static void
put_packed(struct buf *out, const uint8_t *levels, size_t n, unsigned width)
{
	size_t groups = (n + GROUP - 1) / GROUP;
	uint64_t bits = 0;
	unsigned held = 0;

	thrift_put_varint(out, groups << 1 | 1);
	for (size_t i = 0; i < groups * GROUP; i++) {
		bits |= (uint64_t)(i < n ? levels[i] : 0) << held;
		for (held += width; held >= 8; held -= 8, bits >>= 8)
			buf_byte(out, (uint8_t)bits);
	}
}

void
levels_put(struct buf *out, const uint8_t *levels, size_t n, unsigned max)
{
	unsigned width = width_of(max);
	size_t at = out->len, len;

	buf_append(out, "\0\0\0\0", 4);
	for (size_t i = 0, packed = 0; i < n; i += packed) {
		size_t run = run_length(levels + i, n - i);

		if (run >= GROUP) {
			thrift_put_varint(out, (uint64_t)run << 1);
			buf_byte(out, levels[i]);
			packed = run;
			continue;
		}
		for (packed = 0; i + packed < n && run_length(levels + i + packed, n - i - packed) < GROUP;)
			packed += n - i - packed < GROUP ? n - i - packed : GROUP;
		put_packed(out, levels + i, packed, width);
	}
	len = out->len - at - 4;
	for (size_t k = 0; k < 4 && !out->full; k++)
		out->p[at + k] = (uint8_t)(len >> 8 * k);
}

void
levels_put_bits(struct buf *out, const uint8_t *bits, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint8_t byte = 0;

		for (size_t k = 0; k < 8 && i + k < n; k++)
			byte |= (uint8_t)(bits[i + k] << k);
		buf_byte(out, byte);
	}
}
