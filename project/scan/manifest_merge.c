#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "project/scan/manifest_merge.h"
#include "project/scan/manifest_model.h"
#include "project/format/yaml.h"
#include "project/format/yaml_emit.h"

#define ARENA_MAX	((size_t)256 << 20)	/* the old tree of YAML_NODES_MAX nodes */
#define TABLE_INDENT	2

struct merge {
	const struct manifest	*m;
	struct arena		*arena;		/* of one table's entry */
	size_t			 nodes;		/* made so far, keys included */
	bool			 full;
};

/* A collection being filled; keys is NULL for a sequence. */
struct yaml_list {
	struct yaml_node	*keys, *items;
	size_t			 n, cap;
};

static struct yaml_list
list_new(struct merge *g, size_t cap, bool mapping)
{
	struct yaml_list l = { .cap = cap };

	if (cap == 0)
		return l;
	l.items = arena_array(g->arena, cap, sizeof(*l.items));
	if (mapping)
		l.keys = arena_array(g->arena, cap, sizeof(*l.keys));
	if (l.items == NULL || (mapping && l.keys == NULL)) {
		g->full = true;
		l.cap = 0;
	}
	return l;
}

static struct yaml_node
text_node(struct span s)
{
	return (struct yaml_node){ .kind = YAML_SCALAR, .quoted = true, .text = s };
}

static struct yaml_node
word_node(const char *word)
{
	return (struct yaml_node){ .kind = YAML_SCALAR, .text = span_str(word) };
}

static void
list_add(struct merge *g, struct yaml_list *l, struct yaml_node item)
{
	if (l->n == l->cap)
		return; /* only when the arena was full, and then nothing is written */
	l->items[l->n++] = item;
	g->nodes++;
}

static void
list_put(struct merge *g, struct yaml_list *l, struct span key, struct yaml_node item)
{
	if (l->n == l->cap)
		return;
	l->keys[l->n] = text_node(key);
	list_add(g, l, item);
	g->nodes++;
}

static struct yaml_node
mapping(const struct yaml_list *l)
{
	return (struct yaml_node){ .kind = YAML_MAPPING, .n = l->n, .items = l->items, .keys = l->keys };
}

static struct yaml_node
sequence(const struct yaml_list *l)
{
	return (struct yaml_node){ .kind = YAML_SEQUENCE, .n = l->n, .items = l->items };
}

/* The number of nodes, including those taken from the old tree. */
static size_t
weight(const struct yaml_node *n)
{
	size_t w = 1;

	for (size_t i = 0; (n->kind == YAML_MAPPING || n->kind == YAML_SEQUENCE) && i < n->n; i++)
		w += weight(&n->items[i]) + (n->kind == YAML_MAPPING);
	return w;
}

static bool
is_owned(struct span key, const char *const *owned, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_is_str(key, owned[i]))
			return true;
	return false;
}

/* Copy the members of old whose key is not among the n owned ones. */
static void
put_rest(struct merge *g, struct yaml_list *l, const struct yaml_node *old, const char *const *owned, size_t n)
{
	for (size_t i = 0; old != NULL && old->kind == YAML_MAPPING && i < old->n; i++) {
		if (is_owned(old->keys[i].text, owned, n))
			continue;
		list_put(g, l, old->keys[i].text, old->items[i]);
		g->nodes += weight(&old->items[i]) - 1;
	}
}

/* The number of members that put_rest() will copy. */
static size_t
rest(const struct yaml_node *old, const char *const *owned, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; old != NULL && old->kind == YAML_MAPPING && i < old->n; i++)
		k += !is_owned(old->keys[i].text, owned, n);
	return k;
}

static size_t
manifest_merge_members(const struct yaml_node *node)
{
	return node != NULL && (node->kind == YAML_MAPPING || node->kind == YAML_SEQUENCE) ? node->n : 0;
}

static struct span
manifest_merge_scalar(const struct yaml_node *node)
{
	return node != NULL && node->kind == YAML_SCALAR ? node->text : SPAN_NONE;
}

/*
 * The database's comment replaces the description of origin `db`, or removes it; other origins stay.  A plain text was
 * written by a person.
 */
