/*
 * page - writes wiki pages: a new one, or an existing one with an additional section.  Text in, text out; a user's own
 * text stays byte for byte.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "project/model/wiki.h"

#define PAGE_KEY_MAX		100
#define PAGE_SUMMARY_MAX	200
#define PAGE_TAGS_MAX		24

/* The title, key, summary and body of a text.  Borrows from the text and the arena. */
struct note {
	struct span		title, key, summary, body;	/* body: without the heading if that is the title */
	struct span		text;				/* without front matter */
	struct span		above;				/* lines of the front matter about the whole text */
	struct span		connection;			/* the connection that it is about; empty: none */
	struct wiki_strings	tags, refs, sl_refs;
};

/* The origin of a note: its author, time and run. */
struct note_origin {
	struct span	author, at, run_id;
	bool		proposed;	/* not yet reviewed */
};

/* Sets the note's title and derives the key from the title. */
void page_note_entitle(struct arena *a, struct note *note, struct span title);

/* signals: of the text, for the tags.  -1: the text is empty. */
int page_note_read(struct arena *a, struct span content, unsigned signals, struct note *note);

/* Whether the page already contains the text; white space is not compared. */
bool page_note_is_known(const struct note *note, const struct wiki_page *page);

/*
 * Whether a page that search finds near may be about the note's subject at all: revenue is not net revenue, and
 * orders.freight is no other column.
 */
bool page_note_may_share(const struct note *note, const struct wiki_page *page);

#define NOTE_DISPUTES_MAX	32

#define PAGE_TOO_LARGE	"the page would be too large"

/* A statement that the note contradicts, and its place. */
struct note_dispute {
	struct span	says, where;	/* where: "[[revenue]]", "the semantic layer" */
	struct span	ours;		/* the note's own statement */
};

struct note_disputes {
	size_t			n;
	struct note_dispute	v[NOTE_DISPUTES_MAX];
};

/* Adds to out the definitions of the page that differ from the note's.  where: the name of the page in them. */
void page_note_contradictions(struct arena *a, const struct note *note, const struct wiki_page *page, struct span where,
    struct note_disputes *out);

/* Adds one; beyond the limit it is dropped. */
void page_note_dispute_add(struct note_disputes *list, struct span says, struct span where, struct span ours);

void page_new(const struct note *note, const struct note_origin *origin, const struct note_disputes *disputes,
    struct buf *out);

/*
 * Approves a proposed page: its current text, without the mark and with sl_refs added.  -1 if it is not a page, or not
 * marked as proposed.
 */
int page_approve(struct arena *a, struct span text, const struct wiki_strings *sl_refs, struct buf *out,
    struct err *err);

/* The text in which the remarks on these measures' definitions (source.measure) say that they were replaced, in a. */
struct span page_decide(struct arena *a, struct span text, const struct span *measures, size_t n);

/*
 * Adds a remark to another page: page key contradicts dispute->says.  1: *out is the page; 0: it has the remark
 * already; -1 with *err.
 */
int page_remark(struct arena *a, struct span text, const struct note_dispute *dispute, struct span key,
    const struct note_origin *origin, struct buf *out, struct err *err);

/* Extends the page with this text.  -1 if the result would not be a page. */
int page_extend(struct arena *a, struct span text, const struct note *note, const struct note_origin *origin,
    const struct note_disputes *disputes, struct buf *out, struct err *err);
