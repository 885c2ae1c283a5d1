/* site - the paths there are, who may have them, and what serves each. */
#ifndef FRONT_SITE_H
#define FRONT_SITE_H

#include <stdbool.h>

#include "front/conn.h"

/*
 * The head is complete: is it to be served?  False: a refusal was sent.
 * Fills *who for paths that need a principal, and c->place.
 */
bool site_admit(struct conn *c, const struct http_request *q, struct principal **who);

/* The request is complete and was admitted. */
void site_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

#endif
