/* percent - percent-encoding (RFC 3986, section 2.1): a byte is written as '%' and two hex digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Append s.  A byte for which stays() is true is written as it is, every other one is encoded. */
void percent_put(struct buf *out, struct span s, bool (*stays)(uint8_t c));

/* For percent_put(): the unreserved characters of RFC 3986, section 2.3. */
bool percent_is_unreserved(uint8_t c);

/*
 * The byte that is written at s.p[*at], encoded or as it is; *at moves behind it.  -1: there is a '%' without two hex
 * digits.  *at < s.len.
 */
int percent_next(struct span s, size_t *at);
