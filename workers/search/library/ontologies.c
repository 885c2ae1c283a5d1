#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/siphash.h"
#include "base/array.h"
#include "workers/search/library/library.h"

/*
 * Always the same for a connection, wherever the project is checked out, and by any user: a UUID of
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

static void
add_of_connection(struct ontologies *o, struct connection *c)
{
	struct ontology *one = &o->v[o->n++];

	ontology_name_id(c->id, one->id);
	one->name = mem_text(span_str(c->name));
	one->description = c->description == NULL ? NULL : mem_text(span_str(c->description));
	one->from = c;
}

static void
add_declared(struct ontologies *o, struct connection *c, const struct mp_value *declared)
{
	struct span description = mp_get_str(declared, "description", SPAN(""));
	struct ontology *one = &o->v[o->n++];
	struct mp_value list, name;
	struct mp_iter it;

	snprintf(one->id, sizeof(one->id), "%.*s", SPAN_FMT(mp_get_str(declared, "id", SPAN(""))));
	one->name = mem_text(mp_get_str(declared, "name", SPAN("")));
	one->description = description.len == 0 ? NULL : mem_text(description);
	one->from = c;
	if (!mp_get(declared, "sources", &list) || list.class != MP_ARRAY || list.n == 0)
		return;
	one->sources = array_new(list.n, sizeof(*one->sources));
	for (it = mp_iter(&list); mp_next(&it, &name);)
		if (name.class == MP_STR)
			one->sources[one->nsources++] = mem_text(name.s);
}

void
ontologies_init(struct ontologies *o, struct library *l, const struct mp_value *declared)
{
	size_t n = declared != NULL && declared->class == MP_ARRAY ? declared->n : 0;
	struct mp_iter it;
	struct mp_value one;

	o->v = array_new((n > 0 ? n : l->nconnections) + 1, sizeof(*o->v));
	if (n > 0)
		it = mp_iter(declared);
	while (n > 0 && mp_next(&it, &one)) {
		struct connection *c = library_connection(l, mp_get_str(&one, "connection", SPAN("")));

		if (c != NULL)
			add_declared(o, c, &one);
	}
	for (size_t i = 0; n == 0 && i < l->nconnections; i++)
		add_of_connection(o, &l->connections[i]);
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
ontologies_have(const struct library *l, const struct connection *from, const struct source *s)
{
	for (size_t i = 0; i < l->ontologies.n; i++) {
		const struct ontology *o = &l->ontologies.v[i];

		if (o->from == from && ontology_has(o, s) && ontology_state(l, o) == ONTOLOGY_READY)
			return true;
	}
	return false;
}

bool
ontology_serves(const struct ontology *o, const struct sem_model *m, uint32_t node)
{
	const struct sem_node *n = sem_model_node(m, node);

	return ontology_has(o, n->source) && sem_node_trouble(m, node) == NULL;
}

void
ontologies_troubles(const struct library *l, void (*fn)(void *arg, const char *path, const char *reason), void *arg)
{
	struct buf reason = { 0 };

	for (size_t i = 0; i < l->ontologies.n; i++) {
		const struct ontology *o = &l->ontologies.v[i];

		if (ontology_state(l, o) == ONTOLOGY_LOADING)
			continue;
		for (size_t k = 0; k < o->nsources; k++) {
			if (source_set_get(o->from->models.set, span_str(o->sources[k])) != NULL)
				continue;
			reason.len = 0;
			buf_printf(&reason, "%s cannot be asked about: connection %s has no source \"%s\"", o->name,
			    o->from->id, o->sources[k]);
			fn(arg, "ontologies", buf_cstr(&reason));
		}
	}
	buf_fini(&reason);
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
