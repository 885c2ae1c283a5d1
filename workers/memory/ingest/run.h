/*
 * run - an ingest run and its journal.
 *
 * A run makes one step when it arrives, and another each time it is approved or reverted.  During a step its record is
 * .carrel/memory/queue/<id>.json, afterwards .carrel/memory/runs/<id>.json.  From the stage `write` on the record has
 * every file's text before and after: with these a step interrupted by a crash is finished or reverted, and they are a
 * versioned backup of the replaced texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define RUN_CHANGES_MAX	48	/* of a text: proposals, its page and the pages it contradicts */
#define RUN_TRIALS_MAX	32
#define RUN_TICKET_MAX	512
#define RUN_PAGES_MAX	8
#define RUN_FILE_MAX	((size_t)192 << 20)	/* an import's texts before and after */
#define RUN_ID_MAX	48

enum run_stage { RUN_QUEUED, RUN_TRIAGE, RUN_PROPOSE, RUN_VALIDATE, RUN_WRITE, RUN_COMMIT, RUN_DONE, RUN_ERROR };

enum run_kind { RUN_WIKI, RUN_SEMANTIC };
enum run_action { RUN_CREATED, RUN_UPDATED, RUN_SKIPPED, RUN_REMOVED };

enum run_step { RUN_STEP_INGEST, RUN_STEP_APPROVE, RUN_STEP_REVERT };

/* Review of the run's texts by a person: not required, pending, done. */
enum run_review { RUN_UNREVIEWED, RUN_PROPOSED, RUN_APPROVED };

struct run_change {
	enum run_kind	kind;
	enum run_action	action;
	struct span	path;		/* "wiki/global/revenue.md"; may be empty when skipped */
	struct span	name;		/* the captured name: the page's key or the source's name */
	struct span	summary, reason;
	struct span	before, after;	/* the file's text; CREATED: no text before, REMOVED: none after */
	bool		joined;		/* another change of the list writes the file, including this change */
};

/* A page found by search, and the similarity of its subject, in thousandths. */
struct run_page {
	struct span	key;
	unsigned	near;
};

/* The result of the compiler and the database for a proposal; refused empty: it compiles and runs. */
struct run_trial {
	struct span	asked, filter, refused;
};

struct run_changes {
	size_t			 n, max;
	struct run_change	*v;		/* in the run's arena */
};

/* The content of a file; !there: the file does not exist. */
struct run_side {
	bool		there;
	struct span	text;
};

struct run {
	struct run	*next;
	struct arena	*arena;		/* everything below borrows from it */
	char		 id[RUN_ID_MAX];
	uint64_t	 at_ms, finished_ms;
	struct span	 principal, connection, content;
	struct span	 report;	/* of an import, as JSON; empty: the run is of a text */
	unsigned	 signals;	/* of the content, and from triage on of what its connection has */
	enum run_step	 step;
	unsigned	 steps;		/* number of the run's steps so far, with the current one */
	enum run_stage	 stage;
	unsigned	 attempts;	/* how often the run was resumed after a crash */
	enum run_review	 review;
	bool		 resumed;	/* read from the queue's record, not yet resumed */
	bool		 reverted;
	bool		 shared;	/* the store that nodes share has it as well (shared_notes.h), */
	bool		 permitted;	/* and told this process to write it */
	struct span	 error;
	/* the commits of the latest step and of the revert; empty: none, for the reason in uncommitted */
	struct span	 commit, revert_commit, uncommitted;
	struct span	 ticket;	/* permission to ask search and the compiler for the principal; empty: none */
	uint64_t	 asked_ns;	/* first question in this process; 0: none yet */
	bool		 consulted;	/* the following members hold the answers of search and compiler */
	struct span	 unasked;	/* the reason why they were not asked */
	size_t		 npages, ntrials;
	struct run_page	 pages[RUN_PAGES_MAX];
	struct run_trial trials[RUN_TRIALS_MAX];
	struct run_changes changes;	/* all changes of the run to the project, over all steps */
	struct run_changes moves;	/* APPROVE, from `write` on: the changes of this step */
};

/* large: an import, whose texts take several times the room of a note. */
struct run *run_new(bool large);
void run_free(struct run *r);

/* Sets the id: the time, and a hash of content, principal and connection. */
void run_identify(struct run *r);

/* Whether both runs have the same content, principal and connection. */
bool run_same(const char *a, const char *b);

/* The time in an id; 0: the text is not an id. */
uint64_t run_time(const char *id);

/*
 * Writes the record to the place of its stage.  state is .carrel/memory.  After a power failure the record may be of
 * the previous stage, but is never partial.
 */
int run_save(const struct run *r, int state, struct err *err);

/* Writes the first record of a run; it is on disk on return. */
int run_accept(const struct run *r, int state, struct err *err);

/* ERR_PAGE_NOT_FOUND for an id that no run has; returns -1. */
int run_refuse_unknown(struct span id, struct err *err);

/* Reads the record of the run's latest step; NULL with *err, ERR_PAGE_NOT_FOUND if it is missing. */
struct run *run_load(int state, struct span id, struct err *err);

/* The file changes of the current step; REVERT uses them in reverse. */
const struct run_changes *run_moves(const struct run *r);

/* The file's content before and after the change; swapped for a revert. */
void run_sides(const struct run_change *c, bool back, struct run_side *before, struct run_side *after);

/* Remove the record from the queue once the record in runs/ is written. */
void run_dequeue(const struct run *r, int state);

/* Whether its latest step is over. */
bool run_has_ended(const struct run *r);

/* Whether it has ended and the store that nodes share is to be told: until then its record in the queue stays. */
bool run_owes_end(const struct run *r);

/* Puts the answer of memory_ingest_status; RUN_LOG adds the run's state, RUN_ALL also signals and texts. */
enum run_detail { RUN_STATUS, RUN_LOG, RUN_ALL };
void run_put(const struct run *r, enum run_detail detail, struct buf *out);

/* Whether this change writes a file itself. */
bool run_writes(const struct run_change *c);

/* Empties the list, with room for max changes. */
void run_changes_begin(struct run_changes *list, struct arena *a, size_t max);

/* Add a change; NULL when there are too many. */
struct run_change *run_change(struct run_changes *list, enum run_kind kind, enum run_action action);
