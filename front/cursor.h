/*
 * cursor - where a list goes on, as text for a client to bring back.
 *
 * A cursor is base64url over version, the position and a MAC of both, of the
 * list's name and of the principal.  So it survives a restart of the front,
 * any node takes it, and what another principal, another list or nobody was
 * given is no cursor.
 */
#ifndef FRONT_CURSOR_H
#define FRONT_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include <sodium.h>

#include "base/buf.h"
#include "base/span.h"

#define CURSOR_MAX	4096u	/* characters; a longer one is not ours */

struct cursors {
	crypto_auth_hmacsha256_state	keyed;
};

void cursors_init(struct cursors *c, const uint8_t key[32]);

/* Append the cursor of position in list for principal to out. */
void cursor_put(const struct cursors *c, struct span list, struct span principal, struct span position,
    struct buf *out);

/* Append the position that text stands for.  False, and out as before: it is none of ours. */
bool cursor_read(const struct cursors *c, struct span list, struct span principal, struct span text,
    struct buf *out);

#endif
