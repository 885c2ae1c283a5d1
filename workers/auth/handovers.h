/*
 * handovers - the tools by which carrel-memory has the node that writes the project do what was asked of this one, and
 * by which that node takes it: store_handover.h.
 *
 * The node that was asked verifies the proof that its caller has (policy/proof.h), and seals call, principal and ticket
 * with a key of the root key.  The node that writes looks whether that principal may still do it, puts on record in its
 * own audit what it begins for whom, and makes a proof of its own for its carrel-memory.
 */
#pragma once

#include "base/mp.h"
#include "workers/shared/tool.h"

/*
 * With tool, connection, args, proof, ticket and patienceMs: ask.  With id: look what became of it.  The answer has
 * state:
 *
 *	here	this node writes: do it here; what was asked is taken back
 *	wait	this node is about to write: ask again
 *	given	{id}
 *	waits	not begun, or under way
 *	late	it was not begun in time, and never will be
 *	gone	{node} that began it has no lease
 *	moved	{node} is still at it, while this node writes now
 *	lost	the store does not have it any more
 *	ended	{node, result} or {node, code, message}
 */
int handovers_ask_run(struct call *c, const struct mp_value *args, struct err *err);

/*
 * next: {}, or {id, tool, connection, args, proof, ticket, again, may}; may: this node writes still;
 * more: what was taken is ended already.
 * end: with id, and result or code and message: {}.
 */
int handovers_step_run(struct call *c, const struct mp_value *args, struct err *err);
