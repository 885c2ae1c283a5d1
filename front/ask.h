/*
 * ask - a worker wants an answer of the client's before it goes on (ASK in
 * ipc/messages.def).
 *
 * One mechanism, two dressings.  From 2026-07-28 on the request is answered
 * with input_required, and what has to be known again travels as requestState:
 * signed, bound to the principal, the tool and its arguments, and good for
 * ASK_STATE_S.  Before, the questions are requests of ours on the stream of
 * the client's request, which stays open; the answers come in other messages.
 * Either way the worker is called again with the answers and its own state.
 */
#ifndef FRONT_ASK_H
#define FRONT_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "front/mcp.h"

#define ASK_STATE_S	600u	/* a requestState is refused after this */
#define ASK_MOST	16u	/* questions at once; a worker that asks more has a bug */
#define ASK_ROUNDS_MAX	32u	/* of one legacy request; then it fails */

/* The key for signing, derived from the front's own. */
void ask_begin(const uint8_t key[32]);

/* What a ClientCapabilities object allows to be asked: IPC_CAN_*. */
unsigned ask_can(const struct mp_value *capabilities);

/* What a worker's requests need of the client; 0 when they are not what ASK says. */
unsigned ask_needs(const struct mp_value *requests);

/*
 * Before router_call(), with q->tool and q->msg.args set: what a modern retry
 * brings, into q->msg.state and q->msg.answers, which borrow from state and
 * answers.  False: the request was answered, its requestState is not one of
 * ours for this.
 */
bool ask_resume(struct exchange *x, const struct mp_value *params, struct call_request *q, struct buf *state,
    struct buf *answers);

/*
 * A sink's asked(), for the call that x waits for.  The exchange is answered, or the
 * client is asked; when it cannot be, failed() is told why, as the sink's own.
 */
void ask_client(struct exchange *x, const struct ipc_ask *msg,
    void (*failed)(void *arg, const struct err *err, struct span details));

/*
 * A legacy client's response to a request of ours: of this client, or of this
 * session where client is NULL.  False: nothing was asked under that id.
 */
bool ask_answered(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *message);

/* The exchange ends: its questions are forgotten, and answers to them no longer known. */
void ask_drop(struct exchange *x);

#endif
