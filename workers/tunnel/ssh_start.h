/*
 * ssh_start - ssh as a child of this process, confined by policy_ssh before it begins.
 *
 * ssh parses what a server sends that may have been taken over, so it can do no more than what a tunnel is: its
 * standard input and output are the connection to its server (ProxyCommand=-), it listens at one Unix socket, and reads
 * its key and its known hosts.  It has a network of its own, in which there is nothing, and no call that connects:
 * sockets of other processes that have a path are out of its reach as well.  It dies with this process
 * (PR_SET_PDEATHSIG).
 */
#pragma once

#include <stdbool.h>

#include "ipc/messages.h"

/*
 * m's texts end with a NUL.  server is a connection to the SSH server; it is closed here.  Returns the reading end of
 * ssh's standard error, which does not block and ends with ssh; what keeps ssh from running is said there as well.  -1:
 * errno says why.
 */
int ssh_start(const struct ipc_configure_tunnel *m, int server, bool best_effort);
