#include "workers/sql/postgres/guard/guard_catalogue.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/sql/postgres/guard/guard_rules.h"
#include "workers/sql/postgres/guard/guard_text.h"

/* A name in its schema.  Texts are offsets, because the buffer moves when it grows. */
struct catalogue_entry {
	uint32_t	 schema, name;
	uint8_t		 verdict;	/* enum guard_verdict */
	bool		 one, row;	/* GUARD_FN_ONE_ARGUMENT, GUARD_FN_TAKES_ROW */
	bool		 shadowed;	/* GUARD_FN_SHADOWED */
	bool		 servers;	/* GUARD_FN_SYSTEM */
	bool		 objects;	/* GUARD_FN_OBJECTS */
	bool		 own;		/* operators: takes only values of users' types */
	uint8_t		 min, max;
};

struct catalogue_list {
	struct catalogue_entry	*p;
	size_t		 n, cap;
};

struct guard_catalogue {
	struct buf	 text;		/* NUL-terminated names */
	struct catalogue_list	 functions, operators, types;	/* sorted by name once sealed */
	struct catalogue_list	 sources, castables;		/* likewise */
	struct catalogue_list	 path, trusted;		/* in search order; as added */
	struct catalogue_list	 parts, wholes;		/* parts.p[i] is a member of wholes.p[i]; until it is sealed */
};

struct guard_catalogue *
guard_catalogue_new(void)
{
	return mem_new(1, sizeof(struct guard_catalogue));
}

void
guard_catalogue_free(struct guard_catalogue *c)
{
	if (c == NULL)
		return;
	buf_fini(&c->text);
	free(c->functions.p);
	free(c->operators.p);
	free(c->types.p);
	free(c->sources.p);
	free(c->castables.p);
	free(c->path.p);
	free(c->trusted.p);
	free(c->parts.p);
	free(c->wholes.p);
	free(c);
}

static struct catalogue_entry *
guard_catalogue_append(struct catalogue_list *l, struct catalogue_entry e)
{
	l->p = mem_grow(l->p, l->n, &l->cap, sizeof(*l->p));
	l->p[l->n] = e;
	return &l->p[l->n++];
}

static struct catalogue_entry *
guard_catalogue_add(struct guard_catalogue *c, struct catalogue_list *l, struct span schema, struct span name)
{
	return guard_catalogue_append(l,
	    (struct catalogue_entry){
		.schema = guard_text_keep(&c->text, schema), .name = guard_text_keep(&c->text, name) });
}

/*
 * The only place that decides which functions may be called (docs/guard.md):
 * those that are not denied, no procedure, not SECURITY DEFINER, not
 * volatile, and written in a language that can be judged.
 */
static enum guard_verdict
classify_function(struct span name, struct span extension, unsigned properties, bool denied)
{
	bool foreign = extension.len > 0, server = (properties & GUARD_FN_SYSTEM) != 0;

	if (properties & GUARD_FN_PROCEDURE)
		return GUARD_PROCEDURE;
	if ((server || foreign) && denied)
		return GUARD_DENIED;
	if (properties & GUARD_FN_DEFINER)
		return GUARD_DEFINER;
	if (foreign && !guard_rules_extension(extension))
		return GUARD_NOT_LISTED;
	if (properties & GUARD_FN_VOLATILE)
		return (server && guard_rules_harmless(name)) || guard_rules_harmless_of(extension, name) ?
		    GUARD_MAY :
		    GUARD_VOLATILE;
	return (properties & GUARD_FN_OPAQUE) && !server && !foreign ? GUARD_LANGUAGE : GUARD_MAY;
}

/* The verdict after the configured trust is applied; notes the original verdict. */
static enum guard_verdict
trust_functions(struct guard_catalogue *c, struct span schema, struct span name, enum guard_verdict verdict)
{
	for (size_t i = 0; i < c->trusted.n; i++) {
		struct catalogue_entry *t = &c->trusted.p[i];

		if (!span_is(guard_text_at(&c->text, t->schema), schema) ||
		    !span_is(guard_text_at(&c->text, t->name), name))
			continue;
		if (t->verdict == GUARD_UNKNOWN || verdict > t->verdict)
			t->verdict = (uint8_t)verdict;
		return verdict < GUARD_PROCEDURE ? GUARD_MAY : verdict;
	}
	return verdict;
}

void
guard_catalogue_add_function(struct guard_catalogue *c, struct span schema, struct span name,
    struct span extension, unsigned properties, unsigned min, unsigned max)
{
	struct catalogue_entry *e = guard_catalogue_add(c, &c->functions, schema, name);
	unsigned harmless = guard_rules_namesake(name);
	bool denied = (harmless == 0 || min != harmless || max != harmless) && guard_rules_function(name) != NULL;

