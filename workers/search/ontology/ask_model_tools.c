#include <stdio.h>
#include <string.h>

#include "project/model/source_find.h"
#include "base/hash.h"
#include "policy/columns.h"
#include "project/config/config.h"
#include "project/model/also.h"
#include "project/model/wiki_words.h"
#include "semantic/aggregate.h"
#include "workers/search/ontology/ask_model_tools.h"
#include "base/array.h"
#include "workers/search/answer/put.h"
#include "workers/shared/call.h"

#define SCRATCH_MAX	((size_t)16 << 20)	/* for one expression */

/* State while a catalogue is written. */
struct catalogue {
	const struct library	*l;
	const struct ontology	*o;
	const struct sem_model	*m;
	uint32_t		 nsources;	/* number of sources in the model: its first nodes */
	uint32_t		 nnodes;
	uint32_t		*number;	/* a node's number in the catalogue; SEM_NONE: left out */
	struct buf		*out;
};

/* name, label, synonyms, description */
#define WORDS_MEMBERS	4u

static void
put_words(struct buf *out, const char *name, const struct source_words *w, struct span description)
{
	struct buf text = { 0 };

	also_without(description, &text);
	mp_pair_cstr(out, "name", name);
	mp_pair_some(out, "label", w->label);
	mp_pair_cstrs(out, "synonyms", w->synonyms, w->nsynonyms);
	mp_pair_some(out, "description", buf_view(&text));
	buf_fini(&text);
}

/* The hand-written source of the same table as the node, which is of a scan; NULL: none is in the catalogue. */
static const char *
covered_by(const struct catalogue *k, const struct sem_node *node)
{
	uint32_t by = node->covered_by;

	return by == SEM_NONE || k->number[by] == SEM_NONE ? NULL : sem_model_node(k->m, by)->source->name;
}

static const struct source_column *
shown_column(const struct source *s, struct span name)
{
	const struct source_column *c = source_find_folded(s, name);

	return c == NULL || c->visibility == SOURCE_HIDDEN ? NULL : c;
}

static void
put_column_or_nil(struct buf *out, const char *key, const struct source *s, struct span name)
{
	const struct source_column *c = name.len == 0 ? NULL : shown_column(s, name);

	mp_pair_cstr(out, key, c == NULL ? NULL : c->name);
}

static void
put_additive(struct buf *out, const struct source_measure *m, enum sem_aggregate_kind kind)
{
	enum source_additivity said = m->additive;

	if (said == SOURCE_ADDITIVE_OVER) {
		mp_pair_cstrs(out, "additive", m->over, m->nover);
		return;
	}
	if (said == SOURCE_ADDITIVE_UNSAID)
		said = sem_aggregate_is_additive(kind) ? SOURCE_ADDITIVE_FULL : SOURCE_ADDITIVE_NONE;
	mp_pair_cstr(out, "additive", said == SOURCE_ADDITIVE_FULL ? "full" : "none");
}

static void
put_measure(struct buf *out, const struct source *s, const struct source_measure *m)
{
	struct arena *scratch = arena_new(SCRATCH_MAX);
	struct sem_aggregate kind = sem_aggregate_of(scratch, span_str(m->expr));

	mp_put_map(out, WORDS_MEMBERS + 8);
	put_words(out, m->name, &m->words, m->description);
	mp_pair_cstr(out, "expr", m->expr);
	mp_pair_cstr(out, "filter", m->filter);
	mp_pair_cstrs(out, "segments", m->segments, m->nsegments);
	mp_pair_cstr(out, "aggregate", sem_aggregate_name(kind.kind));
	put_column_or_nil(out, "column", s, kind.column);
	mp_pair_cstr(out, "unit", m->unit);
	put_additive(out, m, kind.kind);
	mp_pair_cstrs(out, "noneOver", m->none_over, m->nnone_over);
	arena_free(scratch);
}

