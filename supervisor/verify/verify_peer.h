/*
 * verify_peer - messages of a compromised process, sent to running, confined processes over the channels that the
 * supervisor gives them.  This file plays the sender: the front that a worker sees, or the workers and the client that
 * a front sees.  The answer is the verdict.
 */
#pragma once

#include "supervisor/verify/verify_parts.h"
#include "policy/profiles.h"

/* Tools as each role announced them while it was tried; for the front. */
struct verify_tools {
	struct buf	of[IPC_ROLES];
};

/* Send the messages of hostile.def to the worker of t.  False: one of them was not refused. */
bool verify_worker(struct trial *t, const struct policy_profile *p, const struct standins *s,
    struct verify_tools *tools);

/* Send the front the messages that hostile workers would. */
bool verify_front(struct trial *t, const struct standins *s, const struct verify_tools *tools);
