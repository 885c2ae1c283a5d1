/* audit_serve - AUDIT of the fronts and EVENT of the supervisor, and their answers. */
#pragma once

#include "workers/auth/auth.h"

/* A front sent e; also the `seen` of struct audit_settings. */
void audit_seen(void *auth, const struct audit_entry *e);

enum ipc_fault audit_hear(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_audit *msg);
void audit_hear_event(struct auth *a, const struct ipc_event *msg);

/* The end of a turn of the loop: write what was heard, all in one transaction, and answer. */
void audit_serve_turn(struct auth *a);
