/*
 * compose_parts - shared by compose.c, compose_page.c and compose_layer.c: the state of a run while its changes are
 * computed.
 */
#pragma once

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
	struct span		 taken[PROPOSALS_MAX];	/* source.measure: a proposal took its place */
	bool			 silent;	/* the note has nothing for the wiki */
};
