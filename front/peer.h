/*
 * peer - which local user is at the other end of a loopback TCP connection.
 *
 * One exact SOCK_DIAG lookup per connection over a netlink socket that was
 * opened, and used once, before namespaces and lock-down: opened later it
 * belongs to the wrong network namespace and finds nothing.  The
 * socket hears single answers about TCP and UDP only: who holds it can list
 * nothing.
 */
#ifndef FRONT_PEER_H
#define FRONT_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

/* Open and warm the socket.  The descriptor, or -1 with *err. */
int peer_open(struct err *err);

/*
 * The uid of the socket whose local end is peer and whose remote end is own.
 * False when there is no such socket any more, or nobody owns it (inode 0):
 * the caller refuses.
 */
bool peer_uid(int netlink, const struct sockaddr *peer, const struct sockaddr *own, uint32_t *uid);

#endif
