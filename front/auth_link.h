/*
 * auth_link - what carrel-auth says to the front beside calls, and who hears it.
 */
#ifndef FRONT_AUTH_LINK_H
#define FRONT_AUTH_LINK_H

#include <stdbool.h>

#include "ipc/channel.h"

struct front;

/* The auth() and auth_channel() of struct router_hooks. */
bool auth_hear(void *front, const struct ipc_frame *frame, const union ipc_any *msg);
void auth_channel(void *front, bool up);

/* Say something to carrel-auth.  False: there is no channel to it now, or it has not spoken on it yet. */
bool auth_say(struct front *f, unsigned type, uint64_t id, const void *msg);

#endif
