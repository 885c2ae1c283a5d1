/*
 * models_cache - a cache of ontologies, by ontology and the asker's scopes, which decide what of it is visible.  Search
 * tells whether a version is still current.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"
#include "workers/shared/tool.h"

struct ask_model;
struct models_cache;

#define MODELS_MAX	8u	/* entries; the least recently used is replaced */

struct models_cache *models_new(void);
void models_free(struct models_cache *m);

struct model {
	const struct ask_model	*words;		/* for the engine */
	struct span		 version, connection, name;
};

/* The current version of the ontology, valid until models_done() of this call.  -1 with *err. */
int models_get(struct call *c, struct models_cache *m, struct span ontology, struct model *out, struct err *err);

/* The call ends: release what it holds. */
void models_done(struct models_cache *m, const struct call *c);
