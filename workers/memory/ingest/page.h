/*
 * page - wiki pages as the memory process writes them: a new one, or an
 * existing one with a section more.  Text in, text out; what a person wrote
 * stays byte for byte.
 */
#ifndef WORKERS_MEMORY_INGEST_PAGE_H
#define WORKERS_MEMORY_INGEST_PAGE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "project/wiki.h"

#define PAGE_KEY_MAX		100
#define PAGE_SUMMARY_MAX	200
#define PAGE_TAGS_MAX		24

/* What a text is about.  Borrows from the text and the arena. */
struct note {
	struct span		title, key, summary, body;	/* body: without a heading that is the title */
	struct span		text;				/* all of it but front matter */
	struct span		above;				/* what the front matter says of all of it, a line each */
	struct span		connection;			/* what it is about, for whoever writes it down; empty: none */
	struct wiki_strings	tags, refs, sl_refs;
};

/* Who keeps it, when, in which run. */
struct note_origin {
	struct span	author, at, run_id;
	bool		proposed;	/* nobody has reviewed it */
};

/* Give it another title, and the key that goes with it. */
void note_entitle(struct arena *a, struct note *note, struct span title);

/* -1: nothing in it. */
int note_read(struct arena *a, struct span content, struct note *note);

/* Whether the page says it already, white space aside. */
bool note_is_known(const struct note *note, const struct wiki_page *page);

#define NOTE_DISPUTES_MAX	32

/* A statement that the note speaks against, and where it stands. */
struct note_dispute {
	struct span	says, where;	/* where: "[[revenue]]", "the semantic layer" */
	struct span	ours;		/* what the note says instead */
};

struct note_disputes {
	size_t			n;
	struct note_dispute	v[NOTE_DISPUTES_MAX];
};

/* Those of the page's definitions that the note defines in other words, added to out; where: how they are named there. */
void note_contradictions(struct arena *a, const struct note *note, const struct wiki_page *page, struct span where,
    struct note_disputes *out);

/* Add one; beyond the bound it is not kept. */
void note_dispute_add(struct note_disputes *list, struct span says, struct span where, struct span ours);

void page_new(const struct note *note, const struct note_origin *origin, const struct note_disputes *disputes, struct buf *out);

/*
 * The page that was proposed, as text stands now, with its mark taken off and
 * sl_refs added.  -1 when it is no page, or no longer says that it is proposed.
 */
int page_approve(struct arena *a, struct span text, const struct wiki_strings *sl_refs, struct buf *out, struct err *err);

/*
 * A remark at the end of another page that dispute->says is contradicted on
 * page key.  1: *out is the page; 0: it says so already; -1 with *err.
 */
int page_remark(struct arena *a, struct span text, const struct note_dispute *dispute, struct span key,
    const struct note_origin *origin, struct buf *out, struct err *err);

/* text is the page's.  -1 when the result would be no page. */
int page_extend(struct arena *a, struct span text, const struct note *note, const struct note_origin *origin,
    const struct note_disputes *disputes, struct buf *out, struct err *err);

#endif
