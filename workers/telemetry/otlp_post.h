/*
 * otlp_post - one request at a time to the receiver, without waiting: over a connection that the supervisor is asked
 * for and hands over.
 */
#pragma once

#include <curl/curl.h>

#include "base/buf.h"
#include "ipc/messages.h"

#define OTLP_POST_MS	10000u	/* one request, its connection included */

enum post_outcome {
	POST_IDLE,		/* there is no request */
	POST_WORKING,
	POST_DONE,
	POST_AGAIN,		/* it may be sent again: the receiver is away, slow or busy */
	POST_REFUSED		/* it will never be taken */
};

struct otlp_post {
	CURLM			*multi;
	CURL			*easy;
	struct curl_slist	*names, *headers;
	struct buf		 url, resolve, certificates;
	struct span		 body;		/* the caller's, until the outcome is known */
	uint64_t		 serial, until_ns;
	uint64_t		 retry_ms;	/* of Retry-After; 0: it says none */
	int			 fd;		/* the connection, until libcurl has it; -1: none */
	bool			 working;
	char			 path[16];	/* "/v1/traces" */
	char			 trouble[CURL_ERROR_SIZE];	/* of the library, of the request under way */
	char			 why[400];	/* of POST_AGAIN and POST_REFUSED */
};

/* Load libraries and certificates, and use both once.  -1 with *err. */
int otlp_post_open(struct otlp_post *p, const struct ipc_configure_telemetry *m, struct err *err);
void otlp_post_close(struct otlp_post *p);

/* Begin to post body, JSON, to path below the configured URL.  There is no other request. */
void otlp_post_begin(struct otlp_post *p, const char *path, struct span body);

/* The connection with this serial has come; fd is taken over. */
void otlp_post_dialled(struct otlp_post *p, uint64_t serial, int fd);

/* Go on with the request.  Anything but POST_IDLE and POST_WORKING is told once, and ends it. */
enum post_outcome otlp_post_go_on(struct otlp_post *p);
