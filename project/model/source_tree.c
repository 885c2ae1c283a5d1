
#include "base/ascii.h"
#include "base/utf8.h"
#include "project/model/source_model.h"

#define FULL	"the source is too large"

struct span
source_text(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SCALAR ? node->text : (struct span){ 0 };
}

/* A mapping or sequence being filled; room is known from the start. */
struct building {
	struct arena		*arena;
	struct yaml_node	*keys, *items;
	size_t			 n, cap;
	bool			 full;
};

static struct building
source_tree_build(struct arena *a, size_t cap, bool mapping)
{
	struct building b = { .arena = a, .cap = cap };

	b.items = arena_array(a, cap + 1, sizeof(*b.items));
	b.keys = mapping ? arena_array(a, cap + 1, sizeof(*b.keys)) : NULL;
	b.full = b.items == NULL || (mapping && b.keys == NULL);
	return b;
}

static struct yaml_node source_tree_copy(struct building *b, const struct yaml_node *node);

static struct yaml_node
copy_container(struct building *b, const struct yaml_node *node)
{
	struct building to = source_tree_build(b->arena, node->n, node->kind == YAML_MAPPING);
	struct yaml_node out = *node;

	for (size_t i = 0; i < node->n && !to.full; i++) {
		to.items[i] = source_tree_copy(&to, &node->items[i]);
		if (node->kind == YAML_MAPPING)
			to.keys[i] = source_tree_copy(&to, &node->keys[i]);
	}
	b->full = b->full || to.full;
	out.items = to.items;
	out.keys = to.keys;
	out.n = to.full ? 0 : node->n;
	return out;
}

/* Trees are at most YAML_DEPTH_MAX deep, so recursion is bounded. */
static struct yaml_node
source_tree_copy(struct building *b, const struct yaml_node *node)
{
	struct yaml_node out = *node;

	if (node->kind == YAML_SCALAR) {
		out.text = arena_span(b->arena, node->text);
		b->full = b->full || out.text.p == NULL;
		return out;
	}
	return node->kind == YAML_NULL ? out : copy_container(b, node);
}

static struct yaml_node
source_tree_scalar(struct building *b, struct span text, bool quoted)
{
	return source_tree_copy(b, &(struct yaml_node){ .kind = YAML_SCALAR, .text = text, .quoted = quoted });
}

/* Add node, which is already in the arena, under key (mappings) or at the end. */
static void
source_tree_put(struct building *b, const char *key, struct yaml_node node)
{
	if (b->full || b->n == b->cap) {
		b->full = true;
		return;
	}
	if (b->keys != NULL)
		b->keys[b->n] = source_tree_scalar(b, span_str(key), false);
	b->items[b->n++] = node;
}

static void
put_copy(struct building *b, const char *key, const struct yaml_node *node)
{
	if (node != NULL && !b->full)
		source_tree_put(b, key, source_tree_copy(b, node));
}

static struct yaml_node
source_tree_done(struct building *into, const struct building *b)
{
	into->full = into->full || b->full;
	return (struct yaml_node){
		.kind = b->keys != NULL ? YAML_MAPPING : YAML_SEQUENCE, .n = b->full ? 0 : b->n,
		.items = b->items, .keys = b->keys
	};
}

/* The finished root in the arena; NULL when something did not fit. */
static const struct yaml_node *
root(struct building *b)
{
	struct building none = { 0 };
	struct yaml_node *node = b->full ? NULL : arena_alloc(b->arena, sizeof(*node));

	if (node != NULL)
		*node = source_tree_done(&none, b);
	return node;
}

static size_t
source_tree_length(const struct yaml_node *n)
{
	return n != NULL && (n->kind == YAML_SEQUENCE || n->kind == YAML_MAPPING) ? n->n : 0;
}

static bool
is_list(const struct yaml_node *n)
{
	return n != NULL && n->kind == YAML_SEQUENCE;
}

/* A key of a tree as a C string for source_tree_put(): keys of our formats are short. */
static const char *
key_of(struct building *b, const struct yaml_node *key)
{
	const char *s = arena_cstr(b->arena, key->text);

	b->full = b->full || s == NULL;
	return s != NULL ? s : "";
}

