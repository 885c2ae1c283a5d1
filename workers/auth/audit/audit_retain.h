/*
 * audit_retain - private to this folder: removes entries older than audit.retention_days, up to a checkpoint.  The
 * checkpoint stays as the first entry: its signature vouches for the start of the chain.  The same transaction writes a
 * new checkpoint with the new start, so that any further removal is detected.
 */
#pragma once

#include "workers/auth/audit/audit_parts.h"

/* Once in a while: remove entries older than retention_days, in small steps. */
void audit_retain(struct audit *a, uint64_t now_ns);
