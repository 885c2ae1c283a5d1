/* inventory.c - tables and terms of a catalogue, put into the model; see inventory.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/import/knowledge/inventory.h"

#define TABLES_MAX	50000

size_t
inventory_table(struct inventory *c, struct span id, struct span name)
{
	uint64_t hash = hash_of(id);
	struct knowledge_model *m;
	const uint8_t *dot;
	struct span rest;
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&c->ids, hash, &at)) != TABLE_NONE;)
		if (span_is(c->tables[row].model->id, id))
			return row;
	if (c->ntables == TABLES_MAX) {
		knowledge_skip(c->k, "table", name, c->from, "there are too many");
		return SIZE_MAX;
	}
	id = knowledge_copy(c->k, id);
	name = knowledge_copy(c->k, name);
	dot = name.len == 0 ? NULL : memrchr(name.p, '.', name.len);
	m = knowledge_model_add(c->k, "table", name, id);
	m->from = c->from;
	m->table = dot == NULL ? name : span_of(dot + 1, name.len - (size_t)(dot + 1 - name.p));
	rest = dot == NULL ? SPAN_NONE : span_of(name.p, (size_t)(dot - name.p));
	dot = rest.len == 0 ? NULL : memrchr(rest.p, '.', rest.len);
	m->schema = dot == NULL ? rest : span_of(dot + 1, rest.len - (size_t)(dot + 1 - rest.p));
	c->tables = mem_grow(c->tables, c->ntables, &c->tables_cap, sizeof(*c->tables));
	c->tables[c->ntables] = (struct inventory_table){ .model = m };
	table_add(&c->ids, hash, (uint32_t)c->ntables);
	return c->ntables++;
}

struct inventory_field *
inventory_field(struct inventory *c, size_t table, struct span name)
{
	uint64_t hash = hash_of(name) ^ (uint64_t)table * 0x9e3779b97f4a7c15u;
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&c->names, hash, &at)) != TABLE_NONE;)
		if (c->fields[row].table == table && span_is(c->fields[row].entry->name, name))
			return &c->fields[row];
	c->fields = mem_grow(c->fields, c->nfields, &c->fields_cap, sizeof(*c->fields));
	c->fields[c->nfields] = (struct inventory_field){ .table = table,
		.entry = knowledge_entry_add(c->k, c->tables[table].model, KNOWLEDGE_COLUMN, "column",
		    knowledge_copy(c->k, name)) };
	table_add(&c->names, hash, (uint32_t)c->nfields);
	return &c->fields[c->nfields++];
}

void
inventory_list(struct inventory *c, struct span *list, struct span word)
{
	if (word.len == 0)
		return;
	for (struct span s = *list; s.len > 0;) {
		const uint8_t *end = memmem(s.p, s.len, ", ", 2);

		if (span_is(span_of(s.p, end == NULL ? s.len : (size_t)(end - s.p)), word))
			return;
		s = end == NULL ? SPAN_NONE : span_of(end + 2, s.len - (size_t)(end + 2 - s.p));
	}
	*list = knowledge_text(c->k, "%.*s%s%.*s", SPAN_FMT(*list), list->len > 0 ? ", " : "", SPAN_FMT(word));
}

void
inventory_key(struct inventory *c, size_t table, struct span columns, struct span to, struct span to_columns)
{
	c->keys = mem_grow(c->keys, c->nkeys, &c->keys_cap, sizeof(*c->keys));
	c->keys[c->nkeys++] = (struct inventory_key){ table, columns, to, to_columns };
}

void
inventory_term(struct inventory *c, const char *as, struct span name, struct span title, struct span said,
    struct span also)
{
	struct knowledge_page *p;

	if (name.len == 0 || said.len == 0) {
		knowledge_merge(c->k, as, name);
		return;
	}
	p = knowledge_page_add(c->k, as, name, c->from);
	p->title = title.len > 0 ? title : name;
	p->body =
	    also.len == 0 ? said : knowledge_text(c->k, "%.*s\n\nAlso called %.*s.", SPAN_FMT(said), SPAN_FMT(also));
}

void
inventory_pass(struct inventory *c, struct span as)
{
	size_t i = 0, n = sizeof(c->others) / sizeof(c->others[0]);

	while (i < c->nothers && !span_is_str(as, c->others[i].as))
		i++;
	if (i == c->nothers && i < n) {
		c->others[i].as = mem_must(arena_cstr(c->k->a, as));
		c->nothers++;
	}
	c->others[i < n ? i : n - 1].n++;
}

/* A sentence behind a description: "Owners: a, b." */
static struct span
add_sentence(struct inventory *c, struct span said, const char *head, struct span list)
{
	if (list.len == 0)
		return said;
	return knowledge_text(c->k, "%.*s%s%s: %.*s.", SPAN_FMT(said), said.len > 0 ? "\n" : "", head, SPAN_FMT(list));
}

/* "a = x AND b = y" of "a,b" and "x,y"; empty: they do not match. */
static struct span
join_columns(struct inventory *c, struct span a, struct span b)
{
	struct span on = SPAN_NONE;

	while (a.len > 0 && b.len > 0) {
		const uint8_t *x = memchr(a.p, ',', a.len), *y = memchr(b.p, ',', b.len);
		size_t n = x == NULL ? a.len : (size_t)(x - a.p), m = y == NULL ? b.len : (size_t)(y - b.p);

		on = knowledge_text(c->k, "%.*s%s%.*s = %.*s", SPAN_FMT(on), on.len > 0 ? " AND " : "", (int)n,
		    (const char *)a.p, (int)m, (const char *)b.p);
		a = x == NULL ? SPAN_NONE : span_of(x + 1, a.len - n - 1);
		b = y == NULL ? SPAN_NONE : span_of(y + 1, b.len - m - 1);
	}
	return a.len == b.len ? on : SPAN_NONE;
}

