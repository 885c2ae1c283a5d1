/* ssh_dial - the TCP connection to the SSH server, which ssh is given: it makes none itself (ssh_start.h). */
#pragma once

#include "base/buf.h"
#include "ipc/messages.h"

/*
 * Connect to ssh_host, port ssh_port, within SSH_CONNECT_S for all of its addresses.  Blocks.  A descriptor that blocks
 * and is closed by exec; -1: *why has got a line as ssh would complain, for ssh_reason().
 */
int ssh_dial(const struct ipc_configure_tunnel *m, struct buf *why);
