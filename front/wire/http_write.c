#include <stdio.h>

#include "base/date.h"
#include "front/wire/http_write.h"

const char *
http_reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} rows[] = {
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 302, "Found" },
		{ 303, "See Other" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 410, "Gone" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 417, "Expectation Failed" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 499, "Client Closed Request" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].status == status)
			return rows[i].text;
	return "Unknown";
}

void
http_date(uint64_t unix_s, char out[30])
{
	static const char days[][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
	};
	uint64_t day_number = unix_s / 86400;
	unsigned second = (unsigned)(unix_s % 86400);
	struct date d = date_of_days((int64_t)day_number);

	snprintf(out, 30, "%s, %02u %s %04u %02u:%02u:%02u GMT", days[day_number % 7], d.day % 100,
	    months[(d.month - 1) % 12], (unsigned)d.year % 10000, second / 3600 % 24, second / 60 % 60, second % 60);
}

static void
put_date(struct buf *out, struct http_date_line *date, uint64_t unix_s)
{
	if (date->text[0] == '\0' || date->unix_s != unix_s) {
		memcpy(date->text, "Date: ", 6);
		http_date(unix_s, date->text + 6);
		memcpy(date->text + 35, "\r\n", 3);
		date->unix_s = unix_s;
	}
	buf_append(out, date->text, 37);
}

static void
put_field(struct buf *out, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buf_str(out, name);
	buf_append(out, ": ", 2);
	buf_str(out, value);
	buf_append(out, "\r\n", 2);
}

static void
put_cors(struct buf *out, const struct http_reply *r)
{
	if (r->cors_origin.len == 0)
		return;
	buf_str(out, "Access-Control-Allow-Origin: ");
	buf_span(out, r->cors_origin);
	buf_str(out,
	    "\r\nVary: Origin\r\nAccess-Control-Expose-Headers: mcp-session-id, www-authenticate, "
	    "carrel-receipt, ratelimit, ratelimit-policy, retry-after\r\n");
	if (r->preflight)
		buf_str(out,
		    "Access-Control-Allow-Methods: GET, POST, DELETE\r\n"
		    "Access-Control-Allow-Headers: content-type, authorization, mcp-session-id, "
		    "mcp-protocol-version, mcp-method, mcp-name, last-event-id\r\n"
		    "Access-Control-Max-Age: 600\r\n");
}

static void
put_quota(struct buf *out, const struct http_quota *q)
{
	if (q->limit > 0)
		buf_printf(out, "RateLimit: \"token\";r=%u;t=%u\r\nRateLimit-Policy: \"token\";q=%u;w=60\r\n",
		    q->remaining, q->reset_s, q->limit);
}

void
http_put_head(struct buf *out, const struct http_reply *r, struct http_date_line *date, uint64_t unix_s)
{
	if (r->status == 200)
		buf_str(out, "HTTP/1.1 200 OK\r\n");
	else
		buf_printf(out, "HTTP/1.1 %d %s\r\n", r->status, http_reason(r->status));
	put_date(out, date, unix_s);
	put_field(out, "Content-Type", r->type);
	if (r->body == HTTP_BODY_LENGTH) {
		buf_str(out, "Content-Length: ");
		buf_uint(out, r->length);
		buf_append(out, "\r\n", 2);
	} else if (r->body == HTTP_BODY_CHUNKED)
		buf_str(out, "Transfer-Encoding: chunked\r\n");
	if (r->stream)
		buf_str(out, "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n");
	else if (r->no_store)
		buf_str(out, "Cache-Control: no-store\r\n");
	put_field(out, "Mcp-Session-Id", r->session);
	put_field(out, "WWW-Authenticate", r->challenge);
	put_field(out, "Allow", r->allow);
	if (r->retry_after > 0)
		buf_printf(out, "Retry-After: %u\r\n", r->retry_after);
	put_field(out, "Carrel-Receipt", r->receipt);
	put_quota(out, &r->quota);
	if (r->fields != NULL)
		buf_str(out, r->fields);
	put_cors(out, r);
	if (r->secure)
		buf_str(out, "Strict-Transport-Security: max-age=31536000\r\n");
	if (r->close)
		buf_str(out, "Connection: close\r\n");
	else if (r->keep)
		buf_str(out, "Connection: keep-alive\r\n");
	buf_append(out, "\r\n", 2);
}
