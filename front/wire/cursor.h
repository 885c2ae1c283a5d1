/*
 * cursor - the position in a list, as text that a client brings back.  A cursor is base64url over
 * version, position and a MAC of both, of the list's name and of the principal.  Cursors survive a
 * restart of the front, and every front with the same key accepts them.  A cursor of another principal or
 * of another list is refused, as is an invented one.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/wire/signer.h"

#define CURSOR_MAX	4096u	/* characters; a longer text is refused */

/* Append to out the cursor of this position in this list for this principal.  The signer is that of SIGNER_CURSOR. */
void cursor_put(const struct signer *s, struct span list, struct span principal, struct span position,
    struct buf *out);

/*
 * Append the position of a cursor to out.  False: the cursor is not valid for this list and principal;
 * out is unchanged.
 */
bool cursor_read(const struct signer *s, struct span list, struct span principal, struct span text,
    struct buf *out);