/* The values that the database allows in the column, from the scan. */
static void
put_allowed(struct buf *out, const struct source *s, const char *column)
{
	const struct yaml_node *columns = yaml_get(s->node, "columns"), *values = NULL;
	size_t mark;

	for (size_t i = 0; columns != NULL && columns->kind == YAML_SEQUENCE && i < columns->n && values == NULL; i++) {
		const struct yaml_node *name = yaml_get(&columns->items[i], "name");

		if (name != NULL && span_is_str(name->text, column))
			values = yaml_get(&columns->items[i], "enum_values");
	}
	mark = mp_pair_open_array(out, "values");
	for (size_t i = 0; values != NULL && values->kind == YAML_SEQUENCE && i < values->n; i++)
		if (values->items[i].kind == YAML_SCALAR)
			mp_put_str(out, values->items[i].text);
	mp_end(out, mark);
}

static void
put_dimension(const struct catalogue *k, const struct source *s, const struct source_column *c)
{
	bool masked = s->table != NULL && !columns_is_empty(k->o->from->policy) &&
	    library_column_action(k->o->from, s->table, c->name) != COLUMNS_CLEAR;

	mp_put_map(k->out, WORDS_MEMBERS + 7);
	put_words(k->out, c->name, &c->words, c->description);
	mp_pair_cstr(k->out, "type", c->type);
	mp_pair_bool(k->out, "time", c->time);
	mp_pair_cstr(k->out, "granularity", c->granularity);
	mp_pair_bool(k->out, "computed", c->expr != NULL);
	mp_pair_bool(k->out, "internal", c->visibility == SOURCE_INTERNAL);
	mp_pair_bool(k->out, "masked", masked);
	put_allowed(k->out, s, c->name);
}

static void
put_members(const struct catalogue *k, const struct source *s)
{
	struct buf *out = k->out;
	size_t mark;

	mp_pair_array(out, "measures", s->nmeasures);
	for (size_t i = 0; i < s->nmeasures; i++)
		put_measure(out, s, &s->measures[i]);
	mark = mp_pair_open_array(out, "dimensions");
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].visibility != SOURCE_HIDDEN)
			put_dimension(k, s, &s->columns[i]);
	mp_end(out, mark);
	mp_pair_array(out, "segments", s->nsegments);
	for (size_t i = 0; i < s->nsegments; i++) {
		mp_put_map(out, WORDS_MEMBERS + 1);
		put_words(out, s->segments[i].name, &s->segments[i].words, s->segments[i].description);
		mp_pair_cstr(out, "expr", s->segments[i].expr);
	}
}

/* What a row is, if anything says it.  A measured column that was hidden since the scan does not. */
static void
put_grain(const struct source *s, struct buf *out)
{
	bool unsaid = s->keyless;

	for (size_t i = 0; s->grain_rows > 0 && i < s->ncolumns; i++)
		unsaid = unsaid || (strcmp(s->columns[i].name, s->grain[0]) == 0 && s->columns[i].withheld);
	mp_pair_cstrs(out, "grain", s->grain, unsaid ? 0 : s->ngrain);
	mp_pair_uint(out, "measuredRows", s->grain_rows);
}

static void
put_source(const struct catalogue *k, const struct sem_node *node)
{
	const struct source *s = node->source;
	struct buf *out = k->out;

	mp_put_map(out, WORDS_MEMBERS + 9);
	put_words(out, s->name, &s->words, s->description);
	mp_pair_bool(out, "written", s->flavour != SOURCE_MANIFEST);
	mp_pair_cstr(out, "coveredBy", covered_by(k, node));
	mp_pair_cstr(out, "table", s->table);
	put_grain(s, out);
	put_column_or_nil(out, "timeDimension", s, span_str(s->time_dimension));
	put_members(k, s);
}

