/*
 * exchange - JSON-RPC requests of the Model Context Protocol, both eras.
 *
 * An exchange is one request that must be answered.  Transports (HTTP, lines of a local client) create
 * exchanges and send their answers.  The eras decide which requests are valid and what a response
 * looks like.  Handlers are independent of both.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/calls/result_shape.h"
#include "front/wire/address.h"
#include "front/mcp/audit_requests.h"
#include "front/front.h"
#include "front/http/answer.h"
#include "front/wire/jsonrpc.h"
#include "front/wire/trace.h"
#include "front/mcp/subscribe.h"

/* In order of age; all but the last are legacy. */
enum mcp_revision {
	MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28,
	MCP_REVISIONS
};

#define MCP_LATEST_LEGACY	MCP_2025_11_25

const char *mcp_revision_name(enum mcp_revision revision);

/* MCP_REVISIONS for an unknown revision. */
enum mcp_revision mcp_revision_of(struct span name);

/* The first failure found in a request of the modern era. */
struct mcp_refusal {
	int		 code;		/* 0: no failure */
	const char	*message;
	struct buf	 data;		/* JSON text; empty: none */
};

static inline bool
mcp_refuse(struct mcp_refusal *r, int code, const char *message)
{
	r->code = code;
	r->message = message;
	return false;
}

/* Whether meta, the _meta of the params, names a protocol version, which makes the request modern. */
bool mcp_has_claim(const struct mp_value *meta);

/* Check the _meta of a modern request.  *version is what it claims, checked by the other. */
bool mcp_check_meta(const struct mp_value *meta, struct span *version, struct mcp_refusal *r);
bool mcp_check_version(struct span version, struct mcp_refusal *r);

struct batch;
struct call_kind;
struct exchange;
struct surface;
struct team_call_way;

struct transport {
	bool	sessions;	/* initialize creates a session with an id */
	enum audit_surface surface;	/* as the audit names it */
	/* The client's address, as text; false: it has none.  May be NULL. */
	bool	(*address)(const struct exchange *x, char out[ADDRESS_TEXT_MAX]);
	/* Send the one response.  The caller frees the exchange afterwards. */
	void	(*answer)(struct exchange *x, const struct mcp_answer *a);
	/*
	 * Send a message before the response.  Allowed after can_notify() returned true, or before anything
	 * was sent when the client must accept an event stream.  False: the client is gone, and x is freed.
	 */
	bool	(*notify)(struct exchange *x, struct span message);
	bool	(*can_notify)(const struct exchange *x);
	/* The client cancelled the request by a message: no response is sent. */
	void	(*withdraw)(struct exchange *x);
	/* Drop the client, which reads too slowly for its request.  x is freed, too. */
	void	(*cut)(struct exchange *x);
	/* The subscriber of the legacy client of x, created if missing.  NULL: the client cannot subscribe. */
	struct subscriber *(*subscriber)(struct exchange *x);
	/*
	 * For clients without a session id: keep what initialize negotiated (revision, capabilities) and the
	 * log level.
	 */
	void	(*remember)(struct exchange *x);
	/*
	 * The form of a call's outcome where it is not JSON-RPC's; both or none.  Each ends in exchange_finish().
	 * result() takes r over.
	 */
	void	(*result)(struct exchange *x, struct tool_result *r);
	void	(*failure)(struct exchange *x, const struct err *err, struct span details);
	/* The members of a result that the front makes itself; NULL: the transport has no such results. */
	void	(*members)(struct exchange *x, struct span members);
};

/*
 * SERVING: the front works on the request, before or after a call.  Every stage may end with a
 * response, or without one (withdrawn, abandoned).
 */
enum exchange_stage { EXCHANGE_SERVING, EXCHANGE_CALLING, EXCHANGE_WAITING, EXCHANGE_RECORDING };

/* CALLING: a worker will answer the request. */
struct exchange_call {
	struct front_call		*call;
	struct elicitation		*asking;	/* owned by elicit.c; NULL: no question was asked */
	uint64_t		 since_ns;	/* start of the call */
	/* the tool has side effects: losing the client does not stop the call */
	bool			 writes;
};

/* WAITING: something other than a call will answer the request. */
struct exchange_wait {
	void			(*forget)(struct exchange *x);	/* called when x is abandoned or withdrawn */
	void			*of;				/* the argument of forget() */
};

