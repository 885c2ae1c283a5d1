#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "project/format/files.h"
#include "project/paths.h"
#include "project/model/source_walk.h"
#include "workers/search/library/unindexed.h"

#define FILES_MOST	2000	/* of one connection that are read for one question */
#define BYTES_MOST	((size_t)64 << 20)
#define NAMES_MOST	20
#define TEXT_MOST	((size_t)4 << 20)

struct unindexed_reading {
	int			 dir;
	struct source_set	*set;
	size_t			 files, bytes;
};

bool
unindexed_text(const struct library *l, enum place place, const char *path, struct buf *out)
{
	size_t had = out->len;

	if (l->dirs[place] == -1 || files_read(l->dirs[place], path, TEXT_MOST, out, NULL) != FILES_OK)
		return false;
	if (utf8_valid(out->p + had, out->len - had))
		return true;
	out->len = had;
	return false;
}

struct span
unindexed_name(const char *path, struct span text)
{
	const char *base = strrchr(path, '/');
	struct span name;

	for (struct span line; span_line(&text, &line);) {
		if (!span_begins(line, "name:"))
			continue;
		name = span_trim(span_of(line.p + 5, line.len - 5));
		if (name.len >= 2 && (name.p[0] == '"' || name.p[0] == '\'') && name.p[name.len - 1] == name.p[0])
			name = span_of(name.p + 1, name.len - 2);
		if (name.len > 0)
			return name;
	}
	base = base != NULL ? base + 1 : path;
	return span_of(base, (size_t)(strchrnul(base, '.') - base));
}

static int
open_connection(const struct library *l, struct span id)
{
	char path[PATHS_ID_MAX + 1];
	int fd = -1;

	if (l->dirs[PLACE_SEMANTIC] == -1 || !files_is_id(id) || id.len > PATHS_ID_MAX)
		return -1;
	memcpy(path, id.p, id.len);
	path[id.len] = '\0';
	return files_open_dir(l->dirs[PLACE_SEMANTIC], path, &fd) == FILES_OK ? fd : -1;
}

bool
unindexed_connection(const struct library *l, struct span id)
{
	int fd = open_connection(l, id);

	if (fd != -1)
		close(fd);
	return fd != -1;
}

static bool
take_file(void *arg, const char *path, bool is_link)
{
	struct unindexed_reading *r = arg;
	struct buf text = { 0 };

	if (!is_link && files_read(r->dir, path, TEXT_MOST, &text, NULL) == FILES_OK) {
		r->bytes += text.len;
		(void)source_set_put(r->set, path, buf_view(&text), NULL);
	}
	buf_fini(&text);
	return ++r->files < FILES_MOST && r->bytes <= BYTES_MOST;
}

bool
unindexed_source(const struct library *l, struct span id, struct span name, struct buf *yaml, struct buf *parsed,
    struct buf *near)
{
	struct unindexed_reading r = { .dir = open_connection(l, id), .set = source_set_new() };
	const struct source *s = NULL;

	if (r.dir != -1) {
		source_walk(r.dir, &(struct source_visitor){ .arg = &r, .file = take_file });
		close(r.dir);
		source_set_compose(r.set, NULL, NULL);
		s = source_set_get(r.set, name);
	}
	if (s != NULL) {
		source_set_yaml(r.set, s, yaml);
		source_mp(s, parsed);
	} else
		for (size_t i = 0; i < source_set_count(r.set) && i < NAMES_MOST; i++)
			buf_printf(near, "%s%s", i > 0 ? ", " : "", source_set_at(r.set, i)->name);
	source_set_free(r.set);
	return s != NULL;
}
