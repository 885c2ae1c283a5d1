/*
 * memory - the worker that writes: scan artifacts, manifests, and research findings.
 *
 * Everything it writes is below wiki/, semantic-layer/, raw-sources/ and .carrel/memory/ of the project; directories
 * are opened for each call, so that a replaced directory is followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"
#include "policy/columns.h"
#include "policy/identity.h"
#include "workers/memory/scan/column_profile.h"
#include "workers/shared/child.h"
#include "workers/shared/tool.h"

extern const struct role memory_role;

/* tools.c */
extern const struct tool memory_tools[];

struct memory_connection {
	char	*id, *driver;
	size_t	 concurrency;	/* tables that a deep scan queries at the same time */
	bool	 semantic_only;	/* queries only through the semantic layer: formulas of callers are not added to it */
	char	 policy[COLUMNS_DIGEST_TEXT];	/* columns_digest() and identity_mark(); empty: it has neither */
	bool	 valueless;	/* statements run as who asks, and no neutral identity reads for all */
};

struct queue;
struct sources;
struct ingest_parts;

struct memory {
	char				*project_dir;
	size_t				 nconnections;
	struct memory_connection	*connections;
	struct profile_limits		 limits;	/* of a deep scan */
	uint64_t			 memory_max;	/* bytes this process may have; 0: no limit */
	bool				 review;	/* changes wait for a person's approval */
	bool				 shared;	/* nodes share a store, which queues the notes */
	unsigned			 same_subject;	/* minimal similarity of a page's subject, in thousandths */
	const char			*scanning;	/* the connection being scanned; NULL: none */
	struct queue			*queue;		/* of ingest runs; NULL before open */
	struct sources			*sources;	/* cache of the semantic layer */
	struct handover			*handover;	/* done, and the store is not told yet; NULL: none */
	uint64_t			 handovers_ns;	/* when it is asked for the next one */
	bool				 asking;	/* a call waits for the node that writes */
	struct ingest_parts		*parts;		/* of an import that comes in several calls; NULL: none */
};
