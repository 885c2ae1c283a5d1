/*
 * web_url - URLs that are asked over https: what of one is the host, and at which port.  http is accepted to this
 * machine alone, as localhost or 127.0.0.1.  Strict: no user, no fragment, no other characters than a request may have.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

struct web_url {
	bool		tls;
	struct span	host;	/* a name or an IPv4 address */
	unsigned	port;
};

/* False: it is no such URL; *out is untouched.  out may be NULL. */
bool web_url_read(struct span url, struct web_url *out);