static void
put_descriptions(struct merge *g, struct yaml_list *l, struct span comment, const struct yaml_node *old)
{
	static const char *const owned[] = { "db" };
	bool bare = old != NULL && old->kind == YAML_SCALAR && old->text.len > 0;
	struct yaml_list d = list_new(g, rest(old, owned, 1) + (comment.len > 0) + bare, true);

	if (comment.len > 0)
		list_put(g, &d, SPAN("db"), text_node(comment));
	if (bare)
		list_put(g, &d, SPAN("user"), text_node(old->text));
	put_rest(g, &d, old, owned, 1);
	if (d.n > 0)
		list_put(g, l, SPAN("descriptions"), mapping(&d));
}

/* The old element of this name; usually at the same place. */
static const struct yaml_node *
old_column(const struct yaml_node *list, size_t at, struct span name)
{
	if (list == NULL || list->kind != YAML_SEQUENCE)
		return NULL;
	if (at < list->n && span_is(manifest_merge_scalar(yaml_get(&list->items[at], "name")), name))
		return &list->items[at];
	for (size_t i = 0; i < list->n; i++)
		if (span_is(manifest_merge_scalar(yaml_get(&list->items[i], "name")), name))
			return &list->items[i];
	return NULL;
}

/* Whether the column is as the shard says. */
static bool
is_same_column(const struct manifest_column *c, const struct yaml_node *old)
{
	bool pk = false, nullable = true;

	(void)yaml_bool(yaml_get(old, "pk"), &pk);
	(void)yaml_bool(yaml_get(old, "nullable"), &nullable);
	return span_is(manifest_merge_scalar(yaml_get(old, "name")), c->name) &&
	    span_is(manifest_merge_scalar(yaml_get(old, "type")), c->type) && pk == c->primary_key &&
	    nullable == c->nullable;
}

/* Whether what a deep scan measured still holds for all that this one knows: it looked at the columns alone. */
static bool
keeps_measures(const struct merge *g, const struct manifest_table *t, const struct yaml_node *old)
{
	bool same = !g->m->measured && old != NULL && old->kind == YAML_SEQUENCE && old->n == t->ncolumns;

	for (size_t i = 0; same && i < t->ncolumns; i++)
		same = is_same_column(&t->columns[i], &old->items[i]);
	return same;
}

/* p == NULL: the column was not found unique. */
static struct span
measured_rows(struct merge *g, const struct manifest_column *c, const struct yaml_node *old, bool keeps)
{
	const char *rows;

	if (keeps)
		return manifest_merge_scalar(yaml_get(old, "measured_unique"));
	if (c->unique_rows == 0)
		return SPAN_NONE;
	rows = arena_printf(g->arena, "%llu", (unsigned long long)c->unique_rows);
	g->full = g->full || rows == NULL;
	return span_str(rows);
}

static struct yaml_node
column_node(struct merge *g, const struct manifest_column *c, const struct yaml_node *old, bool keeps)
{
	static const char *const owned[] = { "name", "type", "pk", "nullable", "measured_unique", "descriptions" };
	const struct yaml_node *described = old != NULL ? yaml_get(old, "descriptions") : NULL;
	struct span measured = measured_rows(g, c, old, keeps);
	/* Reserve the exact number: a large database has millions of columns. */
	struct yaml_list l = list_new(g,
	    (size_t)2 + c->primary_key + !c->nullable + (measured.len > 0) + (c->comment.len > 0 || described != NULL) +
		rest(old, owned, sizeof(owned) / sizeof(owned[0])),
	    true);

	list_put(g, &l, SPAN("name"), text_node(c->name));
	list_put(g, &l, SPAN("type"), text_node(c->type));
	if (c->primary_key)
		list_put(g, &l, SPAN("pk"), word_node("true"));
	if (!c->nullable)
		list_put(g, &l, SPAN("nullable"), word_node("false"));
	if (measured.len > 0)
		list_put(g, &l, SPAN("measured_unique"), (struct yaml_node){ .kind = YAML_SCALAR, .text = measured });
	put_descriptions(g, &l, c->comment, described);
	put_rest(g, &l, old, owned, sizeof(owned) / sizeof(owned[0]));
	return mapping(&l);
}

static struct yaml_node
columns_node(struct merge *g, const struct manifest_table *t, const struct yaml_node *old)
{
	struct yaml_list l = list_new(g, t->ncolumns, false);
	bool keeps = keeps_measures(g, t, old);

	for (size_t i = 0; i < t->ncolumns; i++)
		list_add(g, &l, column_node(g, &t->columns[i], old_column(old, i, t->columns[i].name), keeps));
	return sequence(&l);
}

