/*
 * mcp - JSON-RPC requests of the Model Context Protocol, both eras.
 *
 * An exchange is one request that is owed an answer.  Transports (HTTP, lines
 * of a local client) make exchanges and carry their answers; the eras decide
 * what is valid and how a result is dressed; the handlers know neither.
 */
#ifndef FRONT_MCP_H
#define FRONT_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/front.h"
#include "front/jsonrpc.h"
#include "front/subscribe.h"

/* In order; everything before the last is legacy. */
enum mcp_revision {
	MCP_2024_11_05, MCP_2025_03_26, MCP_2025_06_18, MCP_2025_11_25, MCP_2026_07_28,
	MCP_REVISIONS
};

#define MCP_LATEST_LEGACY	MCP_2025_11_25

const char *mcp_revision_name(enum mcp_revision revision);

/* MCP_REVISIONS when it is none we speak. */
enum mcp_revision mcp_revision_of(struct span name);

struct batch;
struct exchange;
struct surface;

/* An answer on its way out.  Spans are copied or written before answer() returns. */
struct answer {
	int		 status;	/* HTTP; other transports ignore it */
	struct span	 before;	/* the message, … */
	struct blob	*blob;		/* … with shared bytes in the middle, … */
	struct span	 after;		/* … and the rest */
	struct result	*result;	/* instead: begun, taken over */
	const char	*session;	/* Mcp-Session-Id to give out, or NULL */
	const char	*challenge;	/* WWW-Authenticate, or NULL */
	unsigned	 retry_after;	/* seconds; 0: not said */
};

struct transport {
	bool	sessions;	/* initialize opens a session with an id */
	/* The one answer.  The exchange is freed by the caller afterwards. */
	void	(*answer)(struct exchange *x, const struct answer *a);
	/*
	 * A message before it.  After can_notify() said so, or when nothing
	 * was sent yet and the client must live with a stream.  False: the
	 * client is gone, and x with it.
	 */
	bool	(*notify)(struct exchange *x, struct span message);
	bool	(*can_notify)(const struct exchange *x);
	/* There will be no answer: the client cancelled by message. */
	void	(*withdraw)(struct exchange *x);
	/* End the client, which reads too slowly for what it asked for, and x with it. */
	void	(*cut)(struct exchange *x);
	/* What the legacy client of x has subscribed to; made when there is none.  NULL: it cannot. */
	struct subscriber *(*subscriber)(struct exchange *x);
	/* Of a client without a session id: what initialize said, the revision and what it can be asked; its log level. */
	void	(*remember)(struct exchange *x);
};

/*
 * SERVING: our own code is at work on it, before a call or after one.  Every
 * stage may end with an answer, or with none: withdrawn, abandoned.
 */
enum exchange_stage { EXCHANGE_SERVING, EXCHANGE_CALLING, EXCHANGE_WAITING };

/* A worker answers it. */
struct exchange_call {
	struct call		*call;
	struct asking		*asking;	/* ask.c's; NULL: nothing was asked */
	uint64_t		 since_ns;	/* the call began then */
	bool			 writes;	/* its tool changes something: a lost client does not stop it */
};

/* Something else than a call ends it. */
struct exchange_wait {
	void			(*forget)(struct exchange *x);	/* it was abandoned or withdrawn */
	void			*of;				/* forget()'s own */
};

