#include <string.h>

#include "base/ascii.h"
#include "ipc/surface_calls.h"
#include "policy/scopes.h"
#include "workers/search/ontology/ontology_content.h"
#include "base/array.h"
#include "workers/search/library/uri.h"
#include "workers/search/answer/put.h"
#include "words/text.h"
#include "workers/search/surface/prompts.h"
#include "workers/search/surface/resources.h"
#include "workers/search/surface/complete.h"
#include "workers/shared/call.h"

#define NEAR_MAX	10u	/* spelling guesses when no value contains the input */
#define GUESS_MAX	200u	/* bytes of input; longer input gets no guesses */

/* The variables of templates, named as in uri.c. */
static const struct {
	const char	*name;
	enum uri_kind	 kind;
	enum values	 values;
} variables[] = {
	{ "key", URI_WIKI, VALUES_KEYS },
	{ "connection", URI_SEMANTIC, VALUES_CONNECTIONS },
	{ "source", URI_SEMANTIC, VALUES_SOURCES },
	{ "connection", URI_SCHEMA, VALUES_CONNECTIONS },
	{ "table", URI_SCHEMA, VALUES_TABLES },
	{ "connection", URI_DIALECT, VALUES_CONNECTIONS },
	{ "id", URI_ONTOLOGY, VALUES_ONTOLOGIES },
	{ "id", URI_DATASET, VALUES_ONTOLOGIES },
	{ "name", URI_DATASET, VALUES_DATASETS },
};

struct match {
	unsigned	rank;		/* 0: prefix; 1: prefix of a part; 2: contained */
	struct span	value;		/* in the call's arena */
};

struct matches {
	struct arena	*a;
	struct buf	 typed, folded;	/* folded: the input, the current value */
	size_t		 n, cap;
	struct match	*v;
};

/* ASCII is folded directly: there may be tens of thousands of names. */
static void
complete_fold(struct span s, struct buf *out)
{
	out->len = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] >= 0x80) {
			out->len = 0;
			text_fold(s, out);
			return;
		}
		buf_byte(out, ascii_lower(s.p[i]));
	}
}

/* The rank of a match of the input in the folded value; 3: no match. */
static unsigned
rank_of(struct span value, struct span typed)
{
	const uint8_t *at = typed.len == 0 ? value.p :
	    value.len == 0                 ? NULL :
					     memmem(value.p, value.len, typed.p, typed.len);

	if (typed.len == 0 || at == value.p)
		return 0;
	if (at == NULL)
		return 3;
	return at[-1] == '.' || at[-1] == '_' || at[-1] == '-' || at[-1] == ' ' ? 1 : 2;
}

static void
complete_offer(struct matches *m, struct span value)
{
	struct span copy;
	unsigned rank;

	if (value.len > SURFACE_URI_MAX)
		return; /* its URI cannot be read */
	complete_fold(value, &m->folded);
	if ((rank = rank_of(buf_view(&m->folded), buf_view(&m->typed))) == 3)
		return;
	copy = arena_span(m->a, value);
	if (copy.p == NULL)
		return; /* memory is full: offer what was found so far */
	m->v = array_grow(m->v, m->n, &m->cap, sizeof(*m->v));
	m->v[m->n++] = (struct match){ rank, copy };
}

static void
offer_keys(struct matches *m, const struct library *l)
{
	for (size_t i = 0; i < l->pages.n; i++)
		if (l->pages.v[l->pages.sorted[i]]->good != NULL)
			complete_offer(m, span_str(l->pages.v[l->pages.sorted[i]]->key));
}

static void
offer_tables(struct matches *m, const struct schema *s)
{
	struct buf display = { 0 };

	for (size_t i = 0; s != NULL && i < s->ntables; i++) {
		display.len = 0;
		schema_display(s, &s->tables[i], &display);
		complete_offer(m, buf_view(&display));
	}
	buf_fini(&display);
}

/* id: the ontology chosen before; empty: all. */
static void
offer_ontologies(struct matches *m, const struct library *l, enum values values, struct span id)
{
	for (size_t i = 0; i < l->ontologies.n; i++) {
		const struct ontology *o = &l->ontologies.v[i];
		const struct source_set *set = o->from->models.set;

		if (ontology_state(l, o) != ONTOLOGY_READY)
			continue;
		if (values == VALUES_ONTOLOGIES)
			complete_offer(m, span_str(o->id));
		else if (id.len == 0 || span_is_word(id, o->id))
			for (size_t k = 0; k < source_set_count(set); k++)
				if (ontology_dataset(o, span_str(source_set_at(set, k)->name)) != NULL)
					complete_offer(m, span_str(source_set_at(set, k)->name));
	}
}

/* connection: the one chosen before; empty: all. */
static void
offer_all(struct matches *m, const struct library *l, enum values values, struct span connection)
{
	if (values == VALUES_KEYS)
		offer_keys(m, l);
	for (size_t i = 0; i < l->nconnections && values != VALUES_KEYS; i++) {
		const struct connection *c = &l->connections[i];

		if (values == VALUES_CONNECTIONS)
			complete_offer(m, span_str(c->id));
		else if (connection.len > 0 && !span_is_str(connection, c->id))
			continue;
		else if (values == VALUES_TABLES)
			offer_tables(m, c->scans.schema);
		for (size_t k = 0; values == VALUES_SOURCES && k < source_set_count(c->models.set); k++)
			complete_offer(m, span_str(source_set_at(c->models.set, k)->name));
	}
}

