/* scans - reading a connection's latest scan and profile, by steps. */
#pragma once

#include "workers/search/library/library.h"

/*
 * Look which scan and which profile are the latest; begin to read them when
 * they are not those in use or in work.  raw is the directory raw-sources, -1
 * if none.  force: also when they seem to be the same.
 */
void scans_check(struct connection *c, int raw, bool force);

/*
 * Work on what was begun for about ns nanoseconds.  True when something was
 * finished and swapped in; swapped() saw both, either of which may be NULL.
 */
bool scans_step(struct connection *c, int raw, struct vocab *v, uint64_t ns,
    void (*swapped)(void *arg, const struct schema *before, const struct schema *after), void *arg);

/* Digest of one file of tables/; the digest of all is their sum. */
uint64_t scans_digest(const char *name, const struct files_stamp *stamp);

void scans_fini(struct scans *s, struct vocab *v);
