/*
 * agents_records - the files of the clients that setup-agents writes to (project/agents.h), and the records by which
 * entries made in these files are found again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "project/agents.h"

/* A skill's file in the form that the target expects.  -1: the file is not a skill. */
int agent_dress(struct arena *a, enum agent_skill dress, struct span skill, struct buf *out);

/* The bundle for Claude Desktop: a ZIP file of the skills and the stdio server. */
struct agent_file {
	const char	*path;
	struct span	 text;
};
void agent_zip(const struct agent_file *files, size_t n, struct buf *out);

/*
 * Below, path is a file of the project, or below the home directory or
 * $CODEX_HOME and the like, or in another directory that was asked for.  In the
 * project and in the requested directory no symbolic link is followed, neither
 * in place of the file nor in its path.  In the home directory a link is followed
 * if its target belongs to the user and lies in the home directory too; the link
 * stays.  Every other file is left unchanged, with *err.
 */

#define AGENT_PATH_MAX	4

struct agent_record {
	const char	*target, *scope, *path;
	bool		 is_key;		/* a member of a JSON file or a table of a TOML one, else a whole file */
	bool		 is_table;
	size_t		 nkeys;
	const char	*keys[AGENT_PATH_MAX];
	unsigned	 made;			/* how many of the keys were not there before */
	bool		 made_file;
	bool		 made_line;		/* a line feed was added to the last line of a TOML file */
	const char	*put;			/* the entry as it was put in, or the mark of the file; NULL: an older version's */
	const char	*was;			/* the entry that was replaced, to be restored; NULL: none */
	const char	*below;			/* directories below this one were made for it; NULL: not known */
	/* the enclosing object as it was, where removing the entry would not restore it; else NULL */
	const char	*hole;
};

struct agent_manifest {
	size_t			 n, cap;
	struct agent_record	*v;		/* in the arena */
};

/* comments: JSON with comments.  None of these reads or writes a file; texts returned lie in a or in text. */
