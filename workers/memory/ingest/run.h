/*
 * run - one ingest run and its journal.
 *
 * A run goes through one step when it comes in, and through another each time
 * it is approved or taken back.  While a step is at work its record lies in
 * .carrel/memory/queue/<id>.json, afterwards in .carrel/memory/runs/<id>.json.
 * From the stage `write` on the record holds every file's text before and
 * after: it finishes a step that a crash cut short, takes it back, and is the
 * versioned backup of what it replaced.
 */
#ifndef WORKERS_MEMORY_INGEST_RUN_H
#define WORKERS_MEMORY_INGEST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"

#define RUN_CHANGES_MAX	48	/* every proposal of a text, its page and those that it contradicts */
#define RUN_TRIALS_MAX	32
#define RUN_TICKET_MAX	512
#define RUN_PAGES_MAX	8
#define RUN_FILE_MAX	((size_t)24 << 20)
#define RUN_ID_MAX	48

enum run_stage { RUN_QUEUED, RUN_TRIAGE, RUN_PROPOSE, RUN_VALIDATE, RUN_WRITE, RUN_COMMIT, RUN_DONE, RUN_ERROR };

enum run_kind { RUN_WIKI, RUN_SEMANTIC };
enum run_action { RUN_CREATED, RUN_UPDATED, RUN_SKIPPED, RUN_REMOVED };

enum run_step { RUN_STEP_INGEST, RUN_STEP_APPROVE, RUN_STEP_REVERT };

/* Review of the run's texts by a person: not asked for, waited for, done. */
enum run_review { RUN_UNREVIEWED, RUN_PROPOSED, RUN_APPROVED };

struct run_change {
	enum run_kind	kind;
	enum run_action	action;
	struct span	path;		/* "wiki/global/revenue.md"; may be empty when skipped */
	struct span	name;		/* captured as: the page's key, the source's name */
	struct span	summary, reason;
	struct span	before, after;	/* the file's text; CREATED: there was none before, REMOVED: none after */
	bool		joined;		/* another change of the list writes the file, this one's part of it included */
};

/* A page that search named, and how near its subject is to the note's, in thousandths. */
struct run_page {
	struct span	key;
	unsigned	near;
};

/* What the compiler and the database said of a proposal: refused empty, it compiles and runs. */
struct run_trial {
	struct span	asked, filter, refused;
};

struct run_changes {
	size_t			n;
	struct run_change	v[RUN_CHANGES_MAX];
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
	enum run_step	 step;
	unsigned	 steps;		/* number of the run's steps so far, with the current one */
	enum run_stage	 stage;
	unsigned	 attempts;	/* how often the run was resumed after a crash */
	enum run_review	 review;
	bool		 resumed;	/* read from the queue's record, not yet resumed */
	bool		 reverted;
	struct span	 error;
	/* The commits of the last step in and of the way back; empty: none, and uncommitted says why. */
	struct span	 commit, revert_commit, uncommitted;
	struct span	 ticket;	/* leave to ask search and the compiler for the principal; empty: none */
	uint64_t	 asked_ns;	/* when it first asked, in this life; 0: not yet */
	bool		 consulted;	/* the following members hold the answers of search and compiler */
	struct span	 unasked;	/* the reason why they were not asked */
	size_t		 npages, ntrials;
	struct run_page	 pages[RUN_PAGES_MAX];
	struct run_trial trials[RUN_TRIALS_MAX];
	struct run_changes changes;	/* what the run did to the project, all its steps together */
	struct run_changes moves;	/* APPROVE, from write on: what the step itself does */
};

struct run *run_new(void);
void run_free(struct run *r);

/* The id: the time, and a hash of who said what about which connection. */
void run_identify(struct run *r);

/* Whether both runs have the same content, principal and connection. */
bool run_same(const char *a, const char *b);

/* The time in an id; 0: the text is not an id. */
uint64_t run_time(const char *id);

/*
 * Write the record to where its stage belongs.  state is .carrel/memory.  A
 * power failure may find the one of the stage before, never half a record.
 */
int run_save(const struct run *r, int state, struct err *err);

/* The first record of a run, on disk when this returns. */
int run_accept(const struct run *r, int state, struct err *err);

/* Read the record of the run's latest step; NULL with *err, ERR_PAGE_NOT_FOUND when there is none. */
struct run *run_load(int state, struct span id, struct err *err);

/* The files of the step it is in; a REVERT goes through them backwards. */
const struct run_changes *run_moves(const struct run *r);

/* The file's content before and after the change; after and before for a revert. */
void run_sides(const struct run_change *c, bool back, struct run_side *before, struct run_side *after);

/* Remove the record from the queue once the record in runs/ is written. */
void run_dequeue(const struct run *r, int state);

/* The answer of memory_ingest_status; for the log also the run's state; with content also signals and texts. */
enum run_detail { RUN_STATUS, RUN_LOG, RUN_ALL };
void run_put(const struct run *r, enum run_detail detail, struct buf *out);

/* Whether this change writes a file itself. */
bool run_writes(const struct run_change *c);

/* Add a change; NULL when there are too many. */
struct run_change *run_change(struct run_changes *list, enum run_kind kind, enum run_action action);

#endif
