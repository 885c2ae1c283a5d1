/*
 * auth_link - what carrel-auth says to the front beside calls, and who hears it.
 */
#ifndef FRONT_AUTH_LINK_H
#define FRONT_AUTH_LINK_H

#include <stdbool.h>

#include "ipc/channel.h"

/* The auth() and auth_channel() of struct router_hooks. */
bool auth_hear(void *front, const struct ipc_frame *frame, const union ipc_any *msg);
void auth_channel(void *front, bool up);

#endif
