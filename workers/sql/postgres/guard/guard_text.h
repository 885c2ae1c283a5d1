/* guard_text - names of a database's objects in one buffer, and lists of objects that are sorted by them.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Append a name.  Returns its offset: the buffer moves when it grows. */
uint32_t guard_text_keep(struct buf *text, struct span name);

/* The name at an offset that guard_text_keep() returned; valid until the next name is kept. */
struct span guard_text_at(const struct buf *text, uint32_t at);

/*
 * The index of the first element whose name is not less than name; n: none.  v has n elements of `size` bytes, sorted
 * by name; byte `member` of an element is the offset of its name, a uint32_t.
 */
size_t guard_text_first(const struct buf *text, const void *v, size_t n, size_t size, size_t member,
    struct span name);