static struct yaml_node
project_columns(struct building *into, const struct yaml_node *columns)
{
	static const char *const kept[] = { "descriptions", "constraints", "enum_values", "tests", "label", "synonyms",
		"visibility", "measured_unique" };
	struct building list = source_tree_build(into->arena, source_tree_length(columns), false);

	for (size_t i = 0; is_list(columns) && i < columns->n; i++) {
		const struct yaml_node *c = &columns->items[i];
		struct building one = source_tree_build(into->arena, 16, true);

		if (source_text(yaml_get(c, "name")).len == 0)
			continue;
		put_copy(&one, "name", yaml_get(c, "name"));
		put_copy(&one, "type", yaml_get(c, "type"));
		if (span_is(source_text(yaml_get(c, "type")), SPAN("time")))
			source_tree_put(&one, "role", source_tree_scalar(&one, SPAN("time"), false));
		for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++)
			put_copy(&one, kept[k], yaml_get(c, kept[k]));
		source_tree_put(&list, NULL, source_tree_done(&list, &one));
	}
	return source_tree_done(into, &list);
}

static struct yaml_node
project_joins(struct building *into, const struct yaml_node *joins)
{
	struct building list = source_tree_build(into->arena, source_tree_length(joins), false);

	for (size_t i = 0; is_list(joins) && i < joins->n; i++) {
		const struct yaml_node *j = &joins->items[i], *on = yaml_get(j, "on");
		struct building one = source_tree_build(into->arena, 5, true);

		put_copy(&one, "to", yaml_get(j, "to"));
		put_copy(&one, "on", on != NULL ? on : yaml_get(j, "true"));
		put_copy(&one, "relationship", yaml_get(j, "relationship"));
		put_copy(&one, "alias", yaml_get(j, "alias"));
		put_copy(&one, "verbs", yaml_get(j, "verbs"));
		source_tree_put(&list, NULL, source_tree_done(&list, &one));
	}
	return source_tree_done(into, &list);
}

const struct yaml_node *
source_project(struct arena *a, struct span name, const struct yaml_node *entry)
{
	static const char *const kept[] = { "usage", "tags", "freshness", "default_time_dimension", "label",
		"synonyms" };
	struct building b = source_tree_build(a, 16, true);
	struct building grain;
	struct source s = { 0 };

	if (source_extract_manifest(a, name, entry, &s) != 0)
		return NULL;
	source_tree_put(&b, "name", source_tree_scalar(&b, name, false));
	source_tree_put(&b, "table", source_tree_scalar(&b, span_str(s.table), false));
	put_copy(&b, "descriptions", yaml_get(entry, "descriptions"));
	grain = source_tree_build(a, s.ngrain, false);
	for (size_t i = 0; i < s.ngrain; i++)
		source_tree_put(&grain, NULL, source_tree_scalar(&grain, span_str(s.grain[i]), false));
	source_tree_put(&b, "grain", source_tree_done(&b, &grain));
	source_tree_put(&b, "columns", project_columns(&b, yaml_get(entry, "columns")));
	source_tree_put(&b, "joins", project_joins(&b, yaml_get(entry, "joins")));
	source_tree_put(&b, "measures", (struct yaml_node){ .kind = YAML_SEQUENCE });
	for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++)
		put_copy(&b, kept[k], yaml_get(entry, kept[k]));
	return root(&b);
}

const struct yaml_node *
source_authored(struct arena *a, const struct source *s)
{
	const struct yaml_node *node = s->node;

	if (s->flavour == SOURCE_MANIFEST)
		node = source_project(a, span_str(s->name), s->node);
	return node != NULL ? node : s->node;
}

/* Keys of an overlay that are merged with the base's; all other keys replace the base's. */
static const char *const merged_keys[] = {
	"name", "table", "descriptions", "columns", "column_overrides", "joins", "measures", "exclude_columns",
	"disable_joins", NULL
};

/* Of the replaced keys, these come first, in this order; segments add up. */
static const char *const replaced_keys[] = {
	"grain", "segments", "default_time_dimension", "usage", "description", "tags", "freshness", NULL
};

/* The element of a list of mappings whose name is name. */
static const struct yaml_node *
source_tree_named(const struct yaml_node *list, struct span name, bool folded)
{
	for (size_t i = 0; is_list(list) && i < list->n; i++) {
		struct span s = source_text(yaml_get(&list->items[i], "name"));

		if (s.len > 0 && (folded ? span_is_folded(s, name) : span_is(s, name)))
			return &list->items[i];
	}
	return NULL;
}

