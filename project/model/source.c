/* source.c - a connection's files and the names they define, composed on demand; see source.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "project/model/source.h"
#include "project/model/source_compose.h"
#include "project/format/yaml_emit.h"
#include "project/model/source_model.h"

#define FILE_ARENA	((size_t)512 << 20)	/* what YAML_NODES_MAX nodes can need, and more */

static struct name *
name_find(const struct source_set *set, struct span s, uint64_t hash)
{
	uint32_t row;

	for (size_t at = table_start(hash); (row = table_next(&set->by_text, hash, &at)) != TABLE_NONE;)
		if (span_is_str(s, set->names[row]->text))
			return set->names[row];
	return NULL;
}

static struct name *
name_get(struct source_set *set, struct span s)
{
	uint64_t hash = hash_of(s);
	struct name *name = name_find(set, s, hash);

	if (name != NULL)
		return name;
	name = mem_new(1, sizeof(*name));
	name->text = mem_text(s);
	set->names = mem_grow(set->names, set->nnames, &set->names_cap, sizeof(*set->names));
	table_add(&set->by_text, hash, (uint32_t)set->nnames);
	return set->names[set->nnames++] = name;
}

static void
source_mark(struct source_set *set, struct name *name)
{
	if (name->dirty)
		return;
	name->dirty = true;
	set->dirty = mem_grow(set->dirty, set->ndirty, &set->dirty_cap, sizeof(*set->dirty));
	set->dirty[set->ndirty++] = name;
}

/* Scans come first, then what was imported, then files written by hand: the later file wins. */
static int
file_rank(const struct file *f)
{
	return f->shard ? 0 : source_is_import(f->path) ? 1 : 2;
}

static int
file_order(const struct file *a, const struct file *b)
{
	int order = file_rank(a) - file_rank(b);

	return order != 0 ? order : strcmp(a->path, b->path);
}

static void
name_add_use(struct source_set *set, struct name *name, struct file *file, struct source_definition *def)
{
	size_t at = name->nuses;

	name->uses = mem_grow(name->uses, name->nuses, &name->cap, sizeof(*name->uses));
	while (at > 0 && file_order(name->uses[at - 1].file, file) > 0) {
		name->uses[at] = name->uses[at - 1];
		at--;
	}
	name->uses[at] = (struct use){ file, def };
	name->nuses++;
	source_mark(set, name);
}

static void
name_drop_file(struct source_set *set, struct name *name, const struct file *file)
{
	size_t n = 0;

	for (size_t i = 0; i < name->nuses; i++)
		if (name->uses[i].file != file)
			name->uses[n++] = name->uses[i];
	name->nuses = n;
	source_mark(set, name);
}

bool
source_is_file(const char *path)
{
	size_t n = strlen(path);

	return (n > 5 && strcmp(path + n - 5, ".yaml") == 0) || (n > 4 && strcmp(path + n - 4, ".yml") == 0);
}

bool
source_is_shard(const char *path)
{
	return strncmp(path, "_schema/", 8) == 0;
}

bool
source_is_import(const char *path)
{
	return span_begins(span_str(path), SOURCE_IMPORTS "/");
}