struct exchange {
	TAILQ_ENTRY(exchange)	 of_client;	/* the transport's list */
	LIST_ENTRY(exchange)	 running;	/* the front's */
	struct front		*front;
	const struct transport	*transport;
	void			*client;	/* the transport's own */
	struct principal	*who;
	uint32_t		 scopes;
	enum mcp_revision	 revision;
	uint64_t		 serial;
	struct buf		 id;		/* JSON text */
	struct buf		 token;		/* progress token as JSON text; empty: none wanted */
	uint8_t			 session[SESSION_BODY];
	bool			 has_session;
	bool			 counted;	/* among its principal's calls in flight */
	int			 permille;	/* of the last progress; -1: none yet */
	unsigned		 can;		/* IPC_CAN_*: what the client may be asked */
	unsigned		 notices;	/* as in CALL: the client's log level */
	struct span		 fields;	/* header lines, while a modern request over HTTP is dispatched; else empty */
	bool			 tasks;		/* the client can come back for what takes long */
	const struct tool_entry	*tool;		/* what is called; NULL: none yet */
	const struct surface	*surface;	/* what is asked, when it is no tool */
	struct buf		 args;		/* the worker's arguments, while they are made */
	struct buf		 text, details;	/* an answer, while it is written */
	struct buf		 subject;	/* the resource's URI, or the connection that SQL is for */
	char			 trace[33];	/* _meta.traceparent's trace id; empty: none */
	enum exchange_stage	 stage;
	union {
		struct exchange_call	 calling;
		struct exchange_wait	 waiting;
	};
	struct batch		*batch;		/* the transport's own: its answer is collected there */
};

TAILQ_HEAD(exchanges, exchange);

static inline bool
mcp_is_modern(const struct exchange *x)
{
	return x->revision == MCP_2026_07_28;
}

/* --- exchanges (mcp.c) --------------------------------------------------------- */

struct exchange *exchange_new(struct front *f, const struct transport *t, void *client,
    struct principal *who, enum mcp_revision revision, const struct mp_value *id);

/* Free what is kept for reuse. */
void exchange_drain_pool(struct front *f);

/* SERVING → CALLING: c answers x, and is among its principal's calls in flight until x has ended. */
void exchange_begin_call(struct exchange *x, struct call *c);

/* CALLING → SERVING.  The call is the caller's now, what was asked of the client is dropped. */
struct call *exchange_end_call(struct exchange *x);

/* The same, and the worker is told to stop. */
void exchange_cancel_call(struct exchange *x);

/* SERVING → WAITING, and back. */
void exchange_wait(struct exchange *x, void (*forget)(struct exchange *x), void *of);
void exchange_end_wait(struct exchange *x);

/* The client is gone: stop the work, forget the exchange. */
void exchange_abandon(struct exchange *x);

/* The client of a legacy session is gone for good: the work goes on, the answer is thrown away. */
void exchange_orphan(struct exchange *x);

/* The client asked to stop: no answer. */
void exchange_withdraw(struct exchange *x);

/*
 * The exchange that notifications/cancelled means: of this client, or of this
 * session where client is NULL.  NULL: none, or already answered.
 */
struct exchange *exchange_find(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *params);

/* --- answers; each ends the exchange -------------------------------------------- */

/* members: the result object's members as JSON, without braces; may be empty. */
void mcp_answer(struct exchange *x, struct span members);
void mcp_answer_blob(struct exchange *x, struct blob *members);
void mcp_answer_session(struct exchange *x, struct span members, const char *session);
void mcp_answer_result(struct exchange *x, struct result *r);
/* Of subscriptions/listen: nothing but the subscription's id, which is the request's. */
void mcp_answer_subscription(struct exchange *x);
void mcp_answer_as(struct exchange *x, const char *type, struct span members);	/* modern only: resultType */

/* Append a tools/call result's members, once and for all: r is freed.  The same for an in-band error. */
void mcp_put_result(struct buf *out, struct result *r);
void mcp_put_tool_error(struct buf *out, uint64_t serial, const struct err *err, struct span details);

/* The members of r as the result itself, then after: more members as JSON, each with its comma in front. */
void mcp_answer_members(struct exchange *x, struct result *r, struct span after);

/* status: HTTP's, for the modern era; legacy clients lose the body of any other than 200. */
void mcp_error(struct exchange *x, int status, int code, const char *message, struct span data);

/* An in-band tool error: details is JSON, empty for none. */
void mcp_tool_error(struct exchange *x, const struct err *err, struct span details);

/* 403 with its challenge. */
void mcp_forbidden(struct exchange *x, uint32_t required);

/* What the client may read of err. */
const char *mcp_public_message(const struct err *err);

/* A line in the log for what the client is not told. */
void mcp_log_failure(const struct exchange *x, const struct err *err);

#endif
