/*
 * lease - for how long the fronts may rely on what this node knows of a store that several share.  Does nothing where
 * the store is the node's own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct auth;

/* Before anything else that a front is told; without a lease unless lease_is_earned(). */
void lease_greet(struct auth *a, uint64_t peer);

/*
 * Note in the node's own store whether this process can use the shared one, and why not: the process that serves
 * meanwhile, whose connection was lost, says so.
 */
void lease_note(struct auth *a);

/* Whether the fronts were told of all that ended elsewhere, as far as this node knows that something changed. */
bool lease_is_earned(const struct auth *a);

/* After all that ended elsewhere was told: the fronts get the lease, the supervisor hears when the store is away. */
void lease_tend(struct auth *a);

/* Why the audit's store or the one that nodes share is not well; empty: both are. */
const char *lease_failing(const struct auth *a);
