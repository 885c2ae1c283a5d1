/* answer - the response to a request of MCP, as every transport sends it. */
#pragma once

#include <sys/queue.h>

#include "base/span.h"

struct blob;
struct exchange;
struct tool_result;

TAILQ_HEAD(exchanges, exchange);

/* A response to be sent.  Spans are copied or written before answer() returns. */
struct mcp_answer {
	int		 status;	/* the HTTP status; ignored by other transports */
	struct span	 before;	/* the message up to the blob */
	struct blob	*blob;		/* shared bytes in the middle of the message */
	struct span	 after;		/* the message after the blob */
	struct tool_result	*result;	/* instead of the three: from result_begin(); ownership passes */
	const char	*session;	/* value for Mcp-Session-Id, or NULL */
	const char	*challenge;	/* value for WWW-Authenticate, or NULL */
	unsigned	 retry_after;	/* seconds of Retry-After; 0: no such field */
};
