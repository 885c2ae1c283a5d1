/*
 * handover_form - what nodes write to each other in the store about a handover (workers/auth/handovers.h): sealed maps,
 * each for the id of its row and for no other.
 *
 * Who has the store's role can show a node any bytes, and those of another row; neither is read.
 */
#pragma once

#include "base/mp.h"
#include "workers/auth/auth.h"

/* What is asked.  Spans of what was read borrow from plain. */
struct handover_asked {
	uint64_t	at_unix_ms;
	struct span	node;		/* that asks; empty: of a version before, which does not say */
	struct span	principal, tool, connection, ticket;
	struct span	args;		/* a msgpack map */
};

/* What became of it. */
struct handover_answered {
	struct span	node;		/* that did it, as above */
	struct span	result;		/* msgpack; empty: an error */
	struct span	code, message;
};

void handover_form_put_asked(const uint8_t root[AUTH_KEY], struct span id, const struct handover_asked *h,
    struct buf *sealed);
void handover_form_put_answered(const uint8_t root[AUTH_KEY], struct span id, const struct handover_answered *h,
    struct buf *sealed);

/* False: no node made these bytes for this id. */
bool handover_form_read_asked(const uint8_t root[AUTH_KEY], struct span id, struct span sealed, struct buf *plain,
    struct handover_asked *h);
bool handover_form_read_answered(const uint8_t root[AUTH_KEY], struct span id, struct span sealed, struct buf *plain,
    struct handover_answered *h);
