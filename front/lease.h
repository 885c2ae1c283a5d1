/*
 * lease - until when carrel-auth vouches for the store that several nodes share.
 *
 * What ends on another node is known here a moment later, unless this node cannot ask.  Then it does not know who may
 * do what: once the lease is over, credentials are answered service_unavailable, and a while later what runs under them
 * ends.  The owner needs none, and goes on.  Without such a store there is no lease, and nothing of this applies.
 *
 * The times are those of clock_boot_ns(): a process that was stopped, or a machine that slept, finds the lease over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

struct front;

struct front_lease {
	uint64_t	until_ns, cancel_ns;	/* until_ns 0: there is no lease */
	uint64_t	unix_ms, at_ns;		/* the store's clock, at that moment */
	bool		cut;			/* what ran was ended */
	bool		drained, behind;	/* nothing new is to come here */
	bool		writes;			/* this node writes the project */
	char		elsewhere[320];		/* if another does, which; else empty */
};

void lease_take(struct front *f, const struct ipc_lease *m);

/* Whether nothing is to be decided about credentials. */
bool lease_is_over(const struct front *f);

/* End what runs for others than the owner, if it is time: before what a worker says is passed on, and regularly. */
void lease_look(void *front);

/* The time by which credentials end: Unix milliseconds of the store's clock, or of this machine's without a lease. */
uint64_t lease_unix_ms(const struct front *f);
