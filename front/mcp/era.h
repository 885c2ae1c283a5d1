/*
 * era - what mcp_http asks of the revisions before 2026-07-28, which have sessions.  legacy_http.c has the one table;
 * main.c hands it over.
 */
#pragma once

#include "front/mcp/exchange.h"

struct conn;
struct http_request;
struct rpc;
struct stream;

struct era {
	/* messages that do not claim the modern revision in _meta */
	void	(*request)(struct conn *c, const struct http_request *q, struct principal *who, const struct rpc *rpc);
	void	(*notification)(struct conn *c, const struct http_request *q, struct principal *who,
	    const struct rpc *rpc);
	void	(*response)(struct conn *c, const struct http_request *q, struct principal *who,
	    const struct mp_value *message);
	void	(*batch)(struct conn *c, const struct http_request *q, struct principal *who,
	    const struct mp_value *batch);
	/* GET and DELETE on a session */
	void	(*get)(struct conn *c, const struct http_request *q, struct principal *who);
	void	(*delete)(struct conn *c, const struct http_request *q, struct principal *who);
	/* the stream of a session: stream.h */
	void	(*stream_begin)(struct conn *c, const struct exchange *x);	/* c->stream, if x's can be resumed */
	void	(*stream_put)(struct stream *s, struct span answers, const struct mcp_answer *a);
	void	(*stream_finish)(struct stream *s);
	void	(*stream_break)(struct stream *s);
	/* the subscriber of x's session, created if missing; NULL: it has ended */
	struct subscriber *(*subscriber)(const struct exchange *x);
};
