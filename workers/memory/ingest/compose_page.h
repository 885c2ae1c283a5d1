/* compose_page - a run's changes of the wiki: the page, its text, contradictions; see compose.h. */
#pragma once

#include "workers/memory/ingest/compose_parts.h"

/* 1: read; 0: the page does not exist; -1: it cannot be read. */
int compose_read_page(struct compose *c, int wiki, struct span key, struct span *text, struct wiki_page *page);

/* Records the new text of the page; -1 with *err if it is too long. */
int compose_set_texts(struct compose *c, struct run_change *out, struct span before, const struct buf *after,
    int r, struct err *err);

/* Finds a page about the same subject among those that search found; else a new key. */
int compose_find_page(struct compose *c, struct err *err);

/* Creates or extends the page, including remarks on what it contradicts. */
int compose_page(struct compose *c, struct err *err);

/* Adds a remark to the other pages that the note contradicts. */
int compose_mark_pages(struct compose *c, struct err *err);
