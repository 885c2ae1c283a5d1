/*
 * tool_result - the result of one tool call, stored once as msgpack and written twice while the socket
 * drains: as the text block and as structuredContent.  The order of the object's members: those that a
 * continuation put in front, the head's, one member with all rows, the tail's.  A name that was
 * written before is skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct tool_result;

/* The memory budget of all results of a front. */
struct result_budget {
	uint64_t	used, max;	/* bytes */
	uint64_t	max_each;
	SLIST_HEAD(results, tool_result) spare;	/* freed results kept for reuse */
	unsigned	nspare;
};

/*
 * own counts the bytes of its principal's results; NULL: not counted.  With other results the budget
 * is shared as share.h says.
 */
struct tool_result *result_new(struct result_budget *budget, uint64_t *own);
void result_free(struct tool_result *r);

/* The result holds a secret, as a new token: its memory is wiped before it is freed. */
void result_hold_secret(struct tool_result *r);
bool result_is_secret(const struct tool_result *r);

/* Free the results kept for reuse. */
void result_drain_pool(struct result_budget *budget);

/*
 * Add a chunk: one msgpack array of rows that mp_scan() accepted.  -1 with result_too_large when the
 * result exceeds max_each, with busy when the budget is used up.
 */
int result_add_rows(struct tool_result *r, struct span rows, struct err *err);

/* Add members in front, from a continuation.  map is a msgpack map.  -1 as above. */
int result_put_front(struct tool_result *r, struct span map, struct err *err);

/* Drop the rows: the call is sent again. */
void result_forget_rows(struct tool_result *r);

/* Complete the result.  rows_field is empty when the object has no rows member.  -1 as above. */
int result_finish(struct tool_result *r, struct span head, struct span rows_field, struct span tail,
    struct err *err);

/*
 * Set content blocks to show with or instead of the object: a msgpack array, empty for none.  Call
 * after result_finish().  -1 as above.
 */
int result_put_content(struct tool_result *r, struct span content, struct err *err);

/* Set the columns whose numbers are written as strings, as in RESULT.  Call after result_finish(). */
void result_put_texts(struct tool_result *r, struct span texts);

/* The content blocks; of length 0 without any.  Borrowed. */
struct span result_content(const struct tool_result *r);

/* True when the object has no members. */
bool result_is_bare(const struct tool_result *r);
/* True when there are neither members nor rows. */
bool result_is_empty(const struct tool_result *r);

/* Add a member after all others; value is msgpack.  Call after result_finish() and before result_begin(). */
void result_put_last(struct tool_result *r, const char *key, struct span value);

/* Move the tail to out: the front uses it, and the object is written without it. */
void result_take_tail(struct tool_result *r, struct buf *out);

/* The number of rows in the result, and whether the result was truncated. */
struct result_facts {
	uint64_t	rows;
	bool		truncated;
};

/* False: the result has no rows member. */
bool result_facts(const struct tool_result *r, struct result_facts *out);

/* How long its statement ran, as the SQL worker says; 0: it ran none. */
uint64_t result_elapsed_ns(const struct tool_result *r);

/* The scan that the result is based on; empty: unknown. */
void result_put_snapshot(struct tool_result *r, struct span snapshot);
struct span result_snapshot(const struct tool_result *r);

/* The digest of the steps that produced the result, in hex; empty: no steps are kept. */
void result_put_artifacts(struct tool_result *r, struct span sha256);
struct span result_artifacts(const struct tool_result *r);

/* What an export of the result can be. */
struct result_file {
	uint64_t	rows;		/* most; 0: as many as any export */
	bool		parquet;
};
void result_put_file(struct tool_result *r, struct result_file file);
struct result_file result_file(const struct tool_result *r);

/* The member "status" of the result; empty: it has none. */
struct span result_status(const struct tool_result *r);

/* Bytes of memory in use. */
size_t result_bytes(const struct tool_result *r);

/*
 * Start writing: before, the object escaped as the inside of a JSON string, between, the object,
 * after.  With between.len == 0: before, the object unescaped, after.  Texts are copied.
 */
void result_begin(struct tool_result *r, struct span before, struct span between, struct span after);

/* Start writing the object's members once, without braces: before, members, after. */
void result_begin_members(struct tool_result *r, struct span before, struct span after);
/* Start writing again from the first byte. */
void result_rewind(struct tool_result *r);

/* The fill of a struct source: append about OUT_BLOCK bytes; false at the end. */
bool result_fill(void *result, struct buf *out);

/* The release of a struct source. */
void result_release(void *result);

/*
 * For result_shape.h alone, between result_finish() and result_begin().  Go to the first row; whether there is another
 * one, at r->rows; write that, or a piece of a column, after a comma.
 */
void result_rows_rewind(struct tool_result *r);
bool result_rows_have(struct tool_result *r);
bool result_rows_step(struct tool_result *r, struct buf *out);

/* Put one array of rows, or of columns of n rows, in the place of all rows.  -1 as result_add_rows(). */
int result_replace_rows(struct tool_result *r, struct span rows, uint64_t n, struct err *err);

/* Put a tail, of a result that is cut, in the place of the tail. */
void result_replace_tail(struct tool_result *r, struct span tail);
