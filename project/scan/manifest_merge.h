/* manifest_merge - a shard's old tree and a scan's tables become its new text. */
#pragma once

#include "project/scan/manifest.h"

/* Append the name that a manifest has for a table: catalog.db.name without nulls, parts with dots quoted. */
void manifest_name(struct span catalog, struct span db, struct span name, struct buf *out);

/*
 * The new text of a shard: the tables of m whose key it is, merged with the
 * text there was (empty: none).  *changed is false when a reader would see no
 * difference.  -1 with *err when the old text is no manifest, or the new one
 * would be more than our own reader accepts.
 */
int manifest_merge(const struct manifest *m, struct span driver, const char *shard, struct span old,
    struct buf *out, bool *changed, struct err *err);
