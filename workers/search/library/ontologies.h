/*
 * ontologies - what questions in words are answered from: a connection's
 * semantic layer, or a subset of its sources that the configuration declares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "project/model/source.h"
#include "semantic/model.h"

struct connection;
struct library;

#define ONTOLOGY_ID	37	/* a UUID as text, with its NUL */

enum ontology_state {
	ONTOLOGY_ABSENT,	/* of a connection without a semantic layer */
	ONTOLOGY_LOADING,	/* its files are being read for the first time */
	ONTOLOGY_INVALID,	/* a source it names is not there, or none of them can be used */
	ONTOLOGY_READY
};

struct ontology {
	char			 id[ONTOLOGY_ID];
	char			*name, *description;	/* description may be NULL */
	struct connection	*from;
	size_t			 nsources;
	char			**sources;		/* none: all of the connection */

	/* The catalogue as ask_model answers it (ontology/ask_model_tools.h), as of these numbers of changes. */
	struct buf		 catalogue;
	uint64_t		 of_models, of_pages;
	char			 version[17];		/* empty: not made yet */
};

struct ontologies {
	size_t		 n;
	struct ontology	*v;		/* by id */
};

/*
 * Those declared, as CONFIGURE_SEARCH has them, or (NULL, or none) one for each of l's connections, which
 * must stay where they are.
 */
void ontologies_init(struct ontologies *o, struct library *l, const struct mp_value *declared);
void ontologies_fini(struct ontologies *o);

/* NULL if absent of this id, ready or not. */
struct ontology *ontologies_find(const struct ontologies *o, struct span id);

enum ontology_state ontology_state(const struct library *l, const struct ontology *o);

/* Call fn for every source that a declared ontology names and that is not there; path is the configuration's. */
void ontologies_troubles(const struct library *l, void (*fn)(void *arg, const char *path, const char *reason),
    void *arg);

/* Whether o takes in that source of its connection. */
bool ontology_has(const struct ontology *o, const struct source *s);

/* Whether an ontology of the connection that is ready takes in the source. */
bool ontologies_have(const struct library *l, const struct connection *from, const struct source *s);

/* The same of o, and its files are sound: node is that of the source in m, the connection's model. */
bool ontology_serves(const struct ontology *o, const struct sem_model *m, uint32_t node);
