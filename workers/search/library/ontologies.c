/* ontologies.c - see ontologies.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/siphash.h"
#include "workers/search/array.h"
#include "workers/search/library/library.h"

/*
 * Always the same for a connection, wherever the project lies and whoever has checked it out: a UUID of
 * version 8 (RFC 9562), made of the connection's id.
 */
static void
ontology_name_id(const char *connection, char id[ONTOLOGY_ID])
{
	static const uint8_t key[SIPHASH_KEY] = "carrel ontology"; /* no secret: it sets these ids apart */
	uint8_t b[SIPHASH_SIZE];
	struct siphash h;
	size_t at = 0;

	siphash_begin(&h, key);
	siphash_more(&h, connection, strlen(connection));
	siphash_end(&h, b);
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x80);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	for (unsigned i = 0; i < sizeof(b); i++)
		at += (size_t)snprintf(id + at, ONTOLOGY_ID - at,
		    i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", b[i]);
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(((const struct ontology *)a)->id, ((const struct ontology *)b)->id);
}

void
ontologies_init(struct ontologies *o, struct library *l)
{
	o->v = array_new(l->nconnections, sizeof(*o->v));
	for (size_t i = 0; i < l->nconnections; i++) {
		struct ontology *one = &o->v[o->n++];
		struct connection *c = &l->connections[i];

		ontology_name_id(c->id, one->id);
		one->name = mem_text(span_str(c->name));
		one->description = c->description == NULL ? NULL : mem_text(span_str(c->description));
		one->from = c;
	}
	if (o->n > 1)
		qsort(o->v, o->n, sizeof(*o->v), by_id);
}

void
ontologies_fini(struct ontologies *o)
{
	for (size_t i = 0; i < o->n; i++) {
		struct ontology *one = &o->v[i];

		for (size_t k = 0; k < one->nsources; k++)
			free(one->sources[k]);
		free(one->sources);
		free(one->name);
		free(one->description);
		buf_fini(&one->catalogue);
	}
	free(o->v);
	*o = (struct ontologies){ 0 };
}

struct ontology *
ontologies_find(const struct ontologies *o, struct span id)
{
	for (size_t i = 0; i < o->n; i++)
		if (span_is_word(id, o->v[i].id))
			return &o->v[i];
	return NULL;
}

bool
ontology_has(const struct ontology *o, const struct source *s)
{
	for (size_t i = 0; i < o->nsources; i++)
		if (strcmp(o->sources[i], s->name) == 0)
			return true;
	return o->nsources == 0;
}

bool
ontology_serves(const struct ontology *o, const struct sem_model *m, uint32_t node)
{
	const struct sem_node *n = sem_model_node(m, node);

	return ontology_has(o, n->source) && sem_node_trouble(m, node) == NULL;
}

enum ontology_state
ontology_state(const struct library *l, const struct ontology *o)
{
	const struct sem_model *m;

	if (!l->settled && library_is_indexing(o->from))
		return ONTOLOGY_LOADING;
	if (source_set_count(o->from->models.set) == 0 && o->nsources == 0)
		return ONTOLOGY_ABSENT;
	for (size_t i = 0; i < o->nsources; i++)
		if (source_set_get(o->from->models.set, span_str(o->sources[i])) == NULL)
			return ONTOLOGY_INVALID;
	if ((m = models_compiled(&o->from->models)) == NULL)
		return ONTOLOGY_INVALID;
	for (uint32_t i = 0; i < sem_model_nodes(m) && !sem_model_node(m, i)->alias; i++)
		if (ontology_serves(o, m, i))
			return ONTOLOGY_READY;
	return ONTOLOGY_INVALID;
}
