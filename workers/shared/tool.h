/*
 * tool - what a worker offers and how a call reaches it.
 *
 * A tool lives in one place: its row in the worker's tools.c (name, title,
 * description, schemas, annotations, budget) and one function.  The table is
 * announced to the front once; a call's arguments were validated there and are
 * decoded here again, into the tool's own struct.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "ipc/messages.h"
#include "policy/tools.h"

struct call;

struct tool {
	const char	*name, *title, *description;
	const char	*input_schema;		/* JSON text, only keywords of base/json/json_schema.h */
	const char	*output_schema;		/* JSON text; NULL for LOCAL tools */
	const char	*aliases;		/* "entities[].table.schema=db entities[].table.table=name", or NULL: renamed by the front before validation */
	unsigned	 hints;			/* TOOL_READ_ONLY | … */
	unsigned	 budget_ms;		/* the deadline a call gets */
	bool		 waits;			/* makes sub-calls: others may be served meanwhile, but one such at a time */

	/*
	 * Serve the call: finish with exactly one of call_result(),
	 * call_result_rows(), call_result_content(), call_continue(), call_ask()
	 * and return 0, or return -1 with *err set (and optionally
	 * call_details() filled).
	 */
	int		(*run)(struct call *c, const struct mp_value *args, struct err *err);

	/*
	 * Serves the call instead while another one waits: to refuse it (`busy`)
	 * at once.  NULL: the call stays in the queue.  Only with `waits`.
	 */
	int		(*meanwhile)(struct call *c, const struct mp_value *args, struct err *err);
};

/*
 * The table, which ends with a row without a name, as one msgpack array, for TOOLS.  Each tool is a map of name,
 * title, description (text), inputSchema (map), outputSchema (map; absent when
 * the row has none), aliases (text; absent when the row has none), hints (the
 * TOOL_* mask), budgetMs, waits (bool).  -1 when a schema is no JSON or uses
 * what base/json/json_schema.h does not enforce.
 */
int tool_announce(const struct tool *tools, struct buf *out, struct err *err);

/*
 * A call of another worker's tool.  on_rows sees every chunk and returns 0, or
 * -1 with *err to stop.  What it borrows lives until the call is done.
 */
struct call_ask {
	const char	*tool;
	struct span	 connection;	/* empty: the tool is no connection's */
	struct span	 args;		/* a map; empty: {} */
	uint64_t	 deadline_ns;	/* 0: the call's own */
	int		 (*on_rows)(void *arg, const struct mp_value *rows, struct err *err);	/* NULL: rows are an error */
	void		 (*on_progress)(void *arg, unsigned permille, struct span message);	/* or NULL */
	void		*arg;
};

#define CALL_SUBS_MAX	64	/* under way at once; a larger width is as this */
