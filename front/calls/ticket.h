/*
 * ticket - leave for a worker to ask on, for a caller, after its call has ended.
 *
 * Handed with the call to a tool that continues in the background, and brought
 * back with each of its sub-calls.  Signed with the front's key, so that it
 * outlives fronts and workers, and good for TICKET_S.  It gives what research
 * may read, never what the caller may write, and only to the memory worker.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "front/wire/signer.h"

#define TICKET_S	3600u

/* The caller that the ticket is for, and the request that it was issued in. */
struct ticket {
	struct span	principal, request, trace;	/* request: its id as printed in the log */
	uint32_t	scopes;
};

/* Append a ticket to out, signed by s, the signer of SIGNER_TICKET; its scopes are reduced to those of research. */
void ticket_put(const struct signer *s, const struct ticket *t, struct buf *out);

/* Read a ticket; *t borrows from raw.  -1 with *err: expired or invalid. */
int ticket_read(const struct signer *s, struct span raw, struct ticket *t, struct err *err);