static bool
lists(const struct yaml_node *list, struct span text)
{
	for (size_t i = 0; is_list(list) && i < list->n; i++)
		if (span_is(source_text(&list->items[i]), text))
			return true;
	return false;
}

static int
clash(struct err *err, const char *what, struct span name, const char *why)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "%s \"%.*s\" %s", what, (int)utf8_cut(name.p, name.len, 100),
	    (const char *)name.p, why);
}

static int
check_overlay(const struct yaml_node *base, const struct yaml_node *overlay, struct err *err)
{
	const struct yaml_node *columns = yaml_get(base, "columns");
	const struct yaml_node *out = yaml_get(overlay, "exclude_columns");
	const struct yaml_node *changes = yaml_get(overlay, "column_overrides");
	const struct yaml_node *added = yaml_get(overlay, "columns");

	for (size_t i = 0; is_list(changes) && i < changes->n; i++) {
		struct span name = source_text(yaml_get(&changes->items[i], "name"));

		if (source_tree_named(columns, name, true) == NULL)
			return clash(err, "column_overrides names", name, "which is no column of the table");
		if (lists(out, name))
			return clash(err, "the column", name, "is both excluded and overridden");
		if (yaml_get(&changes->items[i], "type") != NULL || yaml_get(&changes->items[i], "expr") != NULL)
			return clash(err, "the override of", name, "may not change type or expr");
	}
	for (size_t i = 0; is_list(added) && i < added->n; i++) {
		struct span name = source_text(yaml_get(&added->items[i], "name"));
		const struct yaml_node *taken = source_tree_named(columns, name, false);

		if (name.len == 0 || source_text(yaml_get(&added->items[i], "expr")).len == 0)
			return clash(err, "the computed column", name, "needs a name and an expr");
		if (taken != NULL && yaml_get(taken, "expr") == NULL && !lists(out, name))
			return clash(err, "the column", name, "exists in the table already");
	}
	return 0;
}

/* base's texts by origin, the overlay's winning, base's order first. */
static struct yaml_node
merge_maps(struct building *into, const struct yaml_node *base, const struct yaml_node *over)
{
	struct building b = source_tree_build(into->arena, source_tree_length(base) + source_tree_length(over), true);

	for (size_t i = 0; base != NULL && base->kind == YAML_MAPPING && i < base->n; i++) {
		const char *key = key_of(&b, &base->keys[i]);
		const struct yaml_node *mine = yaml_get(over, key);

		put_copy(&b, key, mine != NULL ? mine : &base->items[i]);
	}
	for (size_t i = 0; over != NULL && over->kind == YAML_MAPPING && i < over->n; i++) {
		const char *key = key_of(&b, &over->keys[i]);

		if (yaml_get(base, key) == NULL)
			put_copy(&b, key, &over->items[i]);
	}
	return source_tree_done(into, &b);
}

/* A column with its override: all keys replace, descriptions merge, the base's name stays. */
static struct yaml_node
override_column(struct building *into, const struct yaml_node *column, const struct yaml_node *change)
{
	struct building b = source_tree_build(into->arena, column->n + change->n, true);

	for (size_t i = 0; i < column->n; i++) {
		const char *key = key_of(&b, &column->keys[i]);
		const struct yaml_node *mine = yaml_get(change, key);

		if (span_is_str(column->keys[i].text, "descriptions") && mine != NULL)
			source_tree_put(&b, key, merge_maps(&b, &column->items[i], mine));
		else
			put_copy(&b, key,
			    mine != NULL && !span_is_str(column->keys[i].text, "name") ? mine : &column->items[i]);
	}
	for (size_t i = 0; i < change->n; i++) {
		const char *key = key_of(&b, &change->keys[i]);

		if (yaml_get(column, key) == NULL)
			put_copy(&b, key, &change->items[i]);
	}
	return source_tree_done(into, &b);
}

