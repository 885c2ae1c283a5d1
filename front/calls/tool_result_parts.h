/* tool_result_parts - private to front/calls: what a result consists of, for those that change it. */
#pragma once

#include "base/mp.h"
#include "front/calls/tool_result.h"
#include "ipc/messages.h"

#define FIRST_CHUNK	4096	/* room for a small result without another allocation */

struct result_chunk {
	STAILQ_ENTRY(result_chunk)	next;
	size_t			len;
	uint8_t			bytes[];
};

enum phase {
	BEFORE, OPEN, FRONT, HEAD, ROWS_OPEN, ROWS, TAIL, CLOSE, BETWEEN, AFTER, END,
	CONTENT		/* written by the caller of result_begin() */
};

/* Position inside a member's value, for values too large to write in one step. */
struct result_walk {
	struct mp_iter	it[MP_DEPTH_MAX + 1];
	bool		map[MP_DEPTH_MAX + 1];
	bool		comma[MP_DEPTH_MAX + 1];
	unsigned	depth;
};

struct tool_result {
	SLIST_ENTRY(tool_result)	 pooled;
	struct result_budget	*budget;
	uint64_t		*own;		/* the principal's bytes of results; NULL: not counted */
	STAILQ_HEAD(chunks, result_chunk)	 chunks;
	size_t			 held;		/* bytes charged to the budget */
	uint8_t			 small[FIRST_CHUNK];	/* the first rows, if they fit */
	struct span		 first;		/* the rows in small */
	struct buf		 fixed;		/* front, head, tail, content, before, between, after, concatenated */
	size_t			 front, head, tail, content, before, between, after;	/* their lengths */
	char			 rows_field[65];
	uint64_t		 nrows;
	bool			 truncated;	/* as the tail says */
	char			 snapshot[IPC_SNAPSHOT_MAX + 1], artifacts[65];
	struct result_file	 file;
	struct buf		 json;		/* the object, as far as produced for the text block */
	/* bytes of json already in the text block; in structuredContent */
	size_t			 escaped, reused;
	bool			 reuse;		/* json will be complete when the text block is */

	enum phase		 phase;
	bool			 second;	/* writing structuredContent */
	bool			 bare;		/* without the braces of the object */
	bool			 comma;		/* a member was written */
	bool			 secret;	/* its memory is wiped */
	struct buf		 texts;		/* columns whose numbers are written as strings */
	struct mp_iter		 members;
	struct result_chunk		*chunk;		/* the chunk being written; NULL: the first rows */
	struct mp_iter		 rows;
	bool			 rows_begun;
	bool			 columns;	/* the arrays are columns, not rows */
	bool			 in_column, cell_begun;
	size_t			 column;	/* the one being written */
	struct mp_iter		 cells;
	struct result_walk		 walk;
};
