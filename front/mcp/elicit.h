/*
 * elicit - a worker needs an answer from the client before the call can continue (ASK in
 * ipc/messages.def).  One mechanism, two wire forms.
 *
 * From 2026-07-28 on the request is answered with input_required.  The worker's state travels as
 * requestState: signed, bound to the principal, the tool and its arguments, and valid for ASK_STATE_S.
 *
 * In earlier revisions the questions are requests to the client on the event stream of the client's
 * own request.  The stream stays open, and the answers arrive in other messages.
 *
 * In both forms the worker is called again with the answers and its own state.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/mcp/exchange.h"

#define ASK_STATE_S	600u	/* lifetime of a requestState */
#define ASK_MOST	16u	/* questions per round; a worker that asks more has a bug */
#define ASK_ROUNDS_MAX	32u	/* rounds per legacy request; beyond: the request fails */

/* The kinds of question (IPC_CAN_*) that a ClientCapabilities object allows. */
unsigned elicit_can(const struct mp_value *capabilities);

/* The kinds of question that a worker's map needs; 0 when the map is not as ASK defines it. */
unsigned elicit_needs(const struct mp_value *requests);

/*
 * Read what a modern retry carries into q->msg.state and q->msg.answers, which borrow from state and
 * answers.  Call before router_call(), with q->tool and q->msg.args set.  False: the requestState is
 * not valid for this call, and the request was answered with that.
 */
bool elicit_resume(struct exchange *x, const struct mp_value *params, struct call_request *q, struct buf *state,
    struct buf *answers);

/*
 * Serves a sink's asked() for the call that x waits for.  Either the exchange is answered or the
 * client is asked.  On failure failed(), the sink's own, is called with the reason.
 */
void elicit_client(struct exchange *x, const struct ipc_ask *msg,
    void (*failed)(void *arg, const struct err *err, struct span details));

/*
 * A legacy client's response to a question.  The client is identified by client, or by session where
 * client is NULL.  False: no question has this id.
 */
bool elicit_answered(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *message);

/* An exchange that asked ends: forget its questions.  Later answers to them are unknown ids. */
void elicit_drop(struct exchange *x);