static struct yaml_node
merge_columns(struct building *into, const struct yaml_node *base, const struct yaml_node *overlay)
{
	const struct yaml_node *columns = yaml_get(base, "columns"), *added = yaml_get(overlay, "columns");
	const struct yaml_node *changes = yaml_get(overlay, "column_overrides");
	struct building list =
	    source_tree_build(into->arena, source_tree_length(columns) + source_tree_length(added), false);

	for (size_t i = 0; is_list(columns) && i < columns->n; i++) {
		struct span name = source_text(yaml_get(&columns->items[i], "name"));
		const struct yaml_node *change = source_tree_named(changes, name, true);

		if (lists(yaml_get(overlay, "exclude_columns"), name) || source_tree_named(added, name, false) != NULL)
			continue;
		if (change != NULL)
			source_tree_put(&list, NULL, override_column(&list, &columns->items[i], change));
		else
			put_copy(&list, NULL, &columns->items[i]);
	}
	for (size_t i = 0; is_list(added) && i < added->n; i++)
		put_copy(&list, NULL, &added->items[i]);
	return source_tree_done(into, &list);
}

static struct span
join_on(const struct yaml_node *join)
{
	const struct yaml_node *on = yaml_get(join, "on");

	return source_text(on != NULL ? on : yaml_get(join, "true"));
}

/* Equal when runs of white space count as one blank. */
static bool
is_same_condition(struct span a, struct span b)
{
	size_t i = 0, j = 0;

	for (;;) {
		bool gap_a = false, gap_b = false;

		for (; i < a.len && ascii_is_space(a.p[i]); i++)
			gap_a = true;
		for (; j < b.len && ascii_is_space(b.p[j]); j++)
			gap_b = true;
		if (i == a.len || j == b.len)
			return i == a.len && j == b.len;
		if (gap_a != gap_b && i > 0 && j > 0)
			return false;
		if (a.p[i++] != b.p[j++])
			return false;
	}
}

static const struct yaml_node *
find_join(const struct yaml_node *joins, const struct yaml_node *join)
{
	for (size_t i = 0; is_list(joins) && i < joins->n; i++)
		if (span_is(source_text(yaml_get(&joins->items[i], "to")), source_text(yaml_get(join, "to"))) &&
		    is_same_condition(join_on(&joins->items[i]), join_on(join)))
			return &joins->items[i];
	return NULL;
}

static bool
is_disabled(const struct yaml_node *disabled, const struct yaml_node *join)
{
	for (size_t i = 0; is_list(disabled) && i < disabled->n; i++)
		if (is_same_condition(source_text(&disabled->items[i]), join_on(join)))
			return true;
	return false;
}

/* A join of the base, with the verbs that the overlay has for it. */
static struct yaml_node
copy_join(struct building *into, const struct yaml_node *join, const struct yaml_node *again)
{
	const struct yaml_node *verbs = again != NULL ? yaml_get(again, "verbs") : NULL;
	struct building one = source_tree_build(into->arena, source_tree_length(join) + 1, true);

	if (verbs == NULL || join->kind != YAML_MAPPING)
		return source_tree_copy(into, join);
	for (size_t i = 0; i < join->n; i++)
		if (!span_is(join->keys[i].text, SPAN("verbs")))
			put_copy(&one, yaml_cstr(into->arena, &join->keys[i]), &join->items[i]);
	put_copy(&one, "verbs", verbs);
	return source_tree_done(into, &one);
}

static struct yaml_node
merge_joins(struct building *into, const struct yaml_node *base, const struct yaml_node *overlay)
{
	const struct yaml_node *old = yaml_get(base, "joins"), *new = yaml_get(overlay, "joins");
	struct building list = source_tree_build(into->arena, source_tree_length(old) + source_tree_length(new), false);

	for (size_t i = 0; is_list(old) && i < old->n; i++)
		if (!is_disabled(yaml_get(overlay, "disable_joins"), &old->items[i]))
			source_tree_put(&list, NULL, copy_join(&list, &old->items[i], find_join(new, &old->items[i])));
	for (size_t i = 0; is_list(new) && i < new->n; i++)
		if (!find_join(old, &new->items[i]) || is_disabled(yaml_get(overlay, "disable_joins"), &new->items[i]))
			put_copy(&list, NULL, &new->items[i]);
	return source_tree_done(into, &list);
}

/* The overlay's measures or segments; a second overlay adds to those of the first. */
static struct yaml_node
merge_named(struct building *into, const char *key, const struct yaml_node *base, const struct yaml_node *overlay)
{
	const struct yaml_node *old = yaml_get(base, key), *new = yaml_get(overlay, key);
	struct building list = source_tree_build(into->arena, source_tree_length(old) + source_tree_length(new), false);

	for (size_t i = 0; is_list(old) && i < old->n; i++)
		if (source_tree_named(new, source_text(yaml_get(&old->items[i], "name")), false) == NULL)
			put_copy(&list, NULL, &old->items[i]);
	for (size_t i = 0; is_list(new) && i < new->n; i++)
		put_copy(&list, NULL, &new->items[i]);
	return source_tree_done(into, &list);
}

