/*
 * wildcards - the files that a path with wildcards names: `*`, `?` and `[…]` within a name, `**` for any number of
 * directories.  As in a shell, none of them stands for a name that begins with a dot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define WILDCARDS_FILES_MAX	4096u	/* that one pattern may name */

struct wildcards_list {
	size_t	 n, cap;
	char	**v;
};

struct wildcards {
	struct wildcards_list	files;	/* their real paths, sorted, each once */
	struct wildcards_list	dirs;	/* what was looked into: changes if a file comes or goes */
	size_t			root;	/* bytes of the real path of the directory where wildcards begin; 0: none do */
	size_t			nameless;	/* files that were left out, because their paths are not in UTF-8 */
};

/* What the patterns of one owner were looked up with so far, which is bounded for all of them; begins with zeros. */
struct wildcards_spent {
	size_t	 names, paths;
};

/* Whether there is a wildcard in text. */
bool wildcards_any(const char *text);

/*
 * Finds the files of an absolute pattern, which replace those of the last one.
 * fixed: its first bytes, such as those of a project's directory, in which `*`,
 * `?` and `[` are letters.
 * -1 with ERR_DATABASE_UNAVAILABLE: there are none, they are too many or
 * cannot be read, or a link leads out of the directory where the wildcards
 * begin.  Its message names a file without its directory.
 */
int wildcards_find(struct wildcards *w, const char *pattern, size_t fixed, struct wildcards_spent *spent,
    struct err *err);

void wildcards_fini(struct wildcards *w);
