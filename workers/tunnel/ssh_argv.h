/* ssh_argv - the arguments with which ssh is started. */
#pragma once

#include "base/arena.h"
#include "ipc/messages.h"

#define SSH_ARGV_MAX	96u
#define SSH_CONNECT_S	15u	/* until the SSH server must answer */
#define SSH_ALIVE_S	15u	/* between two signs of life; with SSH_ALIVE_MISSED missing ones ssh ends */
#define SSH_ALIVE_MISSED 2u

/*
 * Fill argv, up to a NULL; texts live in a or are constants.  No configuration file is read, no agent, password or
 * interaction is used, and a host key that is not known ends it.  False: the arena is full.
 */
bool ssh_argv(const struct ipc_configure_tunnel *m, struct arena *a, const char *argv[SSH_ARGV_MAX]);
