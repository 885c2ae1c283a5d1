/* site - the paths, their access rules, and their handlers. */
#ifndef FRONT_SITE_H
#define FRONT_SITE_H

#include <stdbool.h>

#include "front/conn.h"

/*
 * The head is complete: decide whether to serve the request.  False: a refusal was sent.  Fills *who
 * for paths that need a principal, and c->place.
 */
bool site_admit(struct conn *c, const struct http_request *q, struct principal **who);

/* Serve a request that is complete and was admitted. */
void site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

#endif
