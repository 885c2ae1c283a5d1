/*
 * value - one database value as a cell of a result.
 *
 * Whatever a database says goes through here, because it may be any bytes and
 * a message with invalid UTF-8 would cost the worker its channel.
 */
#ifndef WORKERS_SQL_VALUE_H
#define WORKERS_SQL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

#define VALUE_CELL_MAX	((size_t)256 * 1024)	/* a longer cell becomes {"truncated", "fullLength", "start"} */
#define VALUE_START_MAX	((size_t)1024)		/* bytes of it that are shown */
#define VALUE_DIGITS_MAX 15			/* significant digits a double holds for certain */

/* Text: a str, or bytes when it is not UTF-8. */
void value_text(struct buf *out, struct span s);

void value_bytes(struct buf *out, struct span s);

/* {"truncated": true, "fullLength": full, "start": the first bytes of start}. */
void value_cut(struct buf *out, size_t full, struct span start, bool text);

/*
 * Numbers.  True when JSON has none for it, so that it is a string there: an
 * integer beyond 2^53, what is not finite, a decimal of more than 15 digits.
 */
bool value_int(struct buf *out, int64_t v);
bool value_uint(struct buf *out, uint64_t v);
bool value_double(struct buf *out, double v);
/* In the server's own digits. */
bool value_decimal(struct buf *out, struct span s);

/* A name or a message: always a str, bad bytes as U+FFFD.  NULL: nil. */
void value_label(struct buf *out, const char *s);

/* s as a C string of valid UTF-8 in a; never NULL. */
const char *value_clean(struct arena *a, const char *s);

#endif
