/*
 * behind - whether this node's project is older than what the node that writes it has pushed, for longer than a minute.
 *
 * `carrel sync` numbers its rounds (project/sync_record.h).  Once this node knows of a revision of the writer, a round
 * that begins later and succeeds has it, whatever came after it; no history is read and no clocks are compared: the
 * minute is measured here, from the moment in which this process heard of the revision.  A round that fetched, and
 * could not bring the branch to what it fetched, is behind in the same way.
 */
#pragma once

#include "ipc/messages.h"

#define BEHIND_S	60

struct auth;

struct behind {
	bool		told, is;	/* `carrel sync` is configured; what behind_is() was when it was last tended */
	uint64_t	begun, done;	/* as the record has them */
	char		served[65], remote[65];
	char		wanted[65];	/* the newest revision of another node that writes; empty: none is known */
	uint64_t	wanted_ns, wanted_begun;	/* since when, and the round that had begun by then */
	uint64_t	fetched_ns;	/* since when what was fetched is not what is served; 0: it is */
};

/* The record, as the supervisor read it. */
void behind_take(struct auth *a, const struct ipc_synced *m);

/* Hear what the writer says, and say with the next question how this node is. */
void behind_tend(struct auth *a);

/* For how many seconds what this node should have has been missing; 0: it has it. */
uint64_t behind_s(const struct auth *a);
bool behind_is(const struct auth *a);