/* The position of " AND " in s, or s.len. */
static size_t
find_and(struct span s)
{
	for (size_t i = 0; i + 5 <= s.len; i++)
		if (strncasecmp((const char *)s.p + i, " and ", 5) == 0)
			return i;
	return s.len;
}

/* Read the next name of a reference, unquoted; false: not a name. */
static bool
next_name(struct span *rest, struct buf *name)
{
	size_t i = 0;

	buf_reset(name, SIZE_MAX);
	if (rest->len > 0 && rest->p[0] == '"') {
		for (i = 1; i < rest->len && (rest->p[i] != '"' || (i + 1 < rest->len && rest->p[i + 1] == '"')); i++) {
			buf_byte(name, rest->p[i]);
			i += rest->p[i] == '"';
		}
		if (i++ >= rest->len)
			return false;
	} else
		for (; i < rest->len && rest->p[i] != '.'; i++) {
			if (strchr("()'\"`[]<>!+*/,", rest->p[i]) != NULL || rest->p[i] <= ' ')
				return false;
			buf_byte(name, rest->p[i]);
		}
	*rest = span_of(rest->p + i, rest->len - i);
	return name->len > 0;
}

/*
 * Whether one side of a condition may still be valid; `own` is the table of an unqualified name.  Anything but
 * [table.]column is assumed to be valid.
 */
static bool
side_exists(struct span side, const struct manifest_table *own, const struct manifest_table *t,
    const struct manifest_table *to)
{
	struct buf table = { 0 }, column = { 0 };
	bool exists = true;

	side = span_trim(side);
	if (!next_name(&side, &table))
		goto out;
	if (side.len == 0) {
		exists = manifest_has_column(own, buf_view(&table));
		goto out;
	}
	if (side.p[0] != '.')
		goto out;
	side = span_of(side.p + 1, side.len - 1);
	if (!next_name(&side, &column) || side.len > 0)
		goto out;
	if (span_is(buf_view(&table), t->name))
		exists = manifest_has_column(t, buf_view(&column));
	else if (span_is(buf_view(&table), to->name))
		exists = manifest_has_column(to, buf_view(&column));
out:
	buf_fini(&table);
	buf_fini(&column);
	return exists;
}

static bool
join_exists(struct merge *g, const struct manifest_table *t, const struct yaml_node *join)
{
	struct span any = { NULL, 0 }, on = manifest_merge_scalar(yaml_get(join, "on"));
	const struct manifest_table *to = manifest_find(g->m, manifest_merge_scalar(yaml_get(join, "to")), any, any);

	if (to == NULL)
		return false;
	while (on.len > 0) {
		size_t n = find_and(on), skip = n < on.len ? n + 5 : n;
		const uint8_t *eq = memchr(on.p, '=', n);

		if (eq != NULL) {
			size_t left = (size_t)(eq - on.p);

			if (!side_exists(span_of(on.p, left), t, t, to) ||
			    !side_exists(span_of(eq + 1, n - left - 1), to, t, to))
				return false;
		}
		on = span_of(on.p + skip, on.len - skip);
	}
	return true;
}

/* Equal but for white space. */
static bool
is_same_condition(struct span a, struct span b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && a.p[i] <= ' ')
			i++;
		while (k < b.len && b.p[k] <= ' ')
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (a.p[i++] != b.p[k++])
			return false;
	}
}

static bool
lists_join(const struct yaml_list *l, struct span to, struct span on)
{
	for (size_t i = 0; i < l->n; i++)
		if (span_is(manifest_merge_scalar(yaml_get(&l->items[i], "to")), to) &&
		    is_same_condition(manifest_merge_scalar(yaml_get(&l->items[i], "on")), on))
			return true;
	return false;
}

static bool
is_key_column(const struct manifest_table *t, struct span name)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (span_is(t->columns[i].name, name))
			return t->columns[i].primary_key;
	return false;
}

/* The column after the last dot of one side, into name; false: it is something else. */
static bool
side_column(struct span side, struct buf *name)
{
	side = span_trim(side);
	while (next_name(&side, name)) {
		if (side.len == 0)
			return true;
		if (side.p[0] != '.')
			return false;
		side = span_of(side.p + 1, side.len - 1);
	}
	return false;
}

