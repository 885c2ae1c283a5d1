/*
 * memory - the worker that writes: scan artifacts, manifests, and what research found out.
 *
 * Everything it may touch lies below wiki/, semantic-layer/, raw-sources/ and
 * .carrel/memory/ of the project; directories are opened for each call, so
 * that one replaced meanwhile is the one written to.
 */
#ifndef WORKERS_MEMORY_MEMORY_H
#define WORKERS_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"
#include "policy/columns.h"
#include "workers/memory/scan/column_profile.h"
#include "workers/shared/child.h"
#include "workers/shared/tool.h"

extern const struct role memory_role;

/* tools.c */
extern const struct tool memory_tools[];

struct memory_connection {
	char	*id, *driver;
	size_t	 concurrency;	/* tables a deep scan looks at together */
	bool	 semantic_only;	/* answers through its semantic layer only: formulas of callers' own stay out of it */
	char	 policy[COLUMNS_DIGEST_TEXT];	/* of its columns, as columns_digest(); empty: none */
};

struct queue;
struct sources;

struct memory {
	char				*project_dir;
	size_t				 nconnections;
	struct memory_connection	*connections;
	struct profile_limits		 limits;	/* of a deep scan */
	bool				 review;	/* what is kept waits for a person's approval */
	unsigned			 same_subject;	/* how near a page's subject must be, in thousandths */
	const char			*scanning;	/* the connection being scanned; NULL: none */
	struct queue			*queue;		/* of ingest runs; NULL before open */
	struct sources			*sources;	/* the semantic layer as it was read last */
};

/* A directory of the project, opened; -1 with *err that names it and what to do. */
int memory_open_place(const struct memory *m, const char *place, struct err *err);

/*
 * Take the lock of a connection's scans, across processes.  Returns its
 * descriptor, to be closed; -1 with *err, ERR_BUSY when another has it.
 */
int memory_lock(int state_dir, const char *connection, struct err *err);

/* The connection with this id; NULL: not configured. */
const struct memory_connection *memory_connection(const struct memory *m, struct span id);

/* The tool `scan`. */
int scan_run(struct call *c, const struct mp_value *args, struct err *err);

/* The answer to a second scan while one runs. */
int scan_meanwhile(struct call *c, const struct mp_value *args, struct err *err);

#endif
