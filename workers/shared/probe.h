/* probe - try one act of policy/acts.def in this very process. */
#pragma once

#include "base/span.h"

struct ipc_probe;
struct policy_profile;

/* Call before confinement: afterwards the parent's pid cannot be asked for. */
void probe_remember_parent(void);

/*
 * The errno the act met, 0 when it succeeded, -1 when there is no such act.
 * Does not return when the kernel kills for it.  path: what the act's aim
 * (policy/acts.h) is here; empty when it has none.
 */
int probe_try(unsigned act, struct span path);

/*
 * Serve PROBE: try the act for real and answer PROBED, if the kernel leaves
 * anybody to answer.  p is the caller's own profile, already in force.
 */
void probe_child(const struct policy_profile *p, const struct ipc_probe *msg);