/*
 * The column that refers to another row of the same table: of the first two different columns the one that is not
 * a key.
 */
static bool
pointing_column(const struct manifest_table *t, struct span on, struct buf *out)
{
	struct buf right = { 0 };
	bool found = false;

	while (on.len > 0 && !found) {
		size_t n = find_and(on), skip = n < on.len ? n + 5 : n;
		const uint8_t *eq = memchr(on.p, '=', n);

		if (eq != NULL && side_column(span_of(on.p, (size_t)(eq - on.p)), out) &&
		    side_column(span_of(eq + 1, n - (size_t)(eq - on.p) - 1), &right))
			found = !span_is(buf_view(out), buf_view(&right));
		on = span_of(on.p + skip, on.len - skip);
	}
	if (found && is_key_column(t, buf_view(out)) && !is_key_column(t, buf_view(&right))) {
		buf_reset(out, SIZE_MAX);
		buf_span(out, buf_view(&right));
	}
	buf_fini(&right);
	return found;
}

static bool
lists_alias(const struct yaml_list *l, struct span alias)
{
	for (size_t i = 0; i < l->n; i++)
		if (span_is(manifest_merge_scalar(yaml_get(&l->items[i], "alias")), alias))
			return true;
	return false;
}

/* "manager_id" -> "manager". */
static struct span
manifest_merge_stem(struct span column)
{
	static const char *const ends[] = { "_id", "_key", "_code", "_uuid", "_fk", "Id", "ID" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (column.len > n && memcmp(column.p + column.len - n, ends[i], n) == 0)
			return span_of(column.p, column.len - n);
	}
	return column;
}

/* employees.manager_id = employees.id -> employees_manager: no other table or join goes by it.  p == NULL: none. */
static struct span
self_alias(struct merge *g, const struct yaml_list *l, const struct manifest_table *t, struct span on)
{
	struct span any = { NULL, 0 }, alias = { NULL, 0 };
	struct buf column = { 0 }, name = { 0 };

	if (!pointing_column(t, on, &column))
		goto out;
	buf_printf(&name, "%.*s_%.*s", SPAN_FMT(t->name), SPAN_FMT(manifest_merge_stem(buf_view(&column))));
	for (size_t i = 0; i < name.len; i++)
		if (!ascii_is_alnum(name.p[i]) && name.p[i] < 0x80)
			name.p[i] = '_';
	while (manifest_find(g->m, buf_view(&name), any, any) != NULL || lists_alias(l, buf_view(&name)))
		buf_byte(&name, '_');
	if ((alias = arena_span(g->arena, buf_view(&name))).p == NULL)
		g->full = true;
out:
	buf_fini(&column);
	buf_fini(&name);
	return alias;
}

/* The form in which an old join is kept: a join of a table to itself gets an alias if it has none. */
static struct yaml_node
kept_join(struct merge *g, const struct yaml_list *l, const struct manifest_table *t, const struct yaml_node *join)
{
	struct span on = manifest_merge_scalar(yaml_get(join, "on")), alias = { NULL, 0 };
	struct yaml_list with;

	if (span_is(manifest_merge_scalar(yaml_get(join, "to")), t->name) &&
	    manifest_merge_scalar(yaml_get(join, "alias")).len == 0 &&
	    !span_is_str(manifest_merge_scalar(yaml_get(join, "relationship")), "one_to_many"))
		alias = self_alias(g, l, t, on);
	if (alias.p == NULL)
		return *join;
	with = list_new(g, join->n + 1, true);
	for (size_t i = 0; i < join->n; i++)
		if (!span_is_str(join->keys[i].text, "alias"))
			list_put(g, &with, join->keys[i].text, join->items[i]);
	list_put(g, &with, SPAN("alias"), text_node(alias));
	return mapping(&with);
}

