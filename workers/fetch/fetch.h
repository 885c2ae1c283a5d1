/*
 * fetch - one request over https, the only task of carrel-fetch: for a client-id metadata document, or a step at the
 * identity provider.
 *
 * The name is resolved and the connection made before the confinement; everything the server sends is read in a
 * process that cannot open anything.  The checked address itself is connected to, so a DNS answer that changes between
 * two queries has no effect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netdb.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/system/net.h"
#include "base/span.h"
#include "base/text/web_url.h"

/* Where documents may come from; tests change this. */
struct fetch_terms {
	bool		 (*may)(const uint8_t address[NET_ADDRESS]);
	bool		 not_own;	/* addresses of this machine are forbidden */
	unsigned	 port;
	const char	*authorities;	/* file of trusted CA certificates, PEM */
	const char	*instead;	/* resolve this name instead of the URL's; may be NULL */
};

struct fetch {
	struct fetch_terms	 terms;
	char			*url, *host;
	char			*own;		/* file of authorities instead of that of the terms; NULL */
	bool			 tls;
	unsigned		 port;		/* as the URL has it */
	struct buf		 form;		/* of a POST; empty: it is a GET */
	struct buf		 authorization;	/* a field of the request; empty: none */
	uint64_t		 until_ns;	/* the deadline of everything */
	int			 fd;		/* connected; -1: not yet */
	struct buf		 authorities;
};

/* The fetched document. */
struct fetched {
	struct buf	body;
	uint64_t	keep_s;		/* lifetime from its headers, within our bounds */
};

/* Prepare a fetch of this URL, which web_url_read() has read as at. */
void fetch_init(struct fetch *f, struct span url, const struct web_url *at, const struct fetch_terms *terms);
void fetch_fini(struct fetch *f);

/*
 * Choose the address to connect to.  If any of the name's addresses is forbidden, none is chosen.  Returns NULL with
 * *err.
 */
const struct addrinfo *fetch_choose(const struct fetch *f, const struct addrinfo *all, struct err *err);

/* Resolve the name and connect.  Before the confinement. */
int fetch_connect(struct fetch *f, struct err *err);

/* Read the files and set up what fetch_connect() needs.  -1 with *err. */
int fetch_prepare(struct fetch *f, struct err *err);

/* Send the request and read the answer.  -1 with *err, which says what is wrong with the server. */
int fetch_run(struct fetch *f, struct fetched *out, struct err *err);
