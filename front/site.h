/* site - the paths, their access rules, and their handlers. */
#ifndef FRONT_SITE_H
#define FRONT_SITE_H

#include <stdbool.h>

#include "front/conn.h"
#include "front/gateway.h"

/*
 * Steps of the gateway for the head of a request.  enabled: find its place, c->place.  format: its declared length.
 * origin: Host and Origin, whether there is such a place, and its methods.  media: the type of its body, checked last:
 * only clients that may send a body are told of it.
 */
enum gate site_enabled(struct passage *p);
enum gate site_format(struct passage *p);
enum gate site_origin(struct passage *p);
enum gate site_media(struct passage *p);

/* The path of a place, with "{id}" for the variable segment. */
const char *site_path(const struct site_place *place);

/* Whether the path is of the REST interface (rest.h). */
bool site_is_rest(const struct site_place *place);

/* Whether the path is one that the administration page requests (admin_page.h). */
bool site_is_admin(const struct site_place *place);

/* Whether the place of the current request accepts connectivity tokens and no other credential. */
bool site_wants_token(const struct conn *c);

/*
 * The resources whose access tokens are good there, by their paths; NULL ends them.  Clients are told the first.
 */
const char *const *site_resources(const struct site_place *place);

/* Whether the place accepts access tokens only. */
bool site_wants_user(const struct site_place *place);

/* The longest body that the current request may have. */
size_t site_body_max(const struct conn *c);

/* Whether the place of the current request needs no credential. */
bool site_is_open(struct conn *c, const struct http_request *q);

/* Serve a request that is complete and was admitted. */
void site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

#endif
