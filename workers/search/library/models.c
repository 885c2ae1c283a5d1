#include <string.h>

#include "base/mem.h"
#include "base/array.h"
#include "workers/search/library/models.h"
#include "workers/search/index/builder.h"

const struct source *
models_of(const struct models *m, const struct segment *s, uint32_t doc, uint32_t *member)
{
	*member = s->item[doc];
	return m->sources[s->item[s->parent[doc]]];
}

static const char *
member_name(const struct models *m, const struct segment *s, uint32_t doc, const struct source **source)
{
	uint32_t i;

	*source = models_of(m, s, doc, &i);
	switch (s->kind[doc]) {
	case KIND_SL_MEASURE:
		return (*source)->measures[i].name;
	case KIND_SL_DIMENSION:
		return (*source)->columns[i].name;
	default:
		return (*source)->name;
	}
}

static void
shelf_name(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	const struct source *source;

	buf_str(out, member_name((const struct models *)shelf, s, doc, &source));
}

static void
shelf_id(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	const struct source *source;
	const char *name = member_name((const struct models *)shelf, s, doc, &source);

	if (s->kind[doc] != KIND_SL_SOURCE) {
		buf_str(out, source->name);
		buf_byte(out, '.');
	}
	buf_str(out, name);
}

static const struct shelf_ops ops = { .name = shelf_name, .id = shelf_id };

void
models_init(struct models *m, struct vocab *v, const char *connection)
{
	*m = (struct models){ .shelf = { .ops = &ops, .connection = connection } };
	tiers_init(&m->tiers, v);
	m->set = source_set_new();
}

void
models_fini(struct models *m)
{
	sem_model_free(m->compiled);
	tiers_fini(&m->tiers);
	source_set_free(m->set);
	names_fini(&m->names);
	names_fini(&m->paths);
	names_fini(&m->tables);
	free(m->made);
	free(m->sources);
	free(m->files);
	*m = (struct models){ 0 };
}

/* Keep what the file is now; stamp NULL: gone.  Gives its path. */
static const char *
models_note(struct models *m, uint32_t file, const struct files_stamp *stamp, char path[FILES_PATH_MAX + 1])
{
	struct span s = names_text(&m->paths, file);

	m->files[file] = (struct model_file){ .exists = stamp != NULL };
	if (stamp != NULL)
		m->files[file].stamp = *stamp;
	m->changed = true;
	memcpy(path, s.p, s.len);
	path[s.len] = '\0';
	return path;
}

uint32_t
models_file(struct models *m, const char *path)
{
	size_t had = m->paths.n;
	uint32_t file = names_add(&m->paths, span_str(path));

	m->files = array_grow(m->files, file, &m->files_cap, sizeof(*m->files));
	if (m->paths.n > had)
		m->files[file] = (struct model_file){ 0 };
	return file;
}

void
models_put(struct models *m, uint32_t file, struct span text, const struct files_stamp *stamp)
{
	char path[FILES_PATH_MAX + 1];

	(void)source_set_put(m->set, models_note(m, file, stamp, path), text, NULL);
}

void
models_fail(struct models *m, uint32_t file, const char *reason, const struct files_stamp *stamp)
{
	char path[FILES_PATH_MAX + 1];

	source_set_fail(m->set, models_note(m, file, stamp, path), reason);
}

void
models_remove(struct models *m, uint32_t file)
{
	char path[FILES_PATH_MAX + 1];

	source_set_remove(m->set, models_note(m, file, NULL, path));
}

/* What people call it is looked for like its name. */
static void
index_words(struct builder *b, const struct source_words *w)
{
	builder_text(b, FIELD_DISPLAY, w->label);
	for (size_t i = 0; i < w->nsynonyms; i++)
		builder_text(b, FIELD_DISPLAY, span_str(w->synonyms[i]));
}

