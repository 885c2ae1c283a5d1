/*
 * compose_parts - what compose.c, compose_page.c and compose_layer.c share: a
 * run while its changes are being worked out.
 */
#ifndef WORKERS_MEMORY_INGEST_COMPOSE_PARTS_H
#define WORKERS_MEMORY_INGEST_COMPOSE_PARTS_H

#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/ingest/propose.h"
#include "workers/memory/ingest/run.h"
#include "workers/memory/memory.h"

/* A page whose statements the note contradicts: they are those of the list from `from` on. */
struct other_page {
	struct span	key, text;
	size_t		from, n;
};

struct compose {
	const struct memory	*m;
	struct run		*r;
	struct arena		*a;
	struct note		 note;
	struct note_origin	 origin;
	struct run_changes	*out;
	bool			 propose;	/* only a page of its own, for review */
	/* The page it goes to: text empty when it is to be made. */
	struct span		 key, text;
	struct note_disputes	 disputes;
	struct wiki_page	 page;
	bool			 exists, known, approve;
	struct span		 about;		/* the page about the same subject, when it exists */
	/* Other pages that say otherwise about the same. */
	size_t			 nothers;
	struct other_page	 others[RUN_PAGES_MAX];
	const struct proposals	*list;
	bool			 silent;	/* nothing of it is for the wiki */
};

/* text in the run's arena. */
struct span compose_text(struct compose *c, const char *text);

/* One more outcome of the run; never NULL. */
struct run_change *compose_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path,
    struct span name);

/* refs with one more. */
void compose_add_ref(struct compose *c, struct wiki_strings *refs, struct span ref);

/* --- compose_page.c ---------------------------------------------------------------------- */

/* 1: read, 0: there is none, -1: there is one that cannot be read. */
int compose_read_page(struct compose *c, int wiki, struct span key, struct span *text, struct wiki_page *page);

/* What the page becomes; -1 with *err when it does not fit. */
int compose_set_texts(struct compose *c, struct run_change *out, struct span before, const struct buf *after,
    int r, struct err *err);

/* A page about the same subject, of those that search named; else a key of its own. */
int compose_find_page(struct compose *c, struct err *err);

/* The page is made or extended, with what it contradicts. */
int compose_page(struct compose *c, struct err *err);

/* The other pages that the note contradicts say so too. */
int compose_mark_pages(struct compose *c, struct err *err);

/* --- compose_layer.c --------------------------------------------------------------------- */

/* Whether the proposal may be placed at all. */
int compose_is_sound(struct compose *c, const struct proposal *p, struct err *err);

/* Every formula's outcome.  What keeps one out is said, and no failure. */
void compose_formulas(struct compose *c);

#endif
