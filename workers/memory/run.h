/*
 * run - one ingest run and its journal.
 *
 * A run that has not ended lies in .carrel/memory/queue/<id>.json, one that
 * has in .carrel/memory/runs/<id>.json.  From the stage `write` on the record
 * holds every file's text before and after: it finishes a run that a crash
 * cut short, takes it back, and is the versioned backup of what it replaced.
 */
#ifndef WORKERS_MEMORY_RUN_H
#define WORKERS_MEMORY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"

#define RUN_CHANGES_MAX	8
#define RUN_PAGES_MAX	8
#define RUN_FILE_MAX	((size_t)24 << 20)
#define RUN_ID_MAX	48

enum run_stage { RUN_QUEUED, RUN_TRIAGE, RUN_PROPOSE, RUN_VALIDATE, RUN_WRITE, RUN_COMMIT, RUN_DONE, RUN_ERROR };

/* "queued", "triage", …, "done", "error". */
const char *run_stage_name(enum run_stage stage);

enum run_kind { RUN_WIKI, RUN_SEMANTIC };
enum run_action { RUN_CREATED, RUN_UPDATED, RUN_SKIPPED };

struct run_change {
	enum run_kind	kind;
	enum run_action	action;
	struct span	path;		/* "wiki/global/revenue.md"; may be empty when skipped */
	struct span	name;		/* captured as: the page's key, the source's name */
	struct span	summary, reason;
	struct span	before, after;	/* the file's text; before empty and CREATED: there was none */
};

struct run {
	struct run	*next;
	struct arena	*arena;		/* everything below borrows from it */
	char		 id[RUN_ID_MAX];
	uint64_t	 at_ms, finished_ms;
	struct span	 principal, connection, content;
	enum run_stage	 stage;
	unsigned	 attempts;	/* how often it was taken up after a crash */
	bool		 resumed;	/* read back from the queue, not taken up yet */
	bool		 reverted;
	struct span	 error;
	/* What search and the compiler said of it while its call was open. */
	size_t		 npages;
	struct span	 pages[RUN_PAGES_MAX];
	bool		 tried;		/* the proposal was tried; refused says why it failed, if it did */
	struct span	 refused;
	size_t		 nchanges;
	struct run_change changes[RUN_CHANGES_MAX];
};

struct run *run_new(void);
void run_free(struct run *r);

/* The id: the time, and a hash of who said what about which connection. */
void run_identify(struct run *r);

/* True when both are of the same content, principal and connection. */
bool run_same(const char *a, const char *b);

/* The time in an id; 0 when it is none. */
uint64_t run_time(const char *id);

/* Write the record to where its stage belongs, synced.  state is .carrel/memory. */
int run_save(const struct run *r, int state, struct err *err);

/* Read it from either place; NULL with *err, ERR_PAGE_NOT_FOUND when there is none. */
struct run *run_load(int state, struct span id, struct err *err);

/* Take the record out of the queue once the one in runs/ is written. */
void run_dequeue(const struct run *r, int state);

/* The answer of memory_ingest_status; with content, signals and texts when all. */
void run_put(const struct run *r, bool all, struct buf *out);

/* Add a change; NULL when there are too many. */
struct run_change *run_change(struct run *r, enum run_kind kind, enum run_action action);

#endif