static void
index_measures(struct builder *b, uint32_t parent, const struct source *s)
{
	for (uint32_t i = 0; i < s->nmeasures; i++) {
		const struct source_measure *m = &s->measures[i];

		builder_doc(b, KIND_SL_MEASURE, parent, i);
		builder_text(b, FIELD_NAME, span_str(m->name));
		builder_text(b, FIELD_DESCRIPTION, m->description);
		builder_text(b, FIELD_EXPR, span_str(m->expr));
		index_words(b, &m->words);
	}
}

static void
index_columns(struct builder *b, uint32_t parent, const struct source *s)
{
	for (uint32_t i = 0; i < s->ncolumns; i++) {
		const struct source_column *c = &s->columns[i];

		if (c->visibility == SOURCE_HIDDEN)
			continue;
		builder_doc(b, KIND_SL_DIMENSION, parent, i);
		builder_text(b, FIELD_NAME, span_str(c->name));
		builder_text(b, FIELD_DESCRIPTION, c->description);
		builder_text(b, FIELD_EXPR, span_str(c->expr));
		index_words(b, &c->words);
	}
}

static void
remember_made(struct models *m, const struct source *s, uint32_t unit)
{
	uint32_t table;

	if (s->flavour != SOURCE_MANIFEST || s->table == NULL)
		return;
	table = names_add(&m->tables, span_str(s->table));
	m->made = array_grow(m->made, table, &m->made_cap, sizeof(*m->made));
	m->made[table] = unit;
}

const struct source *
models_made_of(const struct models *m, struct span table)
{
	uint32_t i = names_find(&m->tables, table);
	const struct source *s = i == NAMES_NONE ? NULL : m->sources[m->made[i]];

	/* The source may have changed since the table was noted. */
	return s != NULL && s->flavour == SOURCE_MANIFEST && s->table != NULL && span_is_str(table, s->table) ? s :
														NULL;
}

/* What composing calls back with. */
struct composing {
	struct models	*m;
	void		(*told)(void *arg, const struct source *before, const struct source *after);
	void		*arg;
};

static void
changed(void *arg, const struct source *before, const struct source *after)
{
	const struct composing *c = arg;
	struct models *m = c->m;
	const struct source *either = after != NULL ? after : before;
	struct builder *b;
	uint32_t unit, doc;

	c->told(c->arg, before, after);
	unit = names_add(&m->names, span_str(either->name));
	m->sources = array_grow(m->sources, unit, &m->sources_cap, sizeof(*m->sources));
	if (before != NULL) {
		m->ndimensions -= before->ncolumns;
		m->nmeasures -= before->nmeasures;
	}
	m->sources[unit] = after;
	if (after == NULL) {
		tiers_remove(&m->tiers, unit);
		return;
	}
	m->ndimensions += after->ncolumns;
	m->nmeasures += after->nmeasures;
	remember_made(m, after, unit);
	b = tiers_put(&m->tiers, unit);
	doc = builder_doc(b, KIND_SL_SOURCE, VOCAB_NONE, unit);
	builder_text(b, FIELD_NAME, span_str(after->name));
	builder_text(b, FIELD_DESCRIPTION, after->description);
	builder_text(b, FIELD_DISPLAY, span_str(after->table != NULL ? after->table : after->sql));
	index_words(b, &after->words);
	index_measures(b, doc, after);
	index_columns(b, doc, after);
	builder_family(b, doc);
}

void
models_commit(struct models *m,
    void (*told)(void *arg, const struct source *before, const struct source *after), void *arg)
{
	struct composing c = { m, told, arg };

	if (!m->changed)
		return;
	sem_model_free(m->compiled); /* it points into the sources */
	m->compiled = NULL;
	source_set_compose(m->set, changed, &c);
	tiers_commit(&m->tiers);
	m->changed = false;
	m->ncommits++;
}

const struct sem_model *
models_compiled(struct models *m)
{
	size_t n = source_set_count(m->set);
	const struct source **list;

	if (m->compiled != NULL)
		return m->compiled;
	list = mem_new(n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = source_set_at(m->set, i);
	m->compiled = sem_model_new(list, n);
	free(list);
	return m->compiled;
}
