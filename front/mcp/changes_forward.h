/*
 * changes_forward - forwards what workers report about changes of their offers (CHANGED) to subscribers.
 *
 * A worker that replaces another may have read other files, or the same.  Therefore the digest of a
 * role's offer is remembered.  A greeting with another digest means that anything may have changed.  A
 * greeting with the same digest means that nothing has changed for subscribers.
 */
#pragma once

#include <stdbool.h>

#include "ipc/messages.h"

/* The changed() of struct router_hooks. */
bool changes_take(void *front, enum ipc_role role, const struct ipc_changed *msg);
