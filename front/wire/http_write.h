/* http_write - heads of HTTP responses, kept short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define HTTP_HEAD_ROOM	1024u	/* upper bound of a response head */

enum http_body { HTTP_BODY_LENGTH, HTTP_BODY_CHUNKED, HTTP_BODY_TO_CLOSE, HTTP_BODY_NONE };

/* For RateLimit and RateLimit-Policy: `remaining` of `limit`, in a minute that ends in reset_s; 0: no fields. */
struct http_quota {
	unsigned	limit, remaining, reset_s;
};

struct http_reply {
	int		 status;
	enum http_body	 body;
	size_t		 length;	/* HTTP_BODY_LENGTH only */
	const char	*type;		/* media type, NULL: none */
	bool		 stream;	/* event stream: must not be cached or buffered by proxies */
	bool		 no_store;
	const char	*fields;	/* whole lines of further fields, or NULL */
	bool		 secure;	/* clients use https: send Strict-Transport-Security */
	bool		 close;		/* send Connection: close */
	bool		 keep;		/* send Connection: keep-alive (HTTP/1.0) */
	const char	*session, *challenge, *allow;	/* or NULL */
	enum err_code	 refusal;	/* reason for conn_refuse(); ERR_NONE: the status is the reason */
	unsigned	 retry_after;	/* seconds of Retry-After; 0: no such field */
	struct span	 cors_origin;	/* empty: none */
	bool		 preflight;	/* add the fields that answer a CORS preflight */
	const char	*receipt;	/* value of Carrel-Receipt, or NULL */
	struct http_quota quota;
};

/* "Method Not Allowed"; never NULL. */
const char *http_reason(int status);

/* The Date field, formatted once per second and reused.  Zeroed to begin. */
struct http_date_line {
	uint64_t	unix_s;
	char		text[40];
};

/* Append the head with its empty line.  unix_s is the time for Date; date is the caller's cache of the field. */
void http_put_head(struct buf *out, const struct http_reply *r, struct http_date_line *date, uint64_t unix_s);

/* "Sun, 06 Nov 1994 08:49:37 GMT", 29 characters and a NUL. */
void http_date(uint64_t unix_s, char out[30]);