static void
take_key(struct inventory *c, const struct inventory_key *key)
{
	struct knowledge_model *m = c->tables[key->table].model, *to = knowledge_model_called(c->k, key->to);
	struct span on = join_columns(c, key->columns, key->to_columns), name;
	struct knowledge_entry *e;

	name = knowledge_text(c->k, "%.*s.%.*s", SPAN_FMT(m->name), SPAN_FMT(key->columns));
	if (to == NULL || on.len == 0)
		knowledge_skip(c->k, "foreign key", name, m->from, "%s",
		    to == NULL ? "the table that it leads to was not read" : "its columns do not match");
	else {
		e = knowledge_entry_add(c->k, m, KNOWLEDGE_JOIN, "foreign key", name);
		e->to = to->name;
		e->on = on;
	}
}

/* What a person wrote, else what was found, and what it is marked with. */
static void
end_field(struct inventory *c, const struct inventory_field *f)
{
	struct span said = f->edited.len > 0 ? f->edited : f->entry->said;

	said = add_sentence(c, said, "Tags", f->tags);
	f->entry->said = add_sentence(c, said, "Terms", f->terms);
	if (f->entry->said.len == 0 && f->entry->label.len == 0 && !f->entry->unique && !f->entry->not_null)
		f->entry->as = NULL;
}

void
inventory_end(struct inventory *c)
{
	for (size_t i = 0; i < c->nfields; i++)
		end_field(c, &c->fields[i]);
	for (size_t i = 0; i < c->nkeys; i++)
		take_key(c, &c->keys[i]);
	for (size_t i = 0; i < c->ntables; i++) {
		struct inventory_table *t = &c->tables[i];

		if (t->edited.len > 0)
			t->model->said = t->edited;
		t->model->said = add_sentence(c, t->model->said, "Owners", t->owners);
		t->model->said = add_sentence(c, t->model->said, "Terms", t->terms);
		if (t->tags.len > 0) {
			struct span *tags = knowledge_alloc(c->k, sizeof(*tags) * (t->tags.len + 1));

			for (struct span s = t->tags; s.len > 0;) {
				const uint8_t *end = memmem(s.p, s.len, ", ", 2);

				tags[t->model->ntags++] = span_of(s.p, end == NULL ? s.len : (size_t)(end - s.p));
				s = end == NULL ? SPAN_NONE : span_of(end + 2, s.len - (size_t)(end + 2 - s.p));
			}
			t->model->tags = tags;
		}
	}
	for (size_t i = 0; i < c->nothers; i++)
		knowledge_tally(c->k, c->others[i].as, c->others[i].n, SPAN_NONE, "there is no place for it");
	table_free(&c->ids);
	table_free(&c->names);
	free(c->tables);
	free(c->fields);
	free(c->keys);
}

struct inventory_reading {
	struct inventory	*c;
	void		(*fn)(struct inventory *c, const struct yaml_node *object);
	size_t		n;		/* objects of the file so far */
};

static void
take_entry(void *arg, const struct manifest_entry *e)
{
	struct inventory_reading *r = arg;

	r->n++;
	if (e->tree == NULL || e->tree->kind != YAML_MAPPING)
		knowledge_skip(r->c->k, "object", knowledge_text(r->c->k, "number %zu", r->n), r->c->from,
		    "it cannot be read: %s", e->fault != NULL ? e->fault : "it is no object");
	else if (!span_is_str(e->section, "metadata"))
		r->fn(r->c, e->tree);
}

/* A list of objects, an object with such lists, or an object. */
static void
take_tree(struct inventory_reading *r, const struct yaml_node *tree, const char *const *sections)
{
	const struct yaml_node *list = tree->kind == YAML_SEQUENCE ? tree : tree_get_any(tree, sections);

	if (list == NULL || list->kind != YAML_SEQUENCE)
		take_entry(r, &(struct manifest_entry){ .tree = tree });
	else
		for (size_t i = 0; i < list->n; i++)
			take_entry(r, &(struct manifest_entry){ .tree = &list->items[i] });
}

int
inventory_each(struct inventory *c, const struct knowledge_input *in, const char *const *sections,
    void (*fn)(struct inventory *c, const struct yaml_node *object), struct err *err)
{
	struct inventory_reading r = { .c = c, .fn = fn };

	for (size_t i = 0; i < in->nfiles; i++) {
		const char *fault = NULL;
		const struct yaml_node *tree = tree_json(c->k, in->files[i].text, &fault);

		c->from = in->files[i].path;
		r.n = 0;
		/* Of a file with a broken object the others are read. */
		if (tree == NULL && !manifest_each_of(c->k, in->files[i].text, sections, take_entry, &r))
			knowledge_skip(c->k, "file", c->from, c->from, "it cannot be read: %s", fault);
		else if (tree != NULL)
			take_tree(&r, tree, sections);
	}
	c->from = SPAN_NONE;
	return in->manifest < 0 ? 0 : manifest_each(c->k, in->manifest, sections, take_entry, &r, err);
}
