/* links - the data channels of a worker, the queue they fill, and answers to its sub-calls. */
#pragma once

#include "workers/shared/runtime.h"

/* A new channel, with peer at its other end; one of the same generation is replaced. */
void links_attach(struct runtime *rt, int fd, uint64_t generation, enum ipc_role peer);

/* DETACH: close now, or (cause 3) once everything that was asked is answered. */
void links_detach(struct runtime *rt, uint64_t generation, uint64_t cause);

/* Close l and forget its queued calls.  The struct lives on until links_sweep(). */
void links_close(struct runtime *rt, struct worker_link *l);

/* Read l and take every complete frame in. */
void links_read(struct runtime *rt, struct worker_link *l);

/* Between calls: close what is detached and done, free what is dead. */
void links_sweep(struct runtime *rt);

void links_free(struct runtime *rt);

/* Take *at out of the queue. */
struct pending *links_unqueue(struct runtime *rt, struct pending **at);

/* Finish p and keep its memory for the next call. */
void links_recycle(struct runtime *rt, struct pending *p);

/* Call the role's turn(), if messages came to its frame(). */
void links_turn(struct runtime *rt);

/* The front on l broke the protocol: complain and close. */
void links_broken(struct runtime *rt, struct worker_link *l, enum ipc_fault fault);

/* Start a sub-call's book-keeping; NULL when there are too many. */
struct sub *links_sub_new(struct runtime *rt, struct worker_link *l);

/* Cancel a sub-call.  The front is told unless the answer is already here. */
void links_sub_done(struct runtime *rt, struct sub *s);

/* Take the oldest frame of the answer; NULL if the queue is empty.  For links_answer_free(). */
struct sub_answer *links_sub_take(struct sub *s);
void links_answer_free(struct sub_answer *a);
