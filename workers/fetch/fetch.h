/*
 * fetch - one client-id metadata document, over https: carrel-fetch's whole work.
 *
 * The name is looked up and the connection made before the confinement; whatever the other side says after that is
 * read in a process that can open nothing.  What is connected to is the very address that was found fit, so that a
 * name that changes between two look-ups leads nowhere else.
 */
#ifndef WORKERS_FETCH_FETCH_H
#define WORKERS_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netdb.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/net.h"
#include "base/span.h"

/* Where documents may come from; what a test changes. */
struct fetch_terms {
	bool		 (*may)(const uint8_t address[NET_ADDRESS]);
	unsigned	 port;
	const char	*authorities;	/* file of the certificates that are trusted, PEM */
	const char	*instead;	/* look this name up and not the URL's; NULL */
};

struct fetch {
	struct fetch_terms	 terms;
	char			*url, *host;
	uint64_t		 until_ns;	/* all of it is over by then */
	int			 fd;		/* connected; -1 */
	struct buf		 authorities;
};

/* What was fetched, or why it was not. */
struct fetched {
	struct buf	body;
	uint64_t	keep_s;		/* as its headers have it, within our bounds */
};

/* A fetch of this URL, which has to be fit (client_document_url()). */
void fetch_init(struct fetch *f, struct span url, const struct fetch_terms *terms);
void fetch_fini(struct fetch *f);

/*
 * The address to connect to among those that the name has: none when one of them must not be connected to, whichever
 * it is.  Returns it, or NULL with *err.
 */
const struct addrinfo *fetch_choose(const struct fetch *f, const struct addrinfo *all, struct err *err);

/* Look the name up, and connect.  Before the confinement. */
int fetch_connect(struct fetch *f, struct err *err);

/* What has to be read and set up before it.  -1 with *err. */
int fetch_prepare(struct fetch *f, struct err *err);

/* The rest.  -1 with *err, which says what is wrong with the other side. */
int fetch_run(struct fetch *f, struct fetched *out, struct err *err);

/* --- document.c ---------------------------------------------------------------------------- */

/*
 * Whether body is a client's document for url: its name (empty: none) and its redirects (msgpack: array of str), both
 * borrowed from the storage, which holds msgpack then.  -1 with *err.
 */
int fetch_read_document(struct span body, struct span url, struct buf *storage, struct span *name, struct span *redirects,
    struct err *err);

/* How many seconds the values of Cache-Control and Age let a document be kept, within our bounds. */
uint64_t document_keep(struct span cache_control, uint64_t age_s);

#endif
