/*
 * verify_aim - the targets of `carrel sandbox verify`: existing files, and temporary ones where a project has none.
 */
#pragma once

#include <limits.h>
#include <stddef.h>

#include "base/err.h"
#include "base/system/wildcards.h"
#include "policy/acts.h"

/*
 * A private temporary directory with data/{database.db,beside,other.db} and
 * project/, an empty git repository.
 */
struct standins {
	char	dir[64];		/* empty: it could not be made */
	char	project[80], git[96];
	char	database[96], other[96], state[96];	/* state: the path of a store, whose files are not made */
};

int standins_make(struct standins *s, struct err *err);
void standins_remove(struct standins *s);

/* The files on which one process tries its acts; NULL if the project has no such file. */
struct aims {
	const char	*project, *config;	/* the directory, and its configuration's name */
	const char	*home;
	const char	*git;			/* the repository's shared directory */
	const char	*database, *other;
	const struct wildcards_list *files;	/* that the worker of the connection reads; NULL: database alone */
};

/* The path, or NULL with the reason why it is missing; both live in the buffers given. */
const char *aims_find(const struct aims *a, enum policy_aim aim, char path[PATH_MAX], char *why, size_t cap);
