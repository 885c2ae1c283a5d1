/* b64 - base64, RFC 4648 sections 4 (standard, padded) and 5 (url, unpadded). */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

void b64_encode(struct buf *out, struct span s);
void b64url_encode(struct buf *out, struct span s);

/* Canonical input only: right padding (none for url), no stray bits.  False: out as before. */
bool b64_decode(struct buf *out, struct span s);
bool b64url_decode(struct buf *out, struct span s);