	if ((properties & GUARD_FN_SYSTEM) && harmless == 0) {
		min = 0;
		max = UINT8_MAX;
	}
	e->verdict = (uint8_t)classify_function(name, extension, properties, denied);
	if ((properties & GUARD_FN_SYSTEM) == 0)
		e->verdict = (uint8_t)trust_functions(c, schema, name, (enum guard_verdict)e->verdict);
	e->one = (properties & GUARD_FN_ONE_ARGUMENT) != 0;
	e->row = e->one && (properties & GUARD_FN_TAKES_ROW) != 0;
	e->shadowed = (properties & GUARD_FN_SHADOWED) != 0;
	e->servers = (properties & GUARD_FN_SYSTEM) != 0;
	e->objects = (properties & GUARD_FN_OBJECTS) != 0;
	e->min = min < UINT8_MAX ? (uint8_t)min : UINT8_MAX;
	e->max = max < UINT8_MAX ? (uint8_t)max : UINT8_MAX;
}

/*
 * A function behind an operator is not called by name, and the list of allowed
 * extensions is not asked: an extension that is installed is there to have its
 * operators used.
 */
static bool
may_stand_behind(const struct guard_behind *f)
{
	enum guard_verdict verdict =
	    classify_function(f->name, f->extension, f->properties, guard_rules_function(f->name) != NULL);

	return verdict == GUARD_MAY || (verdict == GUARD_NOT_LISTED && (f->properties & GUARD_FN_VOLATILE) == 0);
}

void
guard_catalogue_add_operator(struct guard_catalogue *c, struct span schema, struct span name, bool own,
    const struct guard_behind *f)
{
	if (!may_stand_behind(f))
		guard_catalogue_add(c, &c->operators, schema, name)->own = own;
}

void
guard_catalogue_add_source(struct guard_catalogue *c, struct span name)
{
	guard_catalogue_add(c, &c->sources, span_of("", 0), name);
}

void
guard_catalogue_add_castable(struct guard_catalogue *c, struct span schema, struct span name)
{
	guard_catalogue_add(c, &c->castables, schema, name);
}

void
guard_catalogue_add_type(struct guard_catalogue *c, struct span schema, struct span name,
    const struct guard_behind *f)
{
	if (!may_stand_behind(f))
		guard_catalogue_add(c, &c->types, schema, name);
}

void
guard_catalogue_add_holder(struct guard_catalogue *c, struct span schema, struct span name,
    struct span whole_schema, struct span whole)
{
	guard_catalogue_add(c, &c->parts, schema, name);
	guard_catalogue_add(c, &c->wholes, whole_schema, whole);
}

void
guard_catalogue_trust(struct guard_catalogue *c, struct span schema, struct span name)
{
	guard_catalogue_add(c, &c->trusted, schema, name)->verdict = GUARD_UNKNOWN;
}

enum guard_verdict
guard_catalogue_trusted(const struct guard_catalogue *c, size_t n)
{
	return n < c->trusted.n ? (enum guard_verdict)c->trusted.p[n].verdict : GUARD_UNKNOWN;
}

void
guard_catalogue_add_path(struct guard_catalogue *c, struct span schema)
{
	guard_catalogue_add(c, &c->path, schema, span_of("", 0));
}

static int
compare_entries(const void *a, const void *b, void *arg)
{
	const struct guard_catalogue *c = arg;
	const struct catalogue_entry *x = a, *y = b;
	int d = span_cmp(guard_text_at(&c->text, x->name), guard_text_at(&c->text, y->name));

	return d != 0 ? d : span_cmp(guard_text_at(&c->text, x->schema), guard_text_at(&c->text, y->schema));
}

/* The first entry with that name, or the end of the list. */
static size_t
find_name(const struct guard_catalogue *c, const struct catalogue_list *l, struct span name)
{
	return guard_text_first(&c->text, l->p, l->n, sizeof(*l->p), offsetof(struct catalogue_entry, name), name);
}

bool
guard_catalogue_searches(const struct guard_catalogue *c, struct span schema)
{
	for (size_t i = 0; i < c->path.n; i++)
		if (span_is(schema, guard_text_at(&c->text, c->path.p[i].schema)))
			return true;
	return false;
}

static bool
is_in(const struct guard_catalogue *c, const struct catalogue_entry *e, struct span schema)
{
	struct span own = guard_text_at(&c->text, e->schema);

	return schema.len > 0 ? span_is(own, schema) : !e->shadowed && guard_catalogue_searches(c, own);
}

enum guard_verdict
guard_catalogue_function(const struct guard_catalogue *c, struct span schema, struct span name,
    unsigned nargs)
{
	enum guard_verdict worst = GUARD_UNKNOWN;

	for (size_t i = find_name(c, &c->functions, name); i < c->functions.n; i++) {
		const struct catalogue_entry *e = &c->functions.p[i];

		if (!span_is(guard_text_at(&c->text, e->name), name))
			break;
		if (!is_in(c, e, schema) || nargs < e->min || (nargs > e->max && e->max < UINT8_MAX))
			continue;
		if (worst == GUARD_UNKNOWN || e->verdict > worst)
			worst = e->verdict;
	}
	/*
	 * A function that the database lacks may still be on the list, and the reason there says
	 * more than "unknown".
	 */
	return worst == GUARD_UNKNOWN && guard_rules_function(name) != NULL ? GUARD_DENIED : worst;
}

