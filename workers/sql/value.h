/*
 * value - writes a database value as a cell of a result.  All text of a
 * database passes through here, because it may be any bytes, and a message
 * with invalid UTF-8 would cost the worker its channel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

#define VALUE_CELL_MAX	((size_t)256 * 1024)	/* a longer cell becomes {"truncated", "fullLength", "start"} */
#define VALUE_START_MAX	((size_t)1024)		/* bytes of its beginning that are shown */

/* Text: a str, or bytes if it is not UTF-8. */
void value_text(struct buf *out, struct span s);

void value_bytes(struct buf *out, struct span s);

/* {"truncated": true, "fullLength": full, "start": the first bytes of start}. */
void value_cut(struct buf *out, size_t full, struct span start, bool text);

/*
 * Numbers, which base/json/cell.h reads.  True if JSON cannot hold the number, so that it becomes a string: an integer
 * beyond 2^53, one that is not finite, a decimal that json_is_exact() refuses.
 */
bool value_int(struct buf *out, int64_t v);
bool value_uint(struct buf *out, uint64_t v);
bool value_double(struct buf *out, double v);
/* Keeps the server's digits. */
bool value_decimal(struct buf *out, struct span s);

/* A name or a message: always a str, with invalid bytes as U+FFFD.  NULL: nil. */
void value_label(struct buf *out, const char *s);

/* s as a C string of valid UTF-8, allocated in a; never NULL. */
const char *value_clean(struct arena *a, const char *s);