/* The position of path in the files, or where to insert it. */
static size_t
file_index(const struct source_set *set, const char *path, bool *found)
{
	const struct file key = { .path = (char *)(uintptr_t)path, .shard = source_is_shard(path) };
	size_t low = 0, high = set->nfiles;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = file_order(set->files[mid], &key);

		if (order == 0) {
			*found = true;
			return mid;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*found = false;
	return low;
}

static struct file *
file_get(struct source_set *set, const char *path)
{
	struct file *f;
	bool found;
	size_t at = file_index(set, path, &found);

	if (found)
		return set->files[at];
	f = mem_new(1, sizeof(*f));
	f->path = mem_text(span_str(path));
	f->shard = source_is_shard(path);
	set->files = mem_grow(set->files, set->nfiles, &set->files_cap, sizeof(*set->files));
	memmove(set->files + at + 1, set->files + at, (set->nfiles - at) * sizeof(*set->files));
	set->files[at] = f;
	set->nfiles++;
	return f;
}

void
source_set_retire(struct source_set *set, struct arena *arena, const uint8_t *text)
{
	if (arena == NULL && text == NULL)
		return;
	set->retired = mem_grow(set->retired, set->nretired, &set->retired_cap, sizeof(*set->retired));
	set->retired[set->nretired++] = (struct retired){ arena, (uint8_t *)(uintptr_t)text };
}

/* Take the file's good version out of the model; its memory lives until the next compose. */
static void
file_withdraw(struct source_set *set, struct file *f)
{
	for (size_t i = 0; i < f->ndefs; i++)
		name_drop_file(set, f->defs[i].name, f);
	set->shards_changed = set->shards_changed || (f->shard && f->ndefs > 0);
	source_set_retire(set, f->arena, f->text.p);
	f->arena = NULL;
	f->text = (struct span){ 0 };
	f->ndefs = 0;
	f->defs = NULL;
}

static void
file_free(struct file *f)
{
	arena_free(f->arena);
	free((void *)(uintptr_t)f->text.p);
	free(f->path);
	free(f->trouble);
	free(f->partial);
	free(f);
}

void
source_set_say(char **where, const char *text)
{
	free(*where);
	*where = text == NULL ? NULL : mem_text(span_str(text));
}

/* A file being read; it replaces the old version only when it is good. */
struct source_reading {
	struct source_set	*set;
	struct arena		*arena;
	const char		*path;
	size_t			 ndefs;
	struct source_definition	*defs;
	char			*partial;
};

static struct span
source_stem(const char *path)
{
	const char *base = strrchr(path, '/'), *dot;

	base = base == NULL ? path : base + 1;
	dot = strrchr(base, '.');
	return span_of(base, dot == NULL ? strlen(base) : (size_t)(dot - base));
}

static int
too_large(struct err *err)
{
	return err_set(err, ERR_INVALID_ARGUMENTS, "the file holds more than can be read");
}

static int
read_manifest(struct source_reading *r, const struct yaml_node *root, struct err *err)
{
	const struct yaml_node *tables = yaml_get(root, "tables");

	if (tables == NULL || tables->kind != YAML_MAPPING)
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %u: a manifest needs a `tables` mapping", root->line);
	if ((r->defs = arena_array(r->arena, tables->n + 1, sizeof(*r->defs))) == NULL)
		return too_large(err);
	for (size_t i = 0; i < tables->n; i++) {
		const struct yaml_node *entry = &tables->items[i];
		struct source_definition *d = &r->defs[r->ndefs];
		struct span name = tables->keys[i].text;

		if (entry->kind != YAML_MAPPING || name.len == 0) {
			char text[200];

			snprintf(text, sizeof(text), "line %u: the entry \"%.*s\" is not a mapping", entry->line,
			    (int)utf8_cut(name.p, name.len, 80), (const char *)name.p);
			if (r->partial == NULL)
				r->partial = mem_text(span_str(text));
			continue;
		}
		d->node = entry;
		if ((d->plain = arena_alloc(r->arena, sizeof(*d->plain))) == NULL ||
		    (d->plain->path = arena_cstr(r->arena, span_str(r->path))) == NULL ||
		    source_extract_manifest(r->arena, name, entry, d->plain) != 0)
			return too_large(err);
		d->name = name_get(r->set, name);
		r->ndefs++;
	}
	return 0;
}

static int
read_source(struct source_reading *r, const struct yaml_node *root, struct err *err)
{
	struct span name = source_text(yaml_get(root, "name"));
	struct source_definition *d = arena_alloc(r->arena, sizeof(*d));
	struct source *s = arena_alloc(r->arena, sizeof(*s));

	if (name.len == 0)
		name = source_stem(r->path);
	if (memchr(name.p, '\0', name.len) != NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the name holds a NUL character");
	if (d == NULL || s == NULL || source_extract(r->arena, root, s) != 0 ||
	    (s->name = arena_cstr(r->arena, name)) == NULL ||
	    (s->path = arena_cstr(r->arena, span_str(r->path))) == NULL)
		return too_large(err);
	s->flavour = SOURCE_STANDALONE;
	*d = (struct source_definition){ .name = name_get(r->set, name), .node = root, .plain = s };
	d->overlay = s->table == NULL && s->sql == NULL;
	if (s->table != NULL && s->sql != NULL)
		r->partial = mem_text(SPAN("has both table and sql; exactly one is wanted"));
	r->defs = d;
	r->ndefs = 1;
	return 0;
}

static int
read_file(struct source_reading *r, struct span text, bool shard, struct err *err)
{
	const struct yaml_node *root = shard ? yaml_parse_lean(r->arena, text, err) : yaml_parse(r->arena, text, err);

	if (root == NULL)
		return -1;
	if (root->kind == YAML_NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the file is empty");
	if (root->kind != YAML_MAPPING)
		return err_set(err, ERR_INVALID_ARGUMENTS, "line %u: the file is not a mapping", root->line);
	return shard ? read_manifest(r, root, err) : read_source(r, root, err);
}

int
source_set_put(struct source_set *set, const char *path, struct span text, struct err *err)
{
	struct file *f = file_get(set, path);
	struct source_reading r = { .set = set, .arena = arena_new(FILE_ARENA), .path = path };
	struct err why;

	if (read_file(&r, text, f->shard, &why) != 0) {
		arena_free(r.arena);
		free(r.partial);
		source_set_fail(set, path, why.message);
		if (err != NULL)
			*err = why;
		return -1;
	}
	file_withdraw(set, f);
	f->arena = r.arena;
	f->defs = r.defs;
	f->ndefs = r.ndefs;
	f->text = span_of(mem_text(text), text.len);
	source_set_say(&f->trouble, NULL);
	free(f->partial);
	f->partial = r.partial;
	for (size_t i = 0; i < f->ndefs; i++)
		name_add_use(set, f->defs[i].name, f, &f->defs[i]);
	set->shards_changed = set->shards_changed || f->shard;
	return 0;
}

void
source_set_fail(struct source_set *set, const char *path, const char *reason)
{
	source_set_say(&file_get(set, path)->trouble, reason);
}

void
source_set_remove(struct source_set *set, const char *path)
{
	bool found;
	size_t at = file_index(set, path, &found);
	struct file *f;

	if (!found)
		return;
	f = set->files[at];
	file_withdraw(set, f);
	memmove(set->files + at, set->files + at + 1, (set->nfiles - at - 1) * sizeof(*set->files));
	set->nfiles--;
	file_free(f);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(struct name *const *)a)->text, (*(struct name *const *)b)->text);
}

static int
by_path(const void *a, const void *b)
{
	const struct source_trouble *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order != 0 ? order : strcmp(x->reason, y->reason);
}

static void
list_trouble(struct source_set *set, size_t *cap, const char *path, const char *reason)
{
	if (reason == NULL)
		return;
	set->troubles = mem_grow(set->troubles, set->ntroubles, cap, sizeof(*set->troubles));
	set->troubles[set->ntroubles++] = (struct source_trouble){ path, reason };
}

static void
list_troubles(struct source_set *set)
{
	size_t cap = 0;

	free(set->troubles);
	set->troubles = NULL;
	set->ntroubles = 0;
	for (size_t i = 0; i < set->nfiles; i++) {
		list_trouble(set, &cap, set->files[i]->path, set->files[i]->trouble);
		list_trouble(set, &cap, set->files[i]->path, set->files[i]->partial);
	}
	for (size_t i = 0; i < set->nnames; i++)
		list_trouble(set, &cap, set->names[i]->trouble_path, set->names[i]->trouble);
	if (set->ntroubles > 0)
		qsort(set->troubles, set->ntroubles, sizeof(*set->troubles), by_path);
}

static void
list_live(struct source_set *set)
{
	free(set->live);
	set->live = mem_new(set->nnames, sizeof(struct name *));
	set->nlive = 0;
	for (size_t i = 0; i < set->nnames; i++)
		if (set->names[i]->now != NULL)
			set->live[set->nlive++] = set->names[i];
	if (set->nlive > 0)
		qsort(set->live, set->nlive, sizeof(*set->live), by_name);
}

void
source_set_compose(struct source_set *set,
    void (*changed)(void *, const struct source *, const struct source *), void *arg)
{
	bool touched = set->ndirty > 0;

	if (set->shards_changed)
		for (size_t i = 0; i < set->nnames; i++)
			if (set->names[i]->inherits)
				source_mark(set, set->names[i]);
	set->shards_changed = false;
	if (set->ndirty > 0)
		qsort(set->dirty, set->ndirty, sizeof(*set->dirty), by_name);
	for (size_t i = 0; i < set->ndirty; i++)
		source_compose(set, set->dirty[i], changed, arg);
	set->ndirty = 0;
	for (size_t i = 0; i < set->nretired; i++) {
		arena_free(set->retired[i].arena);
		free(set->retired[i].text);
	}
	set->nretired = 0;
	if (touched || set->live == NULL)
		list_live(set);
	list_troubles(set);
}

const struct source *
source_set_get(const struct source_set *set, struct span name)
{
	const struct name *n = name_find(set, name, hash_of(name));

	return n == NULL ? NULL : n->now;
}

size_t
source_set_count(const struct source_set *set)
{
	return set->nlive;
}

const struct source *
source_set_at(const struct source_set *set, size_t i)
{
	return set->live[i]->now;
}

size_t
source_set_troubles(const struct source_set *set)
{
	return set->ntroubles;
}

static bool
is_withheld(const struct source *s, struct span column)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].withheld && (column.p == NULL || span_is_str(column, s->columns[i].name)))
			return true;
	return false;
}