/* Copy the other keys of from, except those that hides has. */
static void
put_rest(struct building *b, const struct yaml_node *from, const struct yaml_node *hides)
{
	for (size_t i = 0; i < from->n; i++) {
		const char *key = key_of(b, &from->keys[i]);

		if (!span_is_any(from->keys[i].text, merged_keys) && !span_is_any(from->keys[i].text, replaced_keys) &&
		    (hides == NULL || yaml_get(hides, key) == NULL))
			put_copy(b, key, &from->items[i]);
	}
}

const struct yaml_node *
source_overlay(struct arena *a, const struct yaml_node *base, const struct yaml_node *overlay,
    struct err *err)
{
	struct building b = source_tree_build(a, base->n + overlay->n + 6, true);
	const struct yaml_node *out;

	if (check_overlay(base, overlay, err) != 0)
		return NULL;
	put_copy(&b, "name", yaml_get(base, "name"));
	put_copy(&b, "table", yaml_get(base, "table"));
	source_tree_put(&b, "descriptions",
	    merge_maps(&b, yaml_get(base, "descriptions"), yaml_get(overlay, "descriptions")));
	source_tree_put(&b, "columns", merge_columns(&b, base, overlay));
	source_tree_put(&b, "joins", merge_joins(&b, base, overlay));
	source_tree_put(&b, "measures", merge_named(&b, "measures", base, overlay));
	for (size_t k = 0; replaced_keys[k] != NULL; k++) {
		const struct yaml_node *mine = yaml_get(overlay, replaced_keys[k]),
				       *theirs = yaml_get(base, replaced_keys[k]);

		if (is_list(mine) && is_list(theirs) && strcmp(replaced_keys[k], "segments") == 0)
			source_tree_put(&b, "segments", merge_named(&b, "segments", base, overlay));
		else
			put_copy(&b, replaced_keys[k], mine != NULL ? mine : theirs);
	}
	put_rest(&b, overlay, NULL);
	put_rest(&b, base, overlay);
	if ((out = root(&b)) == NULL)
		err_set(err, ERR_INVALID_ARGUMENTS, FULL);
	return out;
}

/* type, descriptions and role of the base where the column has none. */
static struct yaml_node
inherit_column(struct building *into, const struct yaml_node *column, const struct yaml_node *from)
{
	static const char *const filled[] = { "type", "descriptions", "role" };
	struct building b = source_tree_build(into->arena, column->n + 3, true);

	for (size_t i = 0; i < column->n; i++)
		if (column->items[i].kind != YAML_NULL)
			put_copy(&b, key_of(&b, &column->keys[i]), &column->items[i]);
	for (size_t k = 0; k < sizeof(filled) / sizeof(filled[0]); k++) {
		const struct yaml_node *own = yaml_get(column, filled[k]);

		if (own == NULL || own->kind == YAML_NULL)
			put_copy(&b, filled[k], yaml_get(from, filled[k]));
	}
	return source_tree_done(into, &b);
}

const struct yaml_node *
source_inherit(struct arena *a, const struct yaml_node *source, const struct yaml_node *base)
{
	const struct yaml_node *theirs = yaml_get(base, "columns");
	struct building b = source_tree_build(a, source->n, true);

	for (size_t i = 0; i < source->n; i++) {
		const struct yaml_node *item = &source->items[i];
		struct building list;

		if (!span_is_str(source->keys[i].text, "columns") || !is_list(item)) {
			put_copy(&b, key_of(&b, &source->keys[i]), item);
			continue;
		}
		list = source_tree_build(a, item->n, false);
		for (size_t c = 0; c < item->n; c++) {
			const struct yaml_node *from =
			    source_tree_named(theirs, source_text(yaml_get(&item->items[c], "name")), false);

			if (from != NULL && item->items[c].kind == YAML_MAPPING)
				source_tree_put(&list, NULL, inherit_column(&list, &item->items[c], from));
			else
				put_copy(&list, NULL, &item->items[c]);
		}
		source_tree_put(&b, "columns", source_tree_done(&b, &list));
	}
	return root(&b);
}
