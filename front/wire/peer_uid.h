/*
 * peer_uid - finds the local user at the other end of a loopback TCP connection.  One exact SOCK_DIAG
 * lookup per connection, over a netlink socket that is opened and used once before namespaces and
 * confinement.  A socket opened later belongs to the wrong network namespace and finds nothing.  The
 * socket only passes single answers about TCP and UDP, so its holder cannot list connections.
 */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

/* Open the socket and do one lookup.  The descriptor, or -1 with *err. */
int peer_open(struct err *err);

enum peer_found {
	PEER_ELSEWHERE,	/* this machine has no such socket */
	PEER_UNKNOWN,	/* no process holds it any more (inode 0), or the kernel was not understood */
	PEER_HELD	/* by the user *uid */
};

/* Find the uid of the socket whose local end is peer and whose remote end is own. */
enum peer_found peer_uid(int netlink, const struct sockaddr *peer, const struct sockaddr *own, uint32_t *uid);
