/*
 * http_parse - bytes from strangers to an HTTP/1.1 request, or a refusal.
 *
 * Pure: no I/O, no clock, no allocation.  RFC 9110 and 9112, narrowed where
 * two readers could disagree: CRLF only, no folded lines, no space around a
 * field name, one framing, no repeated field that has one value.  Refusals
 * are HTTP statuses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define HTTP_HEAD_MAX	(16u * 1024)	/* request line and fields; beyond: 431 */
#define HTTP_TARGET_MAX	(8u * 1024)	/* beyond: 414 */
#define HTTP_FIELDS_MAX	100u		/* beyond: 431 */

enum http_method { HTTP_OTHER, HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_DELETE, HTTP_OPTIONS, HTTP_PATCH };

enum http_framing { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED };

/* Fields that the front uses.  All others are only checked for syntax. */
enum http_field {
	HTTP_HOST, HTTP_ORIGIN, HTTP_AUTHORIZATION, HTTP_CONTENT_TYPE, HTTP_CONTENT_ENCODING,
	HTTP_SESSION_ID,	/* Mcp-Session-Id */
	HTTP_PROTOCOL_VERSION,	/* MCP-Protocol-Version */
	HTTP_MCP_METHOD, HTTP_MCP_NAME, HTTP_LAST_EVENT_ID,
	HTTP_FORWARDED_FOR,	/* kept: the last line. Proxies add lines of their own; all lines are in fields. */
	HTTP_FORWARDED_PROTO,
	HTTP_SEC_FETCH_SITE,
	HTTP_TRACEPARENT,
	HTTP_FIELDS
};

struct http_request {
	enum http_method	method;
	enum http_framing	framing;
	uint64_t		length;		/* HTTP_LENGTH only */
	unsigned		minor;		/* HTTP/1.<minor>, 0 or 1 */
	bool			close;		/* the client sends no further request */
	bool			expect_continue;
	bool			accepts_json;	/* Accept names it, or a wildcard, or is absent */
	bool			accepts_stream;	/* Accept names text/event-stream itself */
	bool			accepts_openmetrics;	/* Accept names it */
	bool			accepts_html;	/* Accept names text/html or a wildcard, or is absent */
	bool			takes_stream;	/* Accept names text/event-stream or a wildcard, or is absent */
	struct span		path, query;	/* as sent, escapes checked, not decoded; query without '?' */
	struct span		fields;		/* all of them, as lines */
	struct span		field[HTTP_FIELDS]; /* without white space around; p is NULL when absent */
};

/* State of the search for the end of the head.  Zeroed to begin. */
struct http_scan {
	size_t		at;
	unsigned	lines;
};

/*
 * Look for the end of a head in bytes, which only ever grow between calls
 * with the same scan; work is linear over all calls.  Returns 0 when more is
 * needed, the length of the head with its empty line, or minus the status of
 * a refusal.
 */
int http_scan_head(struct http_scan *scan, struct span bytes);

/*
 * Read a complete head.  Returns 0 or the status of a refusal.  *r borrows
 * from head.
 */
int http_parse_head(struct span head, struct http_request *r);

/* Adjust the spans of r after its head was copied from `from` to `to`. */
void http_request_move(struct http_request *r, const uint8_t *from, const uint8_t *to);

/* Read the next line of r->fields; *at starts at zero.  False after the last. */
bool http_next_field(const struct http_request *r, size_t *at, struct span *name, struct span *value);

/* Reader of a chunked body.  Zeroed to begin. */
struct http_chunked {
	int		state;
	unsigned	digits, line;
	uint64_t	left;
	size_t		trailers;
};

/*
 * Decode chunked bytes from in and append the data to out, which may grow to max bytes.  *used is the
 * number of bytes consumed.  Returns 0 when more is needed, 1 at the end of the body, or minus the
 * status of a refusal.
 */
int http_chunked_read(struct http_chunked *c, struct span in, size_t *used, struct buf *out,
    size_t max);

/* True when the media type of value is type; parameters are ignored. */
bool http_media_type_is(struct span value, const char *type);

/* s without leading and trailing spaces and tabs. */
struct span http_trim(struct span s);

/* Compare without regard to ASCII case. */
bool http_same(struct span a, const char *lower);
