/*
 * compose_parts - shared by compose.c, compose_page.c and compose_layer.c: the state of a run while its changes are
 * computed.
 */
#ifndef WORKERS_MEMORY_INGEST_COMPOSE_PARTS_H
#define WORKERS_MEMORY_INGEST_COMPOSE_PARTS_H

#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/page.h"
#include "workers/memory/read/propose.h"
#include "workers/memory/ingest/run.h"
#include "workers/memory/memory.h"

/* A page that the note contradicts: the disputes of the list from index `from` on. */
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
	struct run_change	 beyond;	/* an outcome for which out has no room */
	bool			 propose;	/* make only a page of its own, for review */
	/* The page that the note goes to; text is empty if it has to be made. */
	struct span		 key, text;
	struct note_disputes	 disputes;
	struct wiki_page	 page;
	bool			 exists, known, approve;
	struct span		 about;		/* key of the existing page about the same subject */
	/* Other pages that contradict the note. */
	size_t			 nothers;
	struct other_page	 others[RUN_PAGES_MAX];
	const struct proposals	*list;
	size_t			 ntaken;
	struct span		 taken[RUN_PAGES_MAX];	/* source.measure: their definitions took a measure's place */
	bool			 silent;	/* the note has nothing for the wiki */
};

/* Copies text into the run's arena. */
struct span compose_text(struct compose *c, const char *text);

/* Adds an outcome to the run; never NULL. */
struct run_change *compose_change(struct compose *c, enum run_kind kind, enum run_action action, struct span path,
    struct span name);

/* Adds ref to refs. */
void compose_add_ref(struct compose *c, struct wiki_strings *refs, struct span ref);

/* --- compose_page.c ---------------------------------------------------------------------- */

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

/* --- compose_layer.c --------------------------------------------------------------------- */

/* Whether the proposal is valid at all. */
int compose_is_sound(struct compose *c, const struct proposal *p, struct err *err);

/* The outcomes of all formulas.  A reason to refuse one is reported, not returned as an error. */
void compose_formulas(struct compose *c);

#endif
