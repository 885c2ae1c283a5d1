/*
 * page - wiki pages as the memory process writes them: a new one, or an
 * existing one with a section more.  Text in, text out; what a person wrote
 * stays byte for byte.
 */
#ifndef WORKERS_MEMORY_PAGE_H
#define WORKERS_MEMORY_PAGE_H

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
	struct wiki_strings	tags, refs, sl_refs;
};

/* Who keeps it, when, in which run. */
struct note_origin {
	struct span	author, at, run_id;
};

/* -1: nothing in it. */
int note_read(struct arena *a, struct span content, struct note *note);

/* Whether the page, known by its key, is about the same subject. */
bool note_same_subject(const struct note *note, struct span key, const struct wiki_page *page);

/* Whether the page says it already, white space aside. */
bool note_is_known(const struct note *note, const struct wiki_page *page);

/* A line of the page that defines what the note defines, in other words; empty: none. */
struct span note_contradicts(const struct note *note, const struct wiki_page *page);

/* contradicted: the statement that the note speaks against; may be empty. */
void page_new(const struct note *note, const struct note_origin *origin, struct span contradicted, struct buf *out);

/* text is the page's.  -1 when the result would be no page. */
int page_extend(struct arena *a, struct span text, const struct note *note, const struct note_origin *origin,
    struct span contradicted, struct buf *out, struct err *err);

#endif