static void
put_edges(const struct catalogue *k, const struct sem_node *node)
{
	static const char *const names[] = { [SOURCE_MANY_TO_ONE] = "many_to_one", [SOURCE_ONE_TO_MANY] = "many_to_one",
		[SOURCE_ONE_TO_ONE] = "one_to_one", [SOURCE_NO_RELATIONSHIP] = "many_to_one" };
	struct buf *out = k->out;
	size_t mark;

	mark = mp_pair_open_array(out, "edges");
	for (size_t i = 0; i < node->nedges; i++) {
		const struct sem_edge *e = &node->edges[i];

		if (k->number[e->to] == SEM_NONE)
			continue;
		mp_put_map(out, 5);
		mp_pair_uint(out, "to", k->number[e->to]);
		mp_pair_cstr(out, "relationship", names[e->join->relationship]);
		mp_pair_bool(out, "inverse", e->inverse);
		mp_pair_cstrs(out, "verbs", e->join->verbs->verbs, e->join->verbs->nverbs);
		mp_pair_array(out, "on", e->join->npairs);
		for (size_t p = 0; p < e->join->npairs; p++) {
			const struct sem_pair *pair = &e->join->pairs[p];

			mp_put_array(out, 2);
			mp_put_str(out, e->inverse ? pair->target : pair->local);
			mp_put_str(out, e->inverse ? pair->local : pair->target);
		}
	}
	mp_end(out, mark);
}

static void
put_nodes(const struct catalogue *k)
{
	struct buf *out = k->out;
	size_t mark;

	mark = mp_pair_open_array(out, "nodes");
	for (uint32_t i = 0; i < k->nnodes; i++) {
		const struct sem_node *node = sem_model_node(k->m, i);
		uint32_t source;
		bool ambiguous;

		if (k->number[i] == SEM_NONE)
			continue;
		source = sem_find_node(k->m, span_str(node->source->name), &ambiguous);
		mp_put_map(out, 4);
		mp_pair_str(out, "name", node->name);
		mp_pair_uint(out, "source", k->number[source]);
		mp_put_cstr(out, "owner");
		if (node->alias)
			mp_put_uint(out, k->number[node->owner]);
		else
			mp_put_nil(out);
		put_edges(k, node);
	}
	mp_end(out, mark);
}

/* The kind of the node's member with this name; NULL: no shown member, or several. */
static const char *
kind_of_member(const struct catalogue *k, uint32_t node, struct span name)
{
	const struct sem_node *n = sem_model_node(k->m, node);
	const struct source_column *c;

	if (sem_find_measure(n, name) != NULL)
		return "measure";
	if ((c = sem_find_column(n, name)) != NULL)
		return c->visibility == SOURCE_HIDDEN ? NULL : "dimension";
	return sem_find_segment(n, name) != NULL ? "segment" : NULL;
}

static const char *
kind_of_name(const struct catalogue *k, struct span means)
{
	const uint8_t *dot = memrchr(means.p, '.', means.len);
	bool ambiguous = false;
	uint32_t node = sem_find_node(k->m, means, &ambiguous);

	if (node != SEM_NONE && k->number[node] != SEM_NONE)
		return sem_model_node(k->m, node)->alias ? "join" : "source";
	if (ambiguous)
		return "join";
	if (dot == NULL)
		return NULL;
	node = sem_find_node(k->m, span_of(means.p, (size_t)(dot - means.p)), &ambiguous);
	return node == SEM_NONE || k->number[node] == SEM_NONE ?
	    NULL :
	    kind_of_member(k, node, span_of(dot + 1, means.len - (size_t)(dot + 1 - means.p)));
}

/* Whether the page is about this connection, or about none. */
static bool
is_page_of(const struct connection *c, const struct wiki_page *w)
{
	for (size_t i = 0; i < w->connections.n; i++)
		if (span_is_str(w->connections.v[i], c->id))
			return true;
	return w->connections.n == 0;
}