/* The member of a list without the columns that are withheld, which may stand there by name.  -1: a is full. */
static int
without_withheld(struct arena *a, const struct source *s, struct yaml_node *list)
{
	struct yaml_node *kept;
	size_t n = 0;

	if (list->kind != YAML_SEQUENCE)
		return 0;
	if ((kept = arena_array(a, list->n + 1, sizeof(*kept))) == NULL)
		return -1;
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml_node *item = &list->items[i];

		if (!is_withheld(s, source_text(item->kind == YAML_MAPPING ? yaml_get(item, "name") : item)))
			kept[n++] = *item;
	}
	list->items = kept;
	list->n = n;
	return 0;
}

/* The composed mapping without the columns that are withheld; NULL: a is full. */
static const struct yaml_node *
source_shown(struct arena *a, const struct source *s)
{
	static const char *const lists[] = { "columns", "grain", NULL };
	const struct yaml_node *whole = source_authored(a, s);
	struct yaml_node *copy, *members;

	if (!is_withheld(s, SPAN_NONE))
		return whole;
	copy = arena_alloc(a, sizeof(*copy));
	members = arena_array(a, whole->n, sizeof(*members));
	if (copy == NULL || members == NULL)
		return NULL;
	memcpy(members, whole->items, whole->n * sizeof(*members));
	*copy = *whole;
	copy->items = members;
	for (size_t i = 0; i < whole->n; i++)
		if (span_is_any(whole->keys[i].text, lists) && without_withheld(a, s, &members[i]) != 0)
			return NULL;
	return copy;
}

