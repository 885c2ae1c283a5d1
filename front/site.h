/* site - the paths, their access rules, and their handlers. */
#pragma once

#include <stdbool.h>

#include "front/http/conn.h"
#include "front/gateway.h"

#define SITE_RESOURCES_MAX	2u

/* Whose requests are served at a place. */
enum site_access {
	SITE_CREDENTIAL,	/* with any credential */
	SITE_TOKEN,		/* with a connectivity token */
	SITE_OPEN,		/* anybody's */
	SITE_OPEN_WHILE_ON,	/* anybody's, while connectivity is on */
	SITE_OWNER,		/* the owner's own processes, and others with a credential */
	SITE_USER		/* a user's, with an access token */
};

/* Further properties of a place, as bits. */
enum site_trait {
	SITE_OAUTH = 1,		/* it is there only where people sign in */
	SITE_SHARED = 2,	/* pages of every origin may read it */
	SITE_PAGE = 4,		/* a page of our own: nothing but it may send forms there */
	SITE_ANY_MEDIA = 8,	/* the handler judges the media type of a body */
	SITE_ADMIN = 16,	/* the administration page asks there */
	SITE_REST = 32,		/* of the REST interface: rest.h */
	SITE_EXPORT = 64	/* a file by a link, which a user's login session may open, too: export_file.h */
};

#define SITE_NOTHING	"there is nothing at this path; the server is at /mcp"

struct site_place {
	const char	*path;		/* {id}: any one segment that is not empty; * at the end: any rest */
	const char	*allow;		/* value of the Allow field */
	unsigned	 methods;	/* bits by enum http_method */
	enum site_access access;
	/* serve a request that is complete and was admitted; NULL: there is nothing there */
	void		(*serve)(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
	unsigned	 traits;	/* bits of enum site_trait */
	/* those whose access tokens are good there, by their paths; NULL ends them.  Clients are told the first. */
	const char	*resources[SITE_RESOURCES_MAX + 1];
};

/* Whether the place has one of these traits.  NULL has none. */
static inline bool
site_has(const struct site_place *place, unsigned traits)
{
	return place != NULL && (place->traits & traits) != 0;
}

/*
 * Steps of the gateway for the head of a request.  enabled: find its place, c->place.  format: its declared length.
 * origin: Host and Origin, whether there is such a place, and its methods.  media: the type of its body, checked last:
 * only clients that may send a body are told of it.
 */
enum gate site_enabled(struct passage *p);
enum gate site_format(struct passage *p);
enum gate site_origin(struct passage *p);
enum gate site_media(struct passage *p);

/* What connections are served by: the gateway's checks, then the places. */
extern const struct conn_user site_user;
