/*
 * changes - what workers say of what they offer (CHANGED), passed on to whoever
 * subscribed.
 *
 * A worker that takes another's place may have read other files, or the same.
 * So the digest of what a role offers is remembered, and a greeting with
 * another one means that any of it may have changed; with the same one, that
 * nobody needs to hear of the change of worker.
 */
#ifndef FRONT_CHANGES_H
#define FRONT_CHANGES_H

#include <stdbool.h>

#include "ipc/ipc.h"

/* struct router_hooks changed(). */
bool changes_take(void *front, enum ipc_role role, const struct ipc_changed *msg);

#endif
