/* model_http - requests to a model's endpoint, over connections that the supervisor hands over. */
#pragma once

#include <curl/curl.h>

#include "base/buf.h"
#include "ipc/messages.h"
#include "workers/shared/tool.h"

/* A model's endpoint. */
struct model_at {
	enum ipc_outside	 place;
	struct span	 url, host, key;	/* as in CONFIGURE_AGENT */
	const char	*path;			/* appended to the URL unless it ends so: "/chat/completions" */
	size_t		 answer_max;		/* bytes of one answer */
};

struct model_request;

struct model_http {
	enum ipc_outside		 place;
	size_t			 answer_max;
	CURLM			*multi;
	struct buf		 url, resolve, key, certificates;	/* as C strings; key is wiped at the end */
	struct curl_slist	*names;		/* for `resolve` */
	uint64_t		 serial;	/* of the last requested connection */
	struct model_request	*requests;	/* in progress, one for each call */
};

/* Load libraries and certificates, and use both once.  -1 with *err. */
int model_http_open(struct model_http *h, const struct model_at *at, struct err *err);
void model_http_close(struct model_http *h);

/* A connection arrived. */
void model_http_dialled(struct model_http *h, uint64_t serial, int fd);

/*
 * Post body, JSON, until until_ns.  0: *status, the body in *out, and *retry_ms from Retry-After (0: absent).  1: no
 * complete answer, for the reason in why.  -1 with *err: the call must end.
 */
int model_http_post(struct model_http *h, struct call *c, struct span body, uint64_t until_ns, struct buf *out,
    long *status, uint64_t *retry_ms, char why[160], struct err *err);