/* A place among its caller's calls in flight, given by carrel-auth on one channel; id 0: none. */
struct grant {
	uint64_t	id;
	unsigned	channel;
};

/* RECORDING: the answer is complete, and waits until it is on record. */
struct exchange_record {
	struct mcp_answer		answer;
};

/* What the client accepts while its request is served. */
struct exchange_accepts {
	unsigned	 can;		/* IPC_CAN_*: kinds of question that it answers */
	unsigned	 notices;	/* its log level, as in CALL */
	bool		 tasks;		/* a call may become a task */
	struct buf	 token;		/* progress token as JSON text; empty: no progress wanted */
	int		 permille;	/* the last progress that was sent; -1: none yet */
};

/* The legacy session that the request belongs to, if any. */
struct exchange_session {
	bool		 known;
	uint8_t		 body[SESSION_BODY];
};

/* What the request calls. */
struct exchange_target {
	const struct tool_entry	*tool;		/* NULL: none yet */
	const struct surface	*surface;	/* for other methods than tools/call: the method's row */
	const struct call_kind	*kind;		/* NULL: no call yet */
	struct buf		 params;	/* while the call waits until it may begin */
	struct buf		 args;		/* arguments for the worker, while they are built */
	struct result_shape	 shape;		/* of the rows that it gets */
	const struct team_call_way *way;	/* of a team's tool */
	const struct tool_values *values;	/* of a team's tool, that are asked for */
	size_t			 looked_up;	/* of its parameters with such values */
	struct buf		 export;	/* the call that a link would make again; empty: none gets a link */
	struct buf		 subject;	/* the resource's URI, or the connection that the SQL is for */
};

/* The call's place among its principal's. */
struct exchange_admission {
	struct grant		 grant;
	struct http_quota	 quota;		/* as carrel-auth told it when the call was to begin; limit 0: none */
	bool			 counted;	/* among the principal's calls in flight */
};

/* A response, while it is written. */
struct exchange_out {
	struct buf		 text, details;
	struct buf		 closing;	/* the end of a result */
};

/* What the audit is told. */
struct exchange_audit {
	struct audit_note	 note;
	struct buf		 texts;		/* that note borrows */
};

struct exchange {
	TAILQ_ENTRY(exchange)	 of_client;	/* in the transport's list */
	LIST_ENTRY(exchange)	 running;	/* in the front's list */
	struct front		*front;
	const struct transport	*transport;
	void			*client;	/* owned by the transport */
	const char		*earlier;	/* a local client's "name version" from initialize; NULL: not given */
	struct batch		*batch;		/* owned by the transport: collects the response; NULL: no batch */

	uint64_t		 serial, began_ns;
	struct buf		 id;		/* JSON text */
	enum mcp_revision	 revision;
	char			 trace[33];	/* the caller's trace id, of _meta or the header; empty: none */
	struct trace		 context;	/* the whole of it */
	struct {
		uint64_t admission_ns, worker_ns, answered_ns;	/* 0: not reached */
	}			 times;
	/* header lines of a modern request over HTTP, during dispatch; else empty */
	struct span		 fields;

	struct principal	*who;
	uint32_t		 scopes;
	struct buf		 claims;	/* of who, when the request came */
	struct buf		 tools;		/* of the team's, that its credential names; likewise */
	char			 under[33];	/* the user's grant that it came by; empty: none */

	struct exchange_session	 session;
	struct exchange_accepts	 accepts;
	struct exchange_target	 target;
	struct exchange_admission admission;
	struct exchange_out	 out;
	struct exchange_audit	 audit;

	enum exchange_stage	 stage;
	union {
		struct exchange_call	 calling;
		struct exchange_wait	 waiting;
		struct exchange_record	 recording;
	};
};

static inline bool
mcp_is_modern(const struct exchange *x)
{
	return x->revision == MCP_2026_07_28;
}

/* Join x to the caller's trace, unless it is invalid. */
void exchange_trace(struct exchange *x, const struct trace *t);

struct exchange *exchange_new(struct front *f, const struct transport *t, void *client,
    struct principal *who, enum mcp_revision revision, const struct mp_value *id);

/* Copy what meta, the _meta of a checked request, says about the client into x. */
void exchange_accept(struct exchange *x, const struct mp_value *meta);

/* Free the exchanges kept for reuse. */
void exchange_drain_pool(struct front *f);

/* SERVING → CALLING: c will answer x.  Until x ends, c counts among its principal's calls in flight. */
void exchange_begin_call(struct exchange *x, struct front_call *c);

