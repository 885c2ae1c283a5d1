#include <stdio.h>
#include <unistd.h>

#include "project/format/files.h"
#include "project/model/source_walk.h"

#define DEPTH_MAX	8	/* directories below a connection's */
#define LIST_ARENA	((size_t)64 << 20)

/* False: the visitor has seen enough. */
static bool
walk_directory(int dir, const char *inside, unsigned depth, const struct source_visitor *v)
{
	struct arena *a = arena_new(LIST_ARENA);
	struct files_list list = { 0 };
	char path[FILES_PATH_MAX];
	bool more = true;
	int fd;

	if (files_open_dir(dir, inside[0] == '\0' ? "." : inside, &fd) == FILES_OK) {
		if (v->directory != NULL)
			v->directory(v->arg, inside, fd);
		(void)files_list(fd, a, &list);
		close(fd);
	}
	for (size_t i = 0; i < list.n && more; i++) {
		const struct files_entry *e = &list.entries[i];

		if (snprintf(path, sizeof(path), "%s%s%s", inside, inside[0] == '\0' ? "" : "/", e->name) >=
		    (int)sizeof(path))
			continue;
		if (e->is_dir)
			more = depth == DEPTH_MAX || walk_directory(dir, path, depth + 1, v);
		else if (source_is_file(path))
			more = v->file(v->arg, path, e->is_link);
	}
	arena_free(a);
	return more;
}

void
source_walk(int dir, const struct source_visitor *v)
{
	(void)walk_directory(dir, "", 0, v);
}