static int
by_rank(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : span_cmp(x->value, y->value);
}

/* Sort the matches and remove duplicates. */
static void
complete_settle(struct matches *m)
{
	size_t n = 0;

	if (m->n > 1)
		qsort(m->v, m->n, sizeof(*m->v), by_rank);
	for (size_t i = 0; i < m->n; i++)
		if (n == 0 || !span_is(m->v[n - 1].value, m->v[i].value))
			m->v[n++] = m->v[i];
	m->n = n;
}

/* Nothing contains the input: offer names with a similar spelling. */
static void
guess(struct matches *m, struct library *l, enum values values, struct span typed, struct span connection)
{
	static const enum kind kinds[] = {
		[VALUES_KEYS] = KIND_WIKI, [VALUES_SOURCES] = KIND_SL_SOURCE, [VALUES_TABLES] = KIND_TABLE
	};
	const struct connection *only = connection.len > 0 ? library_connection(l, connection) : NULL;
	struct answers near;
	size_t n;

	if (values == VALUES_CONNECTIONS || values == VALUES_ONTOLOGIES || values == VALUES_DATASETS ||
	    (connection.len > 0 && only == NULL) || typed.len > GUESS_MAX)
		return;
	n = search_suggest(l, m->a, typed, only, kinds[values], NEAR_MAX, &near);
	m->typed.len = 0;
	for (size_t i = 0; i < n; i++)
		complete_offer(m, near.v[i].id);
}

static int
no_variable(struct span name, const char *of, struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "%s has no variable or argument \"%.*s\".", of,
	    (int)(name.len < 100 ? name.len : 100), (const char *)name.p);
}

static int
of_template(const struct library *l, struct span uri, struct span name, enum values *values, struct err *err)
{
	struct buf template = { 0 };
	bool known = false;

	*values = VALUES_NONE;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		template.len = 0;
		uri_put_template(l->scheme, variables[i].kind, &template);
		if (!span_is(buf_view(&template), uri))
			continue;
		known = true;
		if (span_is_str(name, variables[i].name))
			*values = variables[i].values;
	}
	buf_fini(&template);
	if (!known)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "There is no such resource template; "
		    "resources/templates/list shows those there are.");
	return *values == VALUES_NONE ? no_variable(name, "The template", err) : 0;
}

static int
of_prompt(struct span prompt, struct span name, enum values *values, struct err *err)
{
	const struct prompt *p = prompt_find(prompt);

	if (p == NULL)
		return prompt_unknown(prompt, err);
	for (size_t i = 0; i < PROMPT_ARGUMENTS_MAX && p->arguments[i].name != NULL; i++)
		if (span_is_str(name, p->arguments[i].name)) {
			*values = p->arguments[i].values;
			return 0;
		}
	return no_variable(name, p->name, err);
}

static void
put_completion(const struct matches *m, struct buf *out)
{
	size_t n = m->n < SURFACE_VALUES_MAX ? m->n : SURFACE_VALUES_MAX;
	size_t map;

	mp_put_map(out, 1);
	mp_put_cstr(out, "completion");
	map = mp_open_map(out);
	mp_pair_array(out, "values", n);
	for (size_t i = 0; i < n; i++)
		mp_put_str(out, m->v[i].value);
	mp_add_pairs(out, mp_uint("total", m->n), mp_bool("hasMore", m->n > n));
	mp_end(out, map);
}

int
surface_complete(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct span none = { NULL, 0 };
	struct library *l = call_state(c);
	struct matches m = { .a = call_arena(c) };
	struct mp_value ref, argument, context, chosen;
	struct span name, typed, connection, id;
	struct buf out = { 0 };
	enum values values = VALUES_NONE;
	bool of_ontologies;
	int r;

	mp_get(args, "ref", &ref);
	mp_get(args, "argument", &argument);
	mp_get(args, "context", &context);
	mp_get(&context, "arguments", &chosen);
	name = mp_get_str(&argument, "name", none);
	typed = mp_get_str(&argument, "value", none);
	connection = mp_get_str(&chosen, "connection", none);
	id = mp_get_str(&chosen, "id", none);
	r = span_is_str(mp_get_str(&ref, "type", none), "ref/prompt") ?
	    of_prompt(mp_get_str(&ref, "name", none), name, &values, err) :
	    of_template(l, mp_get_str(&ref, "uri", none), name, &values, err);
	if (r != 0)
		return -1;
	complete_fold(typed, &m.typed);
	of_ontologies = values == VALUES_ONTOLOGIES || values == VALUES_DATASETS;
	if (!resources_may_read(c, of_ontologies ? URI_ONTOLOGIES : URI_WIKI))
		values = VALUES_NONE;
	else if (of_ontologies)
		offer_ontologies(&m, l, values, id);
	else if (values != VALUES_NONE)
		offer_all(&m, l, values, connection);
	complete_settle(&m);
	if (m.n == 0 && values != VALUES_NONE)
		guess(&m, l, values, typed, connection);
	put_completion(&m, &out);
	buf_fini(&m.typed);
	buf_fini(&m.folded);
	free(m.v);
	return search_finish(c, &out, err);
}
