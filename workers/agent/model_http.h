/* model_http - one request to a model's endpoint, over a connection that the supervisor hands over. */
#ifndef AGENT_MODEL_HTTP_H
#define AGENT_MODEL_HTTP_H

#include <curl/curl.h>

#include "base/buf.h"
#include "ipc/ipc.h"
#include "workers/shared/tool.h"

/* Where a model is, and what is asked of it there. */
struct model_at {
	enum ipc_outside	 place;
	struct span	 url, host, key;	/* as CONFIGURE_AGENT has them */
	const char	*path;			/* behind the URL, unless that ends with it: "/chat/completions" */
	size_t		 answer_max;		/* bytes of one answer */
};

struct model_request;

struct model_http {
	enum ipc_outside		 place;
	size_t			 answer_max;
	CURLM			*multi;
	struct buf		 url, resolve, key, certificates;	/* as C strings; key is wiped at the end */
	struct curl_slist	*names;		/* of resolve */
	uint64_t		 serial;	/* of the connection asked for last */
	struct model_request	*requests;	/* under way, one a call */
};

/* Libraries, certificates and the first use of both.  -1 with *err. */
int model_http_open(struct model_http *h, const struct model_at *at, struct err *err);
void model_http_close(struct model_http *h);

/* A connection came. */
void model_http_dialled(struct model_http *h, uint64_t serial, int fd);

/*
 * Post body, JSON, until the clock says until_ns.  0: *status and the answer's body in *out, *retry_ms what it said
 * of when to come again (0: nothing).  1: there was no whole answer, why says why.  -1 with *err: the call must end.
 */
int model_http_post(struct model_http *h, struct call *c, struct span body, uint64_t until_ns, struct buf *out,
    long *status, uint64_t *retry_ms, char why[160], struct err *err);

#endif