/* Old joins of one provenance whose tables and columns still exist; a join without a source was made by hand. */
static void
keep_joins(struct merge *g, struct yaml_list *l, const struct manifest_table *t, const struct yaml_node *old,
    bool inferred)
{
	for (size_t i = 0; old != NULL && old->kind == YAML_SEQUENCE && i < old->n; i++) {
		const struct yaml_node *join = &old->items[i];
		struct span source = manifest_merge_scalar(yaml_get(join, "source"));

		if (span_is_str(source, "formal") || span_is_str(source, "inferred") != inferred ||
		    !join_exists(g, t, join) ||
		    lists_join(l, manifest_merge_scalar(yaml_get(join, "to")),
			manifest_merge_scalar(yaml_get(join, "on"))))
			continue;
		list_add(g, l, kept_join(g, l, t, join));
		g->nodes += weight(join) - 1;
	}
}

static struct yaml_node
join_node(struct merge *g, const struct yaml_list *others, const struct manifest_edge *e)
{
	struct yaml_list l = list_new(g, 5, true);
	struct span alias = { NULL, 0 };

	if (span_is(e->to, e->owner->name))
		alias = self_alias(g, others, e->owner, e->on);

	list_put(g, &l, SPAN("to"), text_node(e->to));
	list_put(g, &l, SPAN("on"), text_node(e->on));
	list_put(g, &l, SPAN("relationship"), text_node(span_str(e->forward ? "many_to_one" : "one_to_many")));
	if (alias.p != NULL)
		list_put(g, &l, SPAN("alias"), text_node(alias));
	list_put(g, &l, SPAN("source"), text_node(span_str(e->inferred ? "inferred" : "formal")));
	return mapping(&l);
}

static bool
lists_target(const struct yaml_list *l, struct span to)
{
	for (size_t i = 0; i < l->n; i++)
		if (span_is(manifest_merge_scalar(yaml_get(&l->items[i], "to")), to))
			return true;
	return false;
}

/* Add an inferred join only where no join exists: two joins between the same tables are ambiguous. */
static void
add_joins(struct merge *g, struct yaml_list *l, const struct manifest_edge *edges, size_t n, bool inferred)
{
	for (size_t i = 0; i < n; i++)
		if (edges[i].inferred == inferred &&
		    !(inferred ? lists_target(l, edges[i].to) : lists_join(l, edges[i].to, edges[i].on)))
			list_add(g, l, join_node(g, l, &edges[i]));
}

static void
put_joins(struct merge *g, struct yaml_list *entry, const struct manifest_table *t, const struct yaml_node *old)
{
	const struct manifest_edge *edges;
	struct yaml_list l;
	size_t n;

	edges = manifest_edges(g->m, t, &n);
	l = list_new(g, n + manifest_merge_members(old), false);
	keep_joins(g, &l, t, old, false);
	add_joins(g, &l, edges, n, false);
	keep_joins(g, &l, t, old, true);
	add_joins(g, &l, edges, n, true);
	if (l.n > 0)
		list_put(g, entry, SPAN("joins"), sequence(&l));
}

void
manifest_name(struct span catalog, struct span db, struct span name, struct buf *out)
{
	const struct span parts[] = { catalog, db, name };
	size_t from = out->len;

	for (size_t i = 0; i < 3; i++) {
		if (parts[i].len == 0)
			continue;
		if (out->len > from)
			buf_byte(out, '.');
		if (memchr(parts[i].p, '.', parts[i].len) == NULL && parts[i].p[0] != '"')
			buf_span(out, parts[i]);
		else
			buf_quoted(out, parts[i], '"');
	}
}

static struct span
display(struct merge *g, const struct manifest_table *t)
{
	struct buf b = { 0 };
	struct span s;

	manifest_name(t->catalog, t->db, t->name, &b);
	if ((s = arena_span(g->arena, buf_view(&b))).p == NULL)
		g->full = true;
	buf_fini(&b);
	return s;
}

static struct yaml_node
entry_node(struct merge *g, const struct manifest_table *t, const struct yaml_node *old)
{
	static const char *const owned[] = { "table", "columns", "descriptions", "usage", "joins" };
	const struct yaml_node *usage = old != NULL ? yaml_get(old, "usage") : NULL;
	struct yaml_list l = list_new(g, manifest_merge_members(old) + 5, true);

	list_put(g, &l, SPAN("table"), text_node(display(g, t)));
	list_put(g, &l, SPAN("columns"), columns_node(g, t, old != NULL ? yaml_get(old, "columns") : NULL));
	put_descriptions(g, &l, t->comment, old != NULL ? yaml_get(old, "descriptions") : NULL);
	if (usage != NULL) {
		list_put(g, &l, SPAN("usage"), *usage);
		g->nodes += weight(usage);
	}
	put_joins(g, &l, t, old != NULL ? yaml_get(old, "joins") : NULL);
	put_rest(g, &l, old, owned, sizeof(owned) / sizeof(owned[0]));
	return mapping(&l);
}

