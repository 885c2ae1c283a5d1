/*
 * news - which resources differ from what was given out, for serve_changed().
 *
 * Nothing is news until everything there was at the start has been read once.
 */
#pragma once

#include "workers/search/library/library.h"
#include "workers/search/library/live.h"

#define NEWS_TABLES_MAX	200u	/* of a scan: named one by one; more are "everything" */

/* What reading key gave before: to be compared by news_page(). */
const struct wiki_page *news_page_before(const struct library *l, struct span key);
void news_page(const struct library *l, struct span key, const struct wiki_page *before);

/* Whose sources, or scan, changed: the argument of the two below, which models_commit() and scans_step() call. */
struct news_of {
	const struct library	*l;
	const struct connection	*c;
};

void news_source(void *of, const struct source *before, const struct source *after);

/* A scan took the place of another; before may be NULL. */
void news_scan(void *of, const struct schema *before, const struct schema *after);

/* Report a change of live_state(); before: the state until now. */
void news_live(const struct library *l, const struct connection *c, enum live_state before);

/* The digest of all resources, from the files they come from; 0 until settled. */
uint64_t news_digest(const struct library *l);
