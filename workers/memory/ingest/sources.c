#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "project/format/files.h"
#include "project/format/yaml.h"
#include "workers/memory/ingest/sources.h"
#include "project/model/source_walk.h"

#define SETTLED_MS	2000	/* the time stamp of an older file is reliable */
#define LIST_ARENA	((size_t)64 << 20)

struct source_text {
	char			*path;
	char			*name;	/* of its source; NULL: a shard, or unreadable */
	struct files_stamp	 stamp;
	bool			 known;	/* the stamp is reliable */
	bool			 seen;	/* working space */
};

/* The files of one connection. */
struct source_files {
	char			*connection;
	struct source_set	*set;
	size_t			 n, cap;
	struct source_text	*v;
	size_t			 next;		/* index of the next file if nothing was added or removed */
	int			 dir;		/* while they are read */
};

struct sources {
	size_t			 n, cap;
	struct source_files	*v;
};

struct sources *
sources_new(void)
{
	return mem_new(1, sizeof(struct sources));
}

void
sources_free(struct sources *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct source_files *f = &s->v[i];

		for (size_t k = 0; k < f->n; k++) {
			free(f->v[k].path);
			free(f->v[k].name);
		}
		free(f->v);
		free(f->connection);
		source_set_free(f->set);
	}
	free(s->v);
	free(s);
}

static struct source_files *
files_of(const struct sources *s, struct span connection)
{
	for (size_t i = 0; i < s->n; i++)
		if (span_is_str(connection, s->v[i].connection))
			return &s->v[i];
	return NULL;
}

static struct source_text *
text_of(const struct source_files *f, const char *path)
{
	if (f->next < f->n && strcmp(f->v[f->next].path, path) == 0)
		return &f->v[f->next];
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].path, path) == 0)
			return &f->v[i];
	return NULL;
}

/* The name of the file's source: `name:`, else the file's stem. */
static char *
name_in(struct arena *a, const char *path, struct span text)
{
	const struct yaml_node *root = source_is_shard(path) ? NULL : yaml_parse(a, text, NULL);
	const char *stem = strrchr(path, '/'), *dot;

	if (root == NULL)
		return NULL;
	root = yaml_get(root, "name");
	if (root != NULL && root->kind == YAML_SCALAR)
		return mem_text(root->text);
	stem = stem != NULL ? stem + 1 : path;
	dot = strrchr(stem, '.');
	return mem_text(span_of(stem, dot != NULL ? (size_t)(dot - stem) : strlen(stem)));
}

static void
read_text(struct source_files *f, struct source_text *t)
{
	struct arena *a = arena_new(LIST_ARENA);
	struct buf text = { 0 };
	uint64_t now_ms = clock_unix_ms();
	enum files_fault fault = files_read(f->dir, t->path, YAML_BYTES_MAX, &text, &t->stamp);

	free(t->name);
	t->name = NULL;
	if (fault == FILES_OK) {
		(void)source_set_put(f->set, t->path, buf_view(&text), NULL);
		t->name = name_in(a, t->path, buf_view(&text));
	} else
		source_set_fail(f->set, t->path, files_fault_text(fault));
	t->known = fault == FILES_OK && t->stamp.mtime_ns / 1000000 + SETTLED_MS < (int64_t)now_ms;
	buf_fini(&text);
	arena_free(a);
}

static bool
read_file(void *arg, const char *path, bool is_link)
{
	struct source_files *f = arg;
	struct source_text *t = is_link ? NULL : text_of(f, path);
	struct files_stamp stamp;

	if (is_link)
		return true;
	if (t == NULL) {
		f->v = mem_grow(f->v, f->n, &f->cap, sizeof(*f->v));
		t = &f->v[f->n++];
		*t = (struct source_text){ .path = mem_text(span_str(path)) };
	}
	t->seen = true;
	f->next = (size_t)(t - f->v) + 1;
	if (!t->known || files_stat(f->dir, path, &stamp, NULL) != FILES_OK || !files_stamp_is(&stamp, &t->stamp))
		read_text(f, t);
	return true;
}

static void
drop_unseen(struct source_files *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].seen) {
			f->v[n++] = f->v[i];
			continue;
		}
		source_set_remove(f->set, f->v[i].path);
		free(f->v[i].path);
		free(f->v[i].name);
	}
	f->n = n;
}

static void
ignore_change(void *arg, const struct source *before, const struct source *after)
{
	(void)arg;
	(void)before;
	(void)after;
}

struct source_set *
sources_read(struct sources *s, struct span connection, int dir)
{
	struct source_files *f = files_of(s, connection);

	if (f == NULL) {
		s->v = mem_grow(s->v, s->n, &s->cap, sizeof(*s->v));
		f = &s->v[s->n++];
		*f = (struct source_files){ .connection = mem_text(connection), .set = source_set_new() };
	}
	for (size_t i = 0; i < f->n; i++)
		f->v[i].seen = false;
	f->next = 0;
	f->dir = dir;
	if (dir != -1)
		source_walk(dir, &(struct source_visitor){ .arg = f, .file = read_file });
	drop_unseen(f);
	f->next = 0;
	source_set_compose(f->set, ignore_change, NULL);
	return f->set;
}

const char *
sources_file(const struct sources *s, struct span connection, struct span source)
{
	const struct source_files *f = files_of(s, connection);
	const char *last = NULL;

	/* If several files define the source, the last by path applies. */
	for (size_t i = 0; f != NULL && i < f->n; i++)
		if (f->v[i].name != NULL && span_is_str(source, f->v[i].name) &&
		    (last == NULL || strcmp(f->v[i].path, last) > 0))
			last = f->v[i].path;
	return last;
}

void
sources_forget(struct sources *s, struct span connection, const char *path)
{
	struct source_files *f = files_of(s, connection);
	struct source_text *t = f == NULL || path == NULL ? NULL : text_of(f, path);

	if (t != NULL)
		t->known = false;
	else if (f != NULL && path != NULL)
		source_set_remove(f->set, path);
}
