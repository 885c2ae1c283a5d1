/* router_worker - one worker as the router sees it; private to the router. */
#pragma once

#include "front/calls/router_parts.h"

struct worker *worker_new(struct router *r, struct pool *p, uint64_t generation, int fd);
void worker_free(struct worker *w);

/* Queue a message, written at the end of the turn. */
int worker_send(struct worker *w, unsigned type, uint64_t id, const void *msg);
void worker_flush(struct worker *w);

/* The channel is closed or broken: all its calls are handled. */
void worker_gone(struct worker *w);