/* CALLING → SERVING.  The caller owns the call now; questions to the client are dropped. */
struct front_call *exchange_end_call(struct exchange *x);

/* CALLING → SERVING, and cancel the call. */
void exchange_cancel_call(struct exchange *x);

/* SERVING → WAITING, and back. */
void exchange_wait(struct exchange *x, void (*forget)(struct exchange *x), void *of);
void exchange_end_wait(struct exchange *x);

/* The client is gone: cancel the work, free the exchange. */
void exchange_abandon(struct exchange *x);

/* The client of a legacy session is gone for good: the work continues, and the response is discarded. */
void exchange_orphan(struct exchange *x);

/* The client cancelled: send no response. */
void exchange_withdraw(struct exchange *x);

/*
 * Find the exchange that notifications/cancelled names.  The client is given by client, or by session
 * where client is NULL.  NULL: no such exchange, or already answered.
 */
struct exchange *exchange_find(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *params);

/* Send the answer, and free x: for answers that need not wait for an audit entry. */
void exchange_answer(struct exchange *x, const struct mcp_answer *a);

/* Send the answer as soon as its audit entry is on record, and free x. */
void exchange_finish(struct exchange *x, const struct mcp_answer *a);

/* members: the result object's members as JSON, without braces; may be empty. */
void mcp_answer(struct exchange *x, struct span members);
void mcp_answer_blob(struct exchange *x, struct blob *members);
void mcp_answer_session(struct exchange *x, struct span members, const char *session);
void mcp_answer_result(struct exchange *x, struct tool_result *r);

/* As export_offer(), to the caller of x and of its call. */
bool exchange_offer(struct exchange *x, struct buf *url, uint64_t *until_unix_s);
/* The result of subscriptions/listen: only the subscription's id, which is the request's id. */
void mcp_answer_subscription(struct exchange *x);
void mcp_answer_as(struct exchange *x, const char *type, struct span members);	/* the modern era's resultType */

/* What the result of a call depends on when its request was answered before, by a task. */
struct mcp_later {
	bool			 brief;		/* its client reads structuredContent */
	struct result_shape	 shape;
	uint32_t		 scopes;
	char			 under[33];	/* as in struct exchange; tools and export too */
	struct buf		 tools, export;
};

void mcp_keep_later(struct exchange *x, struct mcp_later *later);
void mcp_later_fini(struct mcp_later *later);

/* Append the members of a tools/call result, which has its shape already; r is freed. */
void mcp_put_result(struct front *f, struct principal *who, const struct mcp_later *later, struct tool_result *r,
    struct buf *out);

/* Append the members of an in-band error. */
void mcp_put_tool_error(struct buf *out, uint64_t serial, const struct err *err, struct span details);

/* Answer with the members of r, then after: more members as JSON, possibly none. */
void mcp_answer_members(struct exchange *x, struct tool_result *r, struct span after);

/*
 * status is the HTTP status in the modern era.  Legacy responses have 200, or 429 or 503: legacy clients
 * ignore the body of any other status.
 */
void mcp_error(struct exchange *x, int status, int code, const char *message, struct span data);

/* The same with {"code": …}. */
void mcp_error_named(struct exchange *x, int status, int code, const char *message, enum err_code name);

/* The same with Retry-After, in seconds; 0: no such field. */
void mcp_error_until(struct exchange *x, int status, int code, const char *message, struct span data,
    unsigned retry_after);

/* An in-band tool error: details is JSON, empty for none. */
void mcp_tool_error(struct exchange *x, const struct err *err, struct span details);

/*
 * Appends "required" and "missing" to the object in x->out.details, and the challenge.  required 0: the own scope of
 * the tool that is called.
 */
void mcp_put_denial(struct exchange *x, uint32_t required, struct buf *challenge);

/*
 * The caller lacks scopes: 403 with a challenge that names what it has and needs.  200 without one where
 * no credential of its kind could have them: asking for another cannot help.  required: as above.
 */
void mcp_forbidden(struct exchange *x, uint32_t required);

/* Who calls by x, and what that one could be granted; both borrow from x and its principal. */
struct tool_caller exchange_caller(struct exchange *x);
struct tool_caller exchange_reach(const struct exchange *x);

/* The part of err that the client may see. */
const char *mcp_public_message(const struct err *err);

/* Log an error that the client is not told. */
void mcp_log_failure(const struct exchange *x, const struct err *err);