void
source_set_yaml(const struct source_set *set, const struct source *s, struct buf *out)
{
	bool found;
	size_t at = file_index(set, s->path, &found);
	const struct yaml_node *node;
	struct arena *a;

	if (s->flavour == SOURCE_STANDALONE && found && set->files[at]->ndefs == 1 &&
	    set->files[at]->defs[0].plain == s && !is_withheld(s, SPAN_NONE)) {
		buf_span(out, set->files[at]->text);
		return;
	}
	a = arena_new(NAME_ARENA);
	if ((node = source_shown(a, s)) != NULL)
		yaml_emit(node, out);
	arena_free(a);
}

void
source_mp(const struct source *s, struct buf *out)
{
	struct arena *a = arena_new(NAME_ARENA);

	const struct yaml_node *node = source_shown(a, s);

	if (node != NULL)
		yaml_to_mp(node, out);
	else
		mp_put_map(out, 0);
	arena_free(a);
}

struct source_trouble
source_set_trouble(const struct source_set *set, size_t i)
{
	return set->troubles[i];
}

struct source_set *
source_set_new(void)
{
	return mem_new(1, sizeof(struct source_set));
}

void
source_set_hide(struct source_set *set, bool (*is_hidden)(void *arg, const char *table, const char *column),
    void *arg)
{
	set->is_hidden = is_hidden;
	set->hidden_arg = arg;
}

void
source_set_free(struct source_set *set)
{
	if (set == NULL)
		return;
	for (size_t i = 0; i < set->nfiles; i++)
		file_free(set->files[i]);
	for (size_t i = 0; i < set->nnames; i++) {
		arena_free(set->names[i]->arena);
		free(set->names[i]->text);
		free(set->names[i]->uses);
		free(set->names[i]->trouble);
		free(set->names[i]->trouble_path);
		free(set->names[i]);
	}
	for (size_t i = 0; i < set->nretired; i++) {
		arena_free(set->retired[i].arena);
		free(set->retired[i].text);
	}
	free(set->files);
	free(set->names);
	table_free(&set->by_text);
	free(set->dirty);
	free(set->retired);
	free(set->live);
	free(set->troubles);
	free(set);
}
