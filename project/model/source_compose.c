#include <string.h>
#include <strings.h>

#include "project/model/source.h"
#include "project/model/source_compose.h"
#include "project/model/source_model.h"

static void
note_trouble(struct name *name, const char *path, const char *reason)
{
	source_set_say(&name->trouble_path, path);
	source_set_say(&name->trouble, reason);
}

static bool
ends_with(const char *whole, const char *end)
{
	size_t w = strlen(whole), e = strlen(end);

	return w == e ? strcasecmp(whole, end) == 0 :
			w > e && whole[w - e - 1] == '.' && strcasecmp(whole + w - e, end) == 0;
}

/* The manifest entry that `inherits_columns_from: ref` means: its key, its table path, or a suffix of it. */
static const struct source_definition *
find_manifest(const struct source_set *set, const char *ref)
{
	const struct source_definition *suffix = NULL;

	for (size_t i = 0; i < set->nfiles && set->files[i]->shard; i++)
		for (size_t k = 0; k < set->files[i]->ndefs; k++) {
			const struct source_definition *d = &set->files[i]->defs[k];

			if (strcasecmp(d->name->text, ref) == 0 || strcasecmp(d->plain->table, ref) == 0)
				return d;
			if (suffix == NULL && ends_with(d->plain->table, ref))
				suffix = d;
		}
	return suffix;
}

/* A source of its own memory from a composed tree. */
static struct source *
make_source(struct arena *a, const struct yaml_node *node, const struct source *like, enum source_flavour flavour)
{
	struct source *s = arena_alloc(a, sizeof(*s));

	if (s == NULL || node == NULL || source_extract(a, node, s) != 0 ||
	    (s->name = arena_cstr(a, span_str(like->name))) == NULL ||
	    (s->path = arena_cstr(a, span_str(like->path))) == NULL)
		return NULL;
	s->flavour = flavour;
	return s;
}

static const struct source *
compose_inherit(struct source_set *set, struct name *name, const struct source_definition *def, struct arena **a)
{
	const struct yaml_node *ref = yaml_get(def->node, "inherits_columns_from");
	const struct source_definition *from;
	const struct yaml_node *base;
	const struct source *s;
	const char *text;

	name->inherits = true;
	*a = arena_new(NAME_ARENA);
	text = yaml_cstr(*a, ref);
	if (text == NULL || (from = find_manifest(set, text)) == NULL) {
		note_trouble(name, def->plain->path, "inherits_columns_from names no scanned table");
		return def->plain;
	}
	base = source_project(*a, span_str(from->name->text), from->node);
	s = base == NULL ? NULL : make_source(*a, source_inherit(*a, def->node, base), def->plain, SOURCE_STANDALONE);
	return s != NULL ? s : def->plain;
}

/* Put the overlays among uses on top of the manifest entry base. */
static const struct source *
compose_overlays(struct name *name, const struct source_definition *base, struct arena **a)
{
	const struct source *like = base->plain;
	const struct yaml_node *node = NULL;
	bool keyless = base->plain->keyless;
	struct source *s;

	for (size_t i = 0; i < name->nuses; i++) {
		const struct source_definition *d = name->uses[i].def;
		const struct yaml_node *next;
		struct err err;

		if (!d->overlay)
			continue;
		if (*a == NULL)
			*a = arena_new(NAME_ARENA);
		if (node == NULL && (node = source_project(*a, span_str(name->text), base->node)) == NULL)
			break;
		if ((next = source_overlay(*a, node, d->node, &err)) == NULL) {
			note_trouble(name, d->plain->path, err.message);
			return NULL;
		}
		node = next;
		like = d->plain;
		keyless = keyless && yaml_get(d->node, "grain") == NULL;
	}
	if (node == NULL)
		return base->plain;
	if ((s = make_source(*a, node, like, SOURCE_OVERLAID)) != NULL)
		s->keyless = keyless;
	return s;
}

/*
 * The definition in force: the last standalone file, else the last manifest entry.  *rival: the
 * standalone file before it; *replaced: the manifest entry before it.
 */
static const struct source_definition *
pick_base(struct name *name, const char **rival, const struct source **replaced)
{
	const struct source_definition *base = NULL;

	*rival = NULL;
	*replaced = NULL;
	for (size_t i = 0; i < name->nuses; i++) {
		const struct source_definition *d = name->uses[i].def;

		if (d->overlay)
			continue;
		if (base != NULL && base->plain->flavour == SOURCE_STANDALONE) {
			*rival = base->plain->path;
			note_trouble(name, *rival, "another file further down defines the same name");
		} else if (base != NULL && d->plain->flavour == SOURCE_STANDALONE)
			*replaced = base->plain;
		base = d;
	}
	for (size_t i = 0; i < name->nuses; i++)
		if (name->uses[i].def->overlay && (base == NULL || base->plain->flavour == SOURCE_STANDALONE))
			note_trouble(name, name->uses[i].file->path,
			    base == NULL ?
				"there is no scanned table of this name, and neither table nor sql is given" :
				"overlays a source that is not a scanned table");
	return base;
}

/* A copy of s that knows the other definitions of its name; its texts stay where they are. */
static const struct source *
with_others(const struct source *s, const char *rival, const struct source *replaced, struct arena **a)
{
	struct source *copy;

	if (*a == NULL)
		*a = arena_new(NAME_ARENA);
	if ((copy = arena_alloc(*a, sizeof(*copy))) == NULL)
		return s;
	*copy = *s;
	copy->rival = rival;
	copy->replaced = replaced;
	return copy;
}

/* A computed column is not judged here: the database does that when the column is queried. */
static void
hide_columns(const struct source_set *set, const struct source *s)
{
	if (set->is_hidden == NULL || s == NULL || s->table == NULL)
		return;
	for (size_t i = 0; i < s->ncolumns; i++) {
		const char *expr = s->columns[i].expr;

		if (set->is_hidden(set->hidden_arg, s->table, expr != NULL ? expr : s->columns[i].name)) {
			s->columns[i].visibility = SOURCE_HIDDEN;
			s->columns[i].withheld = true;
		}
	}
}

void
source_compose(struct source_set *set, struct name *name,
    void (*changed)(void *, const struct source *, const struct source *), void *arg)
{
	const struct source *before = name->now, *after = NULL;
	const struct source_definition *base;
	struct arena *a = NULL;
	const struct source *replaced;
	const char *rival;

	name->dirty = false;
	name->inherits = false;
	note_trouble(name, NULL, NULL);
	if ((base = pick_base(name, &rival, &replaced)) == NULL)
		;
	else if (base->plain->flavour == SOURCE_MANIFEST)
		after = compose_overlays(name, base, &a);
	else if (yaml_get(base->node, "inherits_columns_from") != NULL)
		after = compose_inherit(set, name, base, &a);
	else
		after = base->plain;
	if (after == NULL && base != NULL) {
		arena_free(a);
		a = NULL;
		/* The overlay does not fit: keep the previous source if it has memory of its own. */
		if (before != NULL && name->arena != NULL)
			return;
		after = base->plain;
	}
	if (after != NULL && (rival != NULL || replaced != NULL))
		after = with_others(after, rival, replaced, &a);
	hide_columns(set, after);
	source_set_retire(set, name->arena, NULL);
	name->arena = a;
	name->now = after;
	if ((before != NULL || after != NULL) && changed != NULL)
		changed(arg, before, after);
}