static size_t
put_page_words(const struct catalogue *k, const struct page *page)
{
	struct span word, means;
	struct wiki_words w;
	const char *kind;
	size_t n = 0;

	wiki_words_begin(&w, page->good);
	while (wiki_words_next(&w, &word, &means)) {
		if ((kind = kind_of_name(k, means)) == NULL)
			continue;
		mp_put_pairs(k->out, mp_str("word", word), mp_cstr("kind", kind), mp_str("means", means),
		    mp_cstr("page", page->key), mp_bool("agent", w.agent));
		n++;
	}
	return n;
}

static void
put_wiki(const struct catalogue *k)
{
	const struct pages *p = &k->l->pages;
	size_t mark, n = 0;

	mark = mp_pair_open_array(k->out, "words");
	for (size_t i = 0; i < p->n; i++) {
		const struct page *page = p->v[p->sorted[i]];

		/* What waits for approval gives no words. */
		if (page->good != NULL && pages_find(p, span_str(page->key)) == page &&
		    !span_is_str(page->good->status, "proposed") && is_page_of(k->o->from, page->good))
			n += put_page_words(k, page);
	}
	mp_close(k->out, mark, n);
}

/* Number the shown nodes: sources first, then their aliases. */
static void
number_nodes(struct catalogue *k)
{
	uint32_t n = 0;

	k->nnodes = (uint32_t)sem_model_nodes(k->m);
	k->number = array_new(k->nnodes, sizeof(*k->number));
	for (uint32_t i = 0; i < k->nnodes; i++) {
		const struct sem_node *node = sem_model_node(k->m, i);
		bool ambiguous;
		uint32_t source = node->alias ? sem_find_node(k->m, span_str(node->source->name), &ambiguous) : i;
		bool shown = node->alias ?
		    source != SEM_NONE && k->number[source] != SEM_NONE && k->number[node->owner] != SEM_NONE :
		    ontology_serves(k->o, k->m, i);

		k->nsources += !node->alias;
		k->number[i] = shown ? n++ : SEM_NONE;
	}
}

static void
put_unusable(const struct catalogue *k)
{
	size_t mark;

	mark = mp_pair_open_array(k->out, "unusable");
	for (uint32_t i = 0; i < k->nsources; i++) {
		const struct source *s = sem_model_node(k->m, i)->source;

		if (k->number[i] != SEM_NONE || !ontology_has(k->o, s))
			continue;
		mp_put_cstr(k->out, s->name);
	}
	mp_end(k->out, mark);
}

static void
put_ontology(const struct catalogue *k)
{
	mp_put_cstr(k->out, "ontology");
	mp_put_pairs(k->out, mp_cstr("id", k->o->id), mp_cstr("name", k->o->name),
	    mp_cstr("description", k->o->description), mp_cstr("connection", k->o->from->id),
	    mp_cstr("dialect", k->o->from->driver), mp_bool("semanticOnly", k->o->from->semantic_only));
}

/* Write the five members after `version`. */
static void
put_catalogue(struct catalogue *k)
{
	size_t mark;

	number_nodes(k);
	put_ontology(k);
	mark = mp_pair_open_array(k->out, "sources");
	for (uint32_t i = 0; i < k->nsources; i++)
		if (k->number[i] != SEM_NONE)
			put_source(k, sem_model_node(k->m, i));
	mp_end(k->out, mark);
	put_nodes(k);
	put_wiki(k);
	put_unusable(k);
	free(k->number);
}

#define CATALOGUE_MEMBERS	6u	/* including the version */

/* Write o's catalogue, unless it is current. */
static int
catalogue_refresh(const struct library *l, struct ontology *o, struct err *err)
{
	struct catalogue k = { .l = l, .o = o, .out = &o->catalogue };

	if (o->version[0] != '\0' && o->of_models == o->from->models.ncommits && o->of_pages == l->pages.nchanges)
		return 0;
	if ((k.m = models_compiled(&o->from->models)) == NULL)
		return err_set(err, ERR_RESULT_TOO_LARGE, "the semantic layer is too large to be read at once");
	buf_reset(&o->catalogue, SIZE_MAX);
	put_catalogue(&k);
	o->of_models = o->from->models.ncommits;
	o->of_pages = l->pages.nchanges;
	snprintf(o->version, sizeof(o->version), "%016llx", (unsigned long long)hash_of(buf_view(&o->catalogue)));
	return 0;
}