enum guard_verdict
guard_catalogue_attribute(const struct guard_catalogue *c, struct span name, bool row)
{
	enum guard_verdict worst = GUARD_MAY;

	for (size_t i = find_name(c, &c->functions, name); i < c->functions.n; i++) {
		const struct catalogue_entry *e = &c->functions.p[i];

		if (!span_is(guard_text_at(&c->text, e->name), name))
			break;
		if ((row ? e->row : e->one) && e->verdict > worst && is_in(c, e, span_of("", 0)))
			worst = e->verdict;
	}
	return worst;
}

bool
guard_catalogue_is_servers(const struct guard_catalogue *c, struct span schema, struct span name)
{
	bool known = false;

	for (size_t i = find_name(c, &c->functions, name); i < c->functions.n; i++) {
		const struct catalogue_entry *e = &c->functions.p[i];

		if (!span_is(guard_text_at(&c->text, e->name), name))
			break;
		if (!is_in(c, e, schema))
			continue;
		if (!e->servers)
			return false;
		known = true;
	}
	return known;
}

bool
guard_catalogue_tells_objects(const struct guard_catalogue *c, struct span name)
{
	for (size_t i = find_name(c, &c->functions, name); i < c->functions.n; i++) {
		if (!span_is(guard_text_at(&c->text, c->functions.p[i].name), name))
			return false;
		if (c->functions.p[i].objects)
			return true;
	}
	return false;
}

bool
guard_catalogue_has_attribute(const struct guard_catalogue *c, struct span name)
{
	for (size_t i = find_name(c, &c->functions, name); i < c->functions.n; i++) {
		const struct catalogue_entry *e = &c->functions.p[i];

		if (!span_is(guard_text_at(&c->text, e->name), name))
			break;
		if (e->one && !e->servers)
			return true;
	}
	return false;
}

static bool
guard_catalogue_has(const struct guard_catalogue *c, const struct catalogue_list *l, struct span schema,
    struct span name)
{
	for (size_t i = find_name(c, l, name); i < l->n && span_is(guard_text_at(&c->text, l->p[i].name), name); i++)
		if (is_in(c, &l->p[i], schema))
			return true;
	return false;
}

enum guard_operators_verdict
guard_catalogue_operator(const struct guard_catalogue *c, struct span schema, struct span name)
{
	const struct catalogue_list *l = &c->operators;
	enum guard_operators_verdict worst = GUARD_OPERATORS_MAY;

	for (size_t i = find_name(c, l, name); i < l->n && span_is(guard_text_at(&c->text, l->p[i].name), name); i++) {
		if (!is_in(c, &l->p[i], schema))
			continue;
		if (!l->p[i].own)
			return GUARD_OPERATORS_BAD;
		worst = GUARD_OPERATORS_OWN;
	}
	return worst;
}

bool
guard_catalogue_is_source(const struct guard_catalogue *c, struct span name)
{
	size_t i = find_name(c, &c->sources, name);

	return i < c->sources.n && span_is(guard_text_at(&c->text, c->sources.p[i].name), name);
}

bool
guard_catalogue_is_castable(const struct guard_catalogue *c, struct span schema, struct span name)
{
	return guard_catalogue_has(c, &c->castables, schema, name);
}

bool
guard_catalogue_has_bad_type(const struct guard_catalogue *c, struct span schema, struct span name)
{
	return guard_catalogue_has(c, &c->types, schema, name);
}

static void
guard_catalogue_sort(struct guard_catalogue *c, struct catalogue_list *l)
{
	if (l->n > 1)
		qsort_r(l->p, l->n, sizeof(*l->p), compare_entries, c);
}

static bool
is_bad_type(const struct guard_catalogue *c, const struct catalogue_entry *e)
{
	return guard_catalogue_has(c, &c->types, guard_text_at(&c->text, e->schema), guard_text_at(&c->text, e->name));
}

/* Adds the types that contain a refused type.  Each round finds the containers of the types of the round before. */
static void
guard_catalogue_spread(struct guard_catalogue *c)
{
	struct catalogue_list found = { 0 };

	do {
		for (size_t i = 0; i < found.n; i++)
			guard_catalogue_append(&c->types, found.p[i]);
		found.n = 0;
		guard_catalogue_sort(c, &c->types);
		for (size_t i = 0; i < c->parts.n; i++)
			if (is_bad_type(c, &c->parts.p[i]) && !is_bad_type(c, &c->wholes.p[i]))
				guard_catalogue_append(&found, c->wholes.p[i]);
	} while (found.n > 0);
	free(found.p);
}

void
guard_catalogue_seal(struct guard_catalogue *c)
{
	guard_catalogue_sort(c, &c->functions);
	guard_catalogue_sort(c, &c->operators);
	guard_catalogue_sort(c, &c->sources);
	guard_catalogue_sort(c, &c->castables);
	guard_catalogue_spread(c);
}