/* Both lists are usually sorted, so the search begins after the last hit. */
static const struct yaml_node *
old_entry(const struct yaml_node *tables, struct span name, size_t *at)
{
	if (tables == NULL || tables->kind != YAML_MAPPING)
		return NULL;
	for (size_t i = 0; i < tables->n; i++) {
		size_t k = (*at + i) % tables->n;

		if (span_is(tables->keys[k].text, name)) {
			*at = k + 1;
			return &tables->items[k];
		}
	}
	return NULL;
}

/* Append the entries, each made and forgotten: there may be tens of thousands.  False: there are none. */
static bool
put_tables(struct merge *g, struct span driver, const char *shard, const struct yaml_node *old, struct buf *out)
{
	struct span last = { NULL, 0 };
	struct buf key = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < g->m->n && !g->full && g->nodes <= YAML_NODES_MAX && out->len <= YAML_BYTES_MAX; i++) {
		const struct manifest_table *t = &g->m->tables[i];
		struct yaml_node entry;

		buf_reset(&key, 1024);
		manifest_shard(driver, t, &key);
		/* A table without a schema and one in `public`: the first keeps the name. */
		if (!span_is_str(buf_view(&key), shard) || (last.p != NULL && span_is(last, t->name)))
			continue;
		if (last.p == NULL)
			buf_str(out, "tables:\n");
		last = t->name;
		arena_reset(g->arena);
		entry = entry_node(g, t, old_entry(old, t->name, &at));
		g->nodes += 2;
		yaml_emit_member(t->name, &entry, TABLE_INDENT, out);
	}
	buf_fini(&key);
	return last.p != NULL;
}

static int
too_large(const char *shard, struct err *err)
{
	return err_set(err, ERR_RESULT_TOO_LARGE,
	    "the manifest %s.yaml would be too large to be read again (%u MiB or "
	    "%d values); fewer tables in enabled_tables keep it below",
	    shard, YAML_BYTES_MAX >> 20, YAML_NODES_MAX);
}

/* The new text, appended to out. */
static int
put_merged(struct merge *g, struct span driver, const char *shard, const struct yaml_node *old, struct buf *out,
    struct err *err)
{
	const struct yaml_node *tables = old != NULL ? yaml_get(old, "tables") : NULL;
	size_t start = out->len;

	if ((old != NULL && old->kind != YAML_MAPPING && old->kind != YAML_NULL) ||
	    (tables != NULL && tables->kind != YAML_MAPPING && tables->kind != YAML_NULL))
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file is no manifest: it has no mapping `tables`");
	if (!put_tables(g, driver, shard, tables, out))
		buf_str(out, "tables: {}\n");
	for (size_t i = 0; i < manifest_merge_members(old); i++)
		if (!span_is_str(old->keys[i].text, "tables")) {
			yaml_emit_member(old->keys[i].text, &old->items[i], 0, out);
			g->nodes += weight(&old->items[i]) + 1;
		}
	if (g->full || g->nodes > YAML_NODES_MAX || out->full || out->len - start > YAML_BYTES_MAX)
		return too_large(shard, err);
	return 0;
}

int
manifest_merge(const struct manifest *m, struct span driver, const char *shard, struct span old, struct buf *out,
    bool *changed, struct err *err)
{
	struct merge g = { .m = m, .arena = arena_new(ARENA_MAX) };
	struct arena *a = arena_new(ARENA_MAX);
	const struct yaml_node *tree = NULL;
	struct buf before = { 0 };
	size_t start = out->len;
	int r = -1;

	if (old.len == 0 || (tree = yaml_parse_lean(a, old, err)) != NULL)
		r = put_merged(&g, driver, shard, tree, out, err);
	if (r == 0) {
		if (tree != NULL)
			yaml_emit(tree, &before);
		*changed = !span_is(buf_view(&before), span_of(out->p + start, out->len - start));
	} else
		out->len = start;
	buf_fini(&before);
	arena_free(a);
	arena_free(g.arena);
	return r;
}
