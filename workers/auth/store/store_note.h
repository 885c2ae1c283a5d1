/*
 * store_note - notes of agents, queued for the one node that writes the project's files; errors as in store.h.  Not for
 * a store of the node's own alone.
 *
 * A note is accepted once, is begun by one node and by no other after it, and ends there: queued, read by the writer,
 * being written, ended.  Until it is being written, another node that becomes the writer takes it.
 * One that is being written by a node that is away can be released: it is queued again, and its row is kept, so that
 * the node learns of it when it is back.
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_NOTE_ID	47	/* bytes; its last 24 tell the content */
#define STORE_NOTES	1000u	/* that wait; beyond, none is accepted */
#define STORE_SAME_MS	UINT64_C(600000)	/* the same content within this time is the same note */

enum store_note_state { STORE_NOTE_QUEUED, STORE_NOTE_READ, STORE_NOTE_WRITTEN, STORE_NOTE_DONE, STORE_NOTE_FAILED };

/* Spans die with the query. */
struct store_note {
	struct span	id, sealed, writer;	/* writer: the node that has it; empty: none yet */
	enum store_note_state state;
	bool		gone;			/* that node has no lease */
};

/* Accept a note: 1, and *id is its own or that of an equal one; 0: too many wait; -1. */
int store_note_offer(struct store *s, struct span given, struct span sealed, char id[STORE_NOTE_ID + 1],
    struct err *err);

/*
 * Take the one that this node has begun to write, else, if it writes, the oldest: fn is called with it, and 1; 0: there
 * is nothing to take; -1.
 */
int store_note_next(struct store *s, bool writes, void (*fn)(void *arg, const struct store_note *n), void *arg,
    struct err *err);

/* Begin to write a note that was taken: 1; 0: it is not this node's, or this node writes no more; -1. */
int store_note_begin(struct store *s, struct span id, struct err *err);

/* It has ended, and sealed is what is to be known of it: 1; 0: another node has begun it, or it ended before; -1. */
int store_note_end(struct store *s, struct span id, bool done, struct span sealed, struct err *err);

/* The first note whose id is or begins so: fn is called with it, and 1; 0: there is no such note; 2: several; -1. */
int store_note_look(struct store *s, struct span id, void (*fn)(void *arg, const struct store_note *n), void *arg,
    struct err *err);

/*
 * Queue again what a node without a lease was writing: the number of notes, whose ids are appended to ids, a blank
 * before each; -1.  Within a transaction.
 */
int store_note_release(struct store *s, struct span node, struct buf *ids, struct err *err);

/* How many wait or are being written, as this node's last question had it. */
uint64_t store_notes_open(const struct store *s);
