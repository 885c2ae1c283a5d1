/*
 * artifacts - writes a scan to raw-sources/<connection>/live-database/<syncId>/ in ktx's format (readers:
 * project/scan/snapshot.h).
 *
 * Tables are written as they arrive, one file each, into a temporary directory next to live-database/; a file that
 * equals the previous sync's is a hard link to it.  The new sync is complete and synced before a rename makes it the
 * latest; until then the previous one is unchanged.  Without changes nothing is published.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"

#define ARTIFACTS_SYNC_MAX	128	/* length of a sync id with its NUL */
#define ARTIFACTS_KEYS_MAX	((size_t)64 << 20)	/* bytes of foreign keys kept until they are sorted */

struct artifacts_diff {
	uint64_t	tables_added, tables_modified, tables_deleted, tables_unchanged;
	uint64_t	columns_added, columns_modified, columns_deleted;
};

struct artifacts_totals {
	uint64_t	tables, views, columns, keys;
};

struct artifacts;

/*
 * Begin a scan of connection (checked to be a safe id) below raw, the descriptor of raw-sources/.  Removes the remains
 * of an interrupted scan: the caller ensures that no other scan of this connection runs.  NULL with *err.
 */
struct artifacts *artifacts_begin(int raw, const char *connection, struct err *err);

/* Remove what is not published.  NULL is allowed. */
void artifacts_free(struct artifacts *w);

/*
 * Write one table.  Only the members of the format are kept, in its order;
 * *canonical (may be NULL) is the table in that shape, valid until the next call.
 */
int artifacts_table(struct artifacts *w, const struct mp_value *table, struct mp_value *canonical, struct err *err);

/*
 * Write enrichment/<name>, before artifacts_close().  profiledAt, extractedAt
 * and generatedAt are left out when it is compared with the latest sync's.
 */
int artifacts_enrich(struct artifacts *w, const char *name, const struct mp_value *v, struct err *err);

/*
 * All tables are there: write connection.json, foreign-keys.json and
 * warnings.json from introspection's head (driver, scope, metadata) and
 * warnings, an array, and compare all of it with the previous sync.
 */
int artifacts_close(struct artifacts *w, const struct mp_value *head, const struct mp_value *warnings,
    uint64_t unix_ms, struct err *err);

/* After artifacts_close(). */
bool artifacts_changed(const struct artifacts *w);
const struct artifacts_diff *artifacts_diff(const struct artifacts *w);
const struct artifacts_totals *artifacts_totals(const struct artifacts *w);

/* The sync in force before this one; NULL if absent. */
const char *artifacts_previous(const struct artifacts *w);

/* The id of this one: later than the previous in byte order, whatever the clock says. */
const char *artifacts_sync_id(const struct artifacts *w);

/* Write scan-report.json, a map, and make the sync the latest. */
int artifacts_publish(struct artifacts *w, const struct mp_value *report, struct err *err);

/* The file name of a table below tables/: base64url of catalog, db and name. */
void artifacts_file_name(struct span catalog, struct span db, struct span name, struct buf *out);

/* Remove what an interrupted scan of connection left, without beginning one. */
int artifacts_sweep(int raw, const char *connection, struct err *err);
