/*
 * shared_notes - notes where several nodes share a store: they are queued there, and the node that writes takes them.
 *
 * A note is accepted when the store has it, whichever node it came to, and that node keeps nothing of it.  The node
 * that writes takes one note at a time: it journals it, asks what a run asks, and asks once more before its first
 * change of a file whether the note is still its own.  From then on no other node begins it, also if this one stops:
 * the journal has what to finish or to undo.  Before that, the node that writes next takes it.  What became of it goes
 * back into the store, so that each node can answer for it; until the store has it, the queue keeps its record.
 *
 * A person may release a note of a node that is away, which queues it again.  When that node is back, it asks before
 * it goes on with changes of files: it takes back what it had changed, unless no other node has begun the note.  If it
 * had written the note completely, it ends it where no other node has begun it, keeps it where another node found
 * nothing left to write, and else reverts its run, with a commit.
 *
 * The store is asked through the front, in this worker's own name, between calls.
 */
#pragma once

#include "workers/memory/ingest/run.h"
#include "workers/memory/memory.h"
#include "workers/shared/call.h"

#define SHARED_NOTES_MS	250u	/* between questions whether there is a note */
#define SHARED_NOTES_OLD_MS UINT64_C(86400000)	/* beyond, a note is not written any more */

/*
 * Whether a note of that time is too old to be begun, or from the future.  The time is in what the store keeps
 * encrypted, and the clock is this node's: who administers the database can put an earlier row back, for a day and no
 * longer.
 */
bool shared_notes_are_old(uint64_t at_ms, uint64_t now_ms);

/* Answer c by queueing r in the store; r stays the caller's. */
void shared_notes_offer(struct call *c, const struct run *r);

/* Answer c by what the store knows of the run. */
void shared_notes_look(struct call *c, struct span id);

/* Say in *err which node has this run, if the store knows it. */
void shared_notes_refuse(struct call *c, struct span id, struct err *err);

/*
 * With an empty queue: say what became of the note before, or take one, which is journaled and the caller's; NULL:
 * none.  more: ask again at once.
 */
struct run *shared_notes_take(const struct memory *m, int state, bool *more);

/*
 * What may be done with the first run of the queue, before its first change of a file in this process.  GONE: another
 * node has it; what an earlier process changed is to be undone.
 */
enum shared_notes_may { SHARED_NOTES_GO, SHARED_NOTES_WAIT, SHARED_NOTES_GONE };
enum shared_notes_may shared_notes_may(const struct run *r);

/*
 * Say what became of a run that owes its end; wrote: it changed files.  LATER: ask again.  UNDO: it was released while
 * this node was away (store_note.h), and another node has written it or failed to: what this run changed is to be
 * reverted.
 */
enum shared_notes_end { SHARED_NOTES_OVER, SHARED_NOTES_LATER, SHARED_NOTES_UNDO };
enum shared_notes_end shared_notes_end(const struct run *r, bool wrote);
