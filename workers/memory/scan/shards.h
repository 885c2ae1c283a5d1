/* shards - writes the manifest files of a scan: all are merged and staged first, then put in place. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "project/format/atomic.h"
#include "project/scan/manifest.h"
#include "workers/memory/scan/scan_report.h"

struct shards {
	int			 dir;		/* semantic-layer/<connection>/_schema; -1: not opened */
	size_t			 n, cap;	/* shards of this scan */
	char			**keys;
	size_t			 nstaged, capstaged;
	struct atomic_stage	*staged;	/* the shards whose text changes */
};

/*
 * Merges every shard of m below semantic, the descriptor of semantic-layer/, and stages the changed ones.  A shard
 * that cannot be merged stays unchanged and becomes a warning.  scope is introspection's.  -1: writing there is not
 * possible.
 */
int shards_prepare(struct shards *s, int semantic, const char *connection, const struct manifest *m,
    struct span driver, const struct mp_value *scope, struct warnings *warnings, struct err *err);

/* Put the staged shards in place. */
int shards_commit(struct shards *s, struct err *err);

/* Drop staged shards that were not put in place. */
void shards_fini(struct shards *s);
