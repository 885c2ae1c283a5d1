/* http_write - heads of HTTP responses, no longer than they must be. */
#ifndef FRONT_HTTP_WRITE_H
#define FRONT_HTTP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define HTTP_HEAD_ROOM	1024u	/* no head of ours is longer */

enum http_body { HTTP_BODY_LENGTH, HTTP_BODY_CHUNKED, HTTP_BODY_TO_CLOSE, HTTP_BODY_NONE };

struct http_reply {
	int		 status;
	enum http_body	 body;
	size_t		 length;	/* HTTP_BODY_LENGTH only */
	const char	*type;		/* media type, NULL: none */
	bool		 stream;	/* of events: not to be cached or buffered on the way */
	bool		 no_store;
	bool		 close;		/* announce the end of the connection */
	bool		 keep;		/* announce its continuation: HTTP/1.0 */
	const char	*session, *challenge, *allow;	/* or NULL */
	enum err_code	 refusal;	/* why conn_refuse() is called; ERR_NONE: as the status says */
	unsigned	 retry_after;	/* seconds; 0: not said */
	struct span	 cors_origin;	/* empty: none */
	bool		 preflight;	/* with what a browser asks before */
};

/* "Method Not Allowed"; never NULL. */
const char *http_reason(int status);

/* The Date field of one second, written once for all its replies.  Begin with zeros. */
struct http_date_line {
	uint64_t	unix_s;
	char		text[40];
};

/* Append the head with its empty line.  unix_s is for Date, date the caller's to keep. */
void http_put_head(struct buf *out, const struct http_reply *r, struct http_date_line *date, uint64_t unix_s);

/* "Sun, 06 Nov 1994 08:49:37 GMT", 29 characters and a NUL. */
void http_date(uint64_t unix_s, char out[30]);

#endif
