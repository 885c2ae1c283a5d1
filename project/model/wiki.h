/*
 * wiki - one wiki page: optional YAML front matter between two `---` lines,
 * then markdown.  The format is ktx's; line ends may also be CRLF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define WIKI_BYTES_MAX	(1u << 20)	/* a larger page is refused */

/* The mark below the heading of what a run adds to a page: "*Added DATE by AUTHOR (run ID)*". */
#define WIKI_ADDITION		"*Added "
#define WIKI_ADDITION_RUN	" (run mem-"

struct wiki_strings {
	size_t		 n;
	struct span	*v;
};

struct wiki_page {
	struct span		summary;	/* empty: none */
	struct span		body;		/* trimmed, LF line ends */
	struct wiki_strings	tags, refs, sl_refs;
	struct wiki_strings	connections;	/* the connections it is about; none: every connection */
	bool			has_provenance;	/* it carries author, at, run_id or status */
	struct span		author, at, run_id, status; /* empty: not given */
};

/*
 * Read a page.  Everything in *page is in a or borrows from text.  No front
 * matter at all is fine.  -1 with *err (ERR_INVALID_ARGUMENTS): the front
 * matter never ends, is no valid YAML or no mapping, or the text is not UTF-8.
 */
int wiki_parse(struct arena *a, struct span text, struct wiki_page *page, struct err *err);

/* Whether a run of memory_ingest made the page, and no person approved it. */
static inline bool
wiki_is_agents(const struct wiki_page *page)
{
	return page->run_id.len > 0 && !span_is_str(page->status, "approved");
}

/* Whether the line says that a run added the text below it, to the end of the page. */
bool wiki_is_addition(struct span line);

/* Whether a line begins or ends a block of code in Markdown. */
static inline bool
wiki_is_fence(struct span line)
{
	return span_begins(line, "```") || span_begins(line, "~~~");
}

/* Append the nearest legal key: "reports/Q1 notes" gives "reports-Q1-notes". */
void wiki_suggest_key(struct span key, struct buf *out);
