#include "workers/sql/parquet/thrift.h"

#define SHORT_LIST	15u	/* elements that a list's first byte can say */

void
thrift_put_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_byte(out, (uint8_t)(v | 0x80));
	buf_byte(out, (uint8_t)v);
}

void
thrift_put_int(struct buf *out, int64_t v)
{
	thrift_put_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void
thrift_put_text(struct buf *out, struct span v)
{
	thrift_put_varint(out, v.len);
	buf_span(out, v);
}

/* All numbers of fields that Parquet has follow each other by less than 16. */
static void
put_field(struct buf *out, unsigned *last, unsigned id, enum thrift_type type)
{
	buf_byte(out, (uint8_t)((id - *last) << 4 | (unsigned)type));
	*last = id;
}

void
thrift_i8(struct buf *out, unsigned *last, unsigned id, int8_t v)
{
	put_field(out, last, id, THRIFT_I8);
	buf_byte(out, (uint8_t)v);
}

void
thrift_i32(struct buf *out, unsigned *last, unsigned id, int32_t v)
{
	put_field(out, last, id, THRIFT_I32);
	thrift_put_int(out, v);
}

void
thrift_i64(struct buf *out, unsigned *last, unsigned id, int64_t v)
{
	put_field(out, last, id, THRIFT_I64);
	thrift_put_int(out, v);
}

void
thrift_bool(struct buf *out, unsigned *last, unsigned id, bool v)
{
	put_field(out, last, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void
thrift_text(struct buf *out, unsigned *last, unsigned id, struct span v)
{
	put_field(out, last, id, THRIFT_BINARY);
	thrift_put_text(out, v);
}

void
thrift_list(struct buf *out, unsigned *last, unsigned id, enum thrift_type of, size_t n)
{
	put_field(out, last, id, THRIFT_LIST);
	buf_byte(out, (uint8_t)((n < SHORT_LIST ? n : SHORT_LIST) << 4 | (unsigned)of));
	if (n >= SHORT_LIST)
		thrift_put_varint(out, n);
}

void
thrift_struct(struct buf *out, unsigned *last, unsigned id)
{
	put_field(out, last, id, THRIFT_STRUCT);
}

void
thrift_end(struct buf *out)
{
	buf_byte(out, 0);
}
