/*
 * thrift - Thrift's compact protocol, as far as Parquet describes its files in it: structs of integers, texts, lists
 * and structs (thrift-compact-protocol.md of Apache Thrift).
 *
 * A struct is begun with a counter of its own that is zero, the number of its last field, and ended by thrift_end();
 * its fields are put in the order of their numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum thrift_type { THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_I8 = 3, THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8,
	THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

void thrift_i8(struct buf *out, unsigned *last, unsigned id, int8_t v);
void thrift_i32(struct buf *out, unsigned *last, unsigned id, int32_t v);
void thrift_i64(struct buf *out, unsigned *last, unsigned id, int64_t v);
void thrift_bool(struct buf *out, unsigned *last, unsigned id, bool v);
void thrift_text(struct buf *out, unsigned *last, unsigned id, struct span v);

/* A list of n elements, which follow: integers by thrift_put_int(), texts by thrift_put_text(), or structs. */
void thrift_list(struct buf *out, unsigned *last, unsigned id, enum thrift_type of, size_t n);
void thrift_put_int(struct buf *out, int64_t v);
void thrift_put_text(struct buf *out, struct span v);

/* A struct, whose fields follow, up to thrift_end(). */
void thrift_struct(struct buf *out, unsigned *last, unsigned id);
void thrift_end(struct buf *out);

/* An unsigned number of seven bits a byte, the lowest first. */
void thrift_put_varint(struct buf *out, uint64_t v);
