/*
 * json_put - writes compact JSON piece by piece; objects, lists and commas are closed and placed here.
 *
 * A comma is written where the buffer ends in a value: behind "{", "[", ":", a blank, a line feed or nothing there is
 * none.  So members may be collected in a buffer of their own and be put into an object with json_put_members().
 * key NULL: an element of a list, or the value at the top.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Begin a member or an element; its value is appended by the caller. */
void json_put_key(struct buf *out, const char *key);

void json_put_object(struct buf *out, const char *key);
void json_end_object(struct buf *out);
void json_put_list(struct buf *out, const char *key);
void json_end_list(struct buf *out);

/* null for a span whose p is NULL, and for a NULL text. */
void json_put_str(struct buf *out, const char *key, struct span s);
void json_put_cstr(struct buf *out, const char *key, const char *s);
void json_put_uint(struct buf *out, const char *key, uint64_t v);
void json_put_known(struct buf *out, const char *key, bool known, uint64_t v);	/* null when it is not known */
void json_put_bool(struct buf *out, const char *key, bool v);

/* JSON that is written already: a value; members, or elements, with commas between them, none possibly. */
void json_put_raw(struct buf *out, const char *key, struct span json);
void json_put_members(struct buf *out, struct span members);
