/* compact_jws - the parts of a JSON Web Signature in compact form (RFC 7515 7.1).  What they mean, the caller says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

#define COMPACT_PARTS	3	/* header, claims, signature */

/* Split at the dots.  False: there are not exactly two, or a part is empty. */
bool compact_split(struct span text, struct span part[COMPACT_PARTS]);

/* Decode a part, a JSON value of at most max bytes, and append it to out as msgpack, *value there.  False: no JSON. */
bool compact_read(struct span part, size_t max, struct buf *out, struct span *value);
