/*
 * notes - the tools by which carrel-memory queues notes in the store that nodes share, and takes them from there:
 * store_note.h.  A note and what became of it are encrypted; the store tells only that there is one, and whose turn it
 * is.  Where the store is the node's own, carrel-memory calls none of them.
 */
#pragma once

#include "base/mp.h"
#include "workers/shared/tool.h"

int notes_offer_run(struct call *c, const struct mp_value *args, struct err *err);

/* The status, as it was offered or as it ended; with `where` only {node}, which is empty until a node has it. */
int notes_look_run(struct call *c, const struct mp_value *args, struct err *err);

/*
 * next: {} or {runId, principal, note, begun}; begun: this node was writing it.
 * begin: {may: "go"}, "wait" (it is not certain yet who writes) or "gone" (another node has it).  again: an earlier
 * process of this node has begun it; then a note that the store has no more goes on.
 * end: {wait, elsewhere}.  wait: it was released, and another node is writing it: ask again.  elsewhere: the status
 * with which another node has ended it.
 */
int notes_step_run(struct call *c, const struct mp_value *args, struct err *err);
