/* dial - the addresses of models' endpoints, and connections to them for the agent. */
#pragma once

#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"

#define DIAL_HOST_MAX	256u
#define DIAL_ADDRESSES	8u	/* of one name; further ones are not tried */

struct dial_address {
	struct sockaddr_storage	 address;
	socklen_t		 len;
};

/* All zero: there is no endpoint. */
struct dial {
	char			 host[DIAL_HOST_MAX], port[6];
	size_t			 naddresses, next;
	struct dial_address	 addresses[DIAL_ADDRESSES];
};

/*
 * Resolve the host of url, once for as long as host and port stay the same; url NULL: there is no endpoint.  Blocks as
 * long as the resolver does.  key is the configuration's name of url.  -1 with *err: no address is known.
 */
int dial_prepare(struct dial *d, const char *key, const char *url, struct err *err);

/*
 * A socket that does not block, on its way to the next of the addresses; one that is at its end when no connection
 * can be begun, or there is no endpoint.  -1: no descriptor is left.
 */
int dial_connect(struct dial *d);
