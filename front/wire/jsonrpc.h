/*
 * jsonrpc - the envelope of a message: its kind, and the id that its answer must carry.  JSON-RPC 2.0
 * as MCP narrows it: ids are strings or integers, params are objects.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json/json_read.h"
#include "base/mp.h"
#include "base/span.h"

#define JSONRPC_ID_MAX	1024	/* bytes of a string id, as JSON; longer ones are refused */

/* Codes of JSON-RPC and of the 2026-07-28 revision, and this server's own codes for earlier revisions. */
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
	RPC_ONTOLOGY_NOT_READY = -32003,	/* legacy only, and so are the next two, of ask_question */
	RPC_AGENT_TIMEOUT = -32004,
	RPC_DATABASE_CONNECTION = -32005,
	RPC_FORBIDDEN_MODERN = 1403
};

enum rpc_kind { RPC_INVALID, RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc {
	enum rpc_kind	 kind;
	struct mp_value	 id;		/* class MP_NIL when absent */
	struct span	 method;
	struct mp_value	 params;	/* a MAP, or class MP_NIL when absent */
	struct mp_value	 meta;		/* params._meta, of any class; class MP_NIL when absent */
	const char	*problem;	/* RPC_INVALID: the text of the error */
};

/* Read the envelope of one message.  Spans borrow from message. */
void rpc_read(const struct mp_value *message, struct rpc *out);

/* Append id as JSON: strings are escaped, integers keep all their digits. */
void rpc_put_id(struct buf *out, const struct mp_value *id);

/* True for what MCP allows as an id or a progress token: a string or an integer. */
bool rpc_is_id(const struct mp_value *v);

/*
 * Append a whole error message.  id is JSON text, empty to leave it out (MCP
 * forbids null).  data is JSON text, empty to leave it out.
 */
void rpc_put_error(struct buf *out, struct span id, int code, const char *message, struct span data);

/* The code for a text that json_read() refused: invalid request for repeated keys, else parse error. */
int rpc_code_of_fault(enum json_fault fault);

/* Begin a notification, until the members of its params. */
void rpc_begin_notification(struct buf *out, const char *method);
