/*
 * jsonrpc - the envelope: which message this is, and the id it is owed.
 *
 * JSON-RPC 2.0 as MCP narrows it: ids are strings or integers, params are
 * objects.  Pure.
 */
#ifndef FRONT_JSONRPC_H
#define FRONT_JSONRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mp.h"
#include "base/span.h"

#define JSONRPC_ID_MAX	1024	/* bytes of a string id, as JSON; longer ones are refused */

/* Codes of JSON-RPC, of the 2026-07-28 revision, and of our own for earlier ones. */
enum {
	RPC_PARSE = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_HEADER_MISMATCH = -32020,
	RPC_CAPABILITY_MISSING = -32021,
	RPC_VERSION_UNSUPPORTED = -32022,
	RPC_FORBIDDEN_LEGACY = -32001,
	RPC_RESOURCE_NOT_FOUND = -32002,	/* legacy only; RPC_INVALID_PARAMS from 2026-07-28 on */
	RPC_FORBIDDEN_MODERN = 1403
};

enum rpc_kind { RPC_INVALID, RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc {
	enum rpc_kind	 kind;
	struct mp_value	 id;		/* of class MP_NIL when there is none */
	struct span	 method;
	struct mp_value	 params;	/* a MAP, or of class MP_NIL when absent */
	const char	*problem;	/* RPC_INVALID: what is wrong, for the message */
};

/* Read the envelope of one message.  Spans borrow from message. */
void rpc_read(const struct mp_value *message, struct rpc *out);

/* Append id as JSON: the same string, or the same digits at any size. */
void rpc_put_id(struct buf *out, const struct mp_value *id);

/* True for what MCP allows as an id or a progress token: a string or an integer. */
bool rpc_is_id(const struct mp_value *v);

/*
 * Append a whole error message.  id is JSON text, empty to leave it out (MCP
 * forbids null).  data is JSON text, empty to leave it out.
 */
void rpc_put_error(struct buf *out, struct span id, int code, const char *message, struct span data);

/* The code for a text json_read() refused: repeated keys make an invalid request, the rest a parse error. */
int rpc_code_of_fault(enum json_fault fault);

#endif
