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
