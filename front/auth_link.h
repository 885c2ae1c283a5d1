/*
 * auth_link - passes messages of carrel-auth other than answers to calls to the modules that handle them.
 */
#pragma once

#include <stdbool.h>

#include "ipc/channel.h"

struct front;

/* The auth() and auth_channel() of struct router_hooks. */
bool auth_link_hear(void *front, const struct ipc_frame *frame, const union ipc_any *msg);
void auth_link_channel(void *front, bool up);

/*
 * Take connections, where people sign in as soon as carrel-auth has greeted, or after a moment: before that no access
 * token can be judged.  They wait in the socket's queue.  auth_link_tick() ends the wait.
 */
void auth_link_serve(struct front *f);
void auth_link_tick(struct front *f, uint64_t now_ns);