static void
put_candidate(struct buf *details, const struct ontology *o)
{
	mp_put_pairs(details, mp_cstr("id", o->id), mp_cstr("name", o->name), mp_cstr("description", o->description));
}

int
search_no_ontology(const struct library *l, struct call *c, struct span asked, bool known, struct err *err)
{
	struct buf *details = call_details(c);
	size_t mark, n = 0;
	size_t map;

	struct buf names = { 0 };
	int r;

	map = mp_open_pairs(details, mp_str("ontologyId", asked));
	if (known)
		mp_pair_bool(details, "notReady", true);
	mark = mp_pair_open_array(details, "candidates");
	for (size_t i = 0; i < l->ontologies.n; i++)
		if (ontology_state(l, &l->ontologies.v[i]) == ONTOLOGY_READY) {
			put_candidate(details, &l->ontologies.v[i]);
			buf_printf(&names, "%s%s (%s)", n > 0 ? ", " : "", l->ontologies.v[i].name,
			    l->ontologies.v[i].id);
			n++;
		}
	mp_close(details, mark, n);
	mp_end(details, map);
	if (n == 0)
		r = err_set(err, ERR_ONTOLOGY_NOT_FOUND, "No semantic layer is ready to answer questions.");
	else if (known)
		r = err_set(err, ERR_ONTOLOGY_NOT_FOUND,
		    "The ontology is not ready: its files are being read, or cannot be used.");
	else
		r = err_set(err, ERR_ONTOLOGY_NOT_FOUND, "%s: %s; pass one as ontologyId.",
		    asked.len == 0 ? "There are several ontologies" : "There is no such ontology, but",
		    buf_cstr(&names));
	buf_fini(&names);
	return r;
}

/* The ontology with this id, or the only one that is not of imported files.  NULL with *err. */
static struct ontology *
ontology_asked(const struct library *l, struct call *c, struct span id, struct err *err)
{
	struct ontology *found = ontologies_find(&l->ontologies, id), *imported = NULL;
	size_t n = 0;

	for (size_t i = 0; i < l->ontologies.n && id.len == 0; i++) {
		struct ontology *o = &l->ontologies.v[i];

		if (ontology_state(l, o) == ONTOLOGY_READY && strcmp(o->from->id, CONFIG_IMPORTS) == 0)
			imported = o;
		else if (ontology_state(l, o) == ONTOLOGY_READY) {
			found = o;
			n++;
		}
	}
	if (n == 0 && imported != NULL)
		found = imported;
	if (found == NULL || n > 1 || ontology_state(l, found) != ONTOLOGY_READY) {
		(void)search_no_ontology(l, c, id, found != NULL && n <= 1, err);
		return NULL;
	}
	return found;
}

int
tool_ask_model(struct call *c, const struct mp_value *args, struct err *err)
{
	struct library *l = call_state(c);
	struct span have = mp_get_str(args, "have", (struct span){ 0 });
	struct ontology *o = ontology_asked(l, c, mp_get_str(args, "ontologyId", (struct span){ 0 }), err);
	struct buf out = { 0 };

	if (o == NULL || catalogue_refresh(l, o, err) != 0)
		return -1;
	search_stands_on(c, o->from);
	if (span_is_str(have, o->version)) {
		mp_put_pairs(&out, mp_cstr("version", o->version), mp_bool("unchanged", true));
		return search_finish(c, &out, err);
	}
	mp_put_map(&out, CATALOGUE_MEMBERS);
	mp_pair_cstr(&out, "version", o->version);
	buf_span(&out, buf_view(&o->catalogue));
	return search_finish(c, &out, err);
}
