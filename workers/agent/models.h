/*
 * models - what was read of ontologies, kept from question to question: by ontology and by the asker's
 * scopes, which decide what there is of it.  Search says whether a version is still that of now.
 */
#ifndef AGENT_MODELS_H
#define AGENT_MODELS_H

#include "base/err.h"
#include "base/span.h"
#include "workers/shared/tool.h"

struct ask_model;
struct models;

#define MODELS_MAX	8u	/* kept; the one that was not used longest goes */

struct models *models_new(void);
void models_free(struct models *m);

struct model {
	const struct ask_model	*words;		/* as the engine reads it */
	struct span		 version, connection, name;
};

/* The ontology as it is now, valid until models_done() of this call.  -1 with *err. */
int models_get(struct call *c, struct models *m, struct span ontology, struct model *out, struct err *err);

/* The call is at its end. */
void models_done(struct models *m, const struct call *c);

#endif
