/* schema_build - packing a scan's tables and indexing them by steps; see schema.h. */
#pragma once

#include "workers/search/library/schema.h"

void schema_free(struct schema *s, struct vocab *v);
struct schema *schema_new(const char *connection, const struct snapshot_head *head, struct vocab *v);

/* Texts of others about the tables to come: descriptions, samples, foreign keys.  Borrowed until finished. */
void schema_enrich(struct schema *s, const struct snapshot_texts *texts,
    const struct snapshot_profile *profile, const struct snapshot_keys *keys);

/* Add a table unless it exists already.  False when the text would exceed four GiB. */
bool schema_add(struct schema *s, const struct snapshot_table *t, struct span file);

/* Take over the table that came from file from an older scan.  False: it had none. */
bool schema_add_old(struct schema *s, const struct schema *old, struct span file, struct arena *a);

/* Ends the building; from here on it may be used. */
void schema_finish(struct schema *s);
