/*
 * files - imported files and documents of datasets, which nodes that share a store share as well: .carrel/imports/
 * imports.db, and what is in .carrel/documents.
 *
 * A file is in the store in pieces of 256 KiB, encrypted with a key of the root key; each change of it is a revision,
 * which becomes visible as a whole.  A node brings what is newer than what it has into a file next to it, verifies each
 * piece and the whole by keyed digests, and renames it into its place.  What it changed itself it sends.  It remembers
 * in its own store which revision a file is, so that it sees later whether the file was changed here, elsewhere, or
 * both: then the store's stays, and the other one is kept next to it under another name, and told of.
 *
 * A file that is gone here is brought again; it is removed by files_remove() alone.
 *
 * All of it happens in steps of a few milliseconds, between calls; an end in the middle of any of them leaves each file
 * whole, here and in the store, and is gone on from.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "project/config/config.h"

struct store;

#define FILES_KEY	32
#define FILES_PIECE	((size_t)256 << 10)
#define FILES_IMPORTS	"imports/" CONFIG_IMPORTS_FILE	/* a file's name: its path below .carrel */
#define FILES_ASIDE	".not-shared"		/* after the name of a file that was changed on two nodes */

struct files_settings {
	struct store	*own, *shared;		/* the node's, and the one of all nodes; they outlive it */
	const char	*project_dir;
	const uint8_t	*key;			/* of the root key: FILES_KEY bytes */
	uint64_t	 most;			/* bytes of all files together */
};

struct files;

struct files *files_new(const struct files_settings *settings);
void files_free(struct files *f);

/* A step; true: there is more to do at once.  Nothing while the store is away. */
bool files_step(struct files *f, uint64_t now_ns);

/* Look at the directory with the next step, and do not wait with what failed. */
void files_look(struct files *f);

struct files_state {
	uint64_t	files;		/* that the store has */
	uint64_t	missing;	/* of these, not here in that revision */
	uint64_t	missing_bytes;
	uint64_t	unsent;		/* of here, not in the store */
	uint64_t	aside;		/* kept under another name */
	bool		full;		/* some of the unsent have no room there */
	bool		settled;	/* the store and the directory were looked at since files_look() */
	char		trouble[640];	/* what is in the way, and what to do; empty: nothing is known to be */
};

void files_say(const struct files *f, struct files_state *out);

/*
 * Whether something of this name, or below it if it ends with '/', is not here as the store has it.  since_ms: and is
 * older than that, by the server's clock; UINT64_MAX: whatever its age.
 */
bool files_lack(const struct files *f, const char *name, uint64_t since_ms);

/* Remove the files below a name that ends with '/', or of that name, here and on each node: how many; -1: none. */
int64_t files_remove(struct files *f, const char *name, struct err *err);
