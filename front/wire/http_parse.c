#include <string.h>

#include "base/ascii.h"
#include "front/wire/http_parse.h"

/* Classes of bytes.  TOKEN: RFC 9110 5.6.2.  VALUE: in a field value.  TARGET: RFC 3986, '%' aside. */
enum { TOKEN = 1, VALUE = 2, TARGET = 4, HEX = 8 };

#define T	(TOKEN | VALUE)
#define TT	(TOKEN | VALUE | TARGET)
#define H	(TOKEN | VALUE | TARGET | HEX)
#define V	VALUE
#define VT	(VALUE | TARGET)

static const uint8_t classes[256] = {
	['\t'] = V, [' '] = V, ['!'] = TT, ['"'] = V, ['#'] = T, ['$'] = TT, ['%'] = T, ['&'] = TT,
	['\''] = TT, ['('] = VT, [')'] = VT, ['*'] = TT, ['+'] = TT, [','] = VT, ['-'] = TT,
	['.'] = TT, ['/'] = VT, ['0' ... '9'] = H, [':'] = VT, [';'] = VT, ['<'] = V, ['='] = VT,
	['>'] = V, ['?'] = VT, ['@'] = VT, ['A' ... 'F'] = H, ['G' ... 'Z'] = TT, ['['] = V,
	['\\'] = V, [']'] = V, ['^'] = T, ['_'] = TT, ['`'] = T, ['a' ... 'f'] = H,
	['g' ... 'z'] = TT, ['{'] = V, ['|'] = T, ['}'] = V, ['~'] = TT, [0x80 ... 0xff] = V,
};

static bool
all_of(const uint8_t *p, size_t n, uint8_t class)
{
	for (size_t i = 0; i < n; i++)
		if ((classes[p[i]] & class) == 0)
			return false;
	return true;
}

bool
http_same(struct span a, const char *b)
{
	size_t n = strlen(b);

	if (a.len != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ascii_lower(a.p[i]) != (uint8_t)b[i])
			return false;
	return true;
}

struct span
http_trim(struct span s)
{
	while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s.p++, s.len--;
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* The next element of a comma-separated list, trimmed; false at its end. */
static bool
next_element(struct span *list, struct span *element)
{
	const uint8_t *comma;
	size_t n;

	if (list->len == 0)
		return false;
	comma = memchr(list->p, ',', list->len);
	n = comma == NULL ? list->len : (size_t)(comma - list->p);
	*element = http_trim(span_of(list->p, n));
	n += comma != NULL;
	*list = span_of(list->p + n, list->len - n);
	return true;
}

bool
http_media_type_is(struct span value, const char *type)
{
	const uint8_t *semicolon = value.len == 0 ? NULL : memchr(value.p, ';', value.len);

	if (semicolon != NULL)
		value.len = (size_t)(semicolon - value.p);
	return http_same(http_trim(value), type);
}

int
http_scan_head(struct http_scan *scan, struct span bytes)
{
	/*
	 * A request starts with a method.  A TLS hello or a binary probe is refused at once, without waiting
	 * for the deadline.
	 */
	if (bytes.len > 0 && bytes.p[0] != '\r' && (classes[bytes.p[0]] & TOKEN) == 0)
		return -400;
	for (;;) {
		size_t left = bytes.len - scan->at;
		const uint8_t *line = left == 0 ? NULL : bytes.p + scan->at;
		const uint8_t *lf = left == 0 ? NULL : memchr(line, '\n', left);
		size_t start;

		if (lf == NULL) {
			/* Go back to the last byte, which may be the CR of a CRLF. */
			if (bytes.len >= HTTP_HEAD_MAX)
				return scan->lines == 0 && bytes.len > HTTP_TARGET_MAX ? -414 : -431;
			scan->at = bytes.len;
			return 0;
		}
		start = (size_t)(lf - bytes.p);
		if (start == 0 || bytes.p[start - 1] != '\r')
			return -400;
		scan->at = start + 1;
		if (scan->at > HTTP_HEAD_MAX)
			return -431;
		if (start == 1 || bytes.p[start - 2] == '\n') {
			if (start == 1)
				return -400; /* the request line is missing */
			return (int)scan->at;
		}
		if (++scan->lines > HTTP_FIELDS_MAX + 1)
			return -431;
	}
}

static enum http_method
method_of(struct span s)
{
	static const struct {
		const char *name;
		enum http_method method;
	} rows[] = {
		{ "POST", HTTP_POST },
		{ "GET", HTTP_GET },
		{ "DELETE", HTTP_DELETE },
		{ "PATCH", HTTP_PATCH },
		{ "OPTIONS", HTTP_OPTIONS },
		{ "HEAD", HTTP_HEAD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (span_is_str(s, rows[i].name))
			return rows[i].method;
	return HTTP_OTHER;
}

/* Check for characters of RFC 3986.  Percent escapes must be complete and must not encode NUL. */
static bool
target_valid(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != '%') {
			if ((classes[s.p[i]] & TARGET) == 0)
				return false;
			continue;
		}
		if (s.len - i < 3 || (classes[s.p[i + 1]] & HEX) == 0 || (classes[s.p[i + 2]] & HEX) == 0)
			return false;
		if (s.p[i + 1] == '0' && s.p[i + 2] == '0')
			return false;
		i += 2;
	}
	return true;
}

/*
 * Read origin-form, or absolute-form with http.  The authority of an absolute-form target goes to
 * *authority: RFC 9112 3.2.2 lets it replace Host, and the caller compares the two.
 */
static int
read_target(struct span s, struct http_request *r, struct span *authority)
{
	const uint8_t *mark;

	if (s.len > HTTP_TARGET_MAX)
		return 414;
	if (s.len == 1 && s.p[0] == '*' && r->method == HTTP_OPTIONS) {
		r->path = s;
		return 0;
	}
	if (s.len > 7 && http_same(span_of(s.p, 7), "http://")) {
		s = span_of(s.p + 7, s.len - 7);
		mark = memchr(s.p, '/', s.len);
		if (mark == NULL || mark == s.p)
			return 400;
		*authority = span_of(s.p, (size_t)(mark - s.p));
		s = span_of(mark, s.len - authority->len);
	}
	if (s.len == 0 || s.p[0] != '/' || !target_valid(s))
		return 400;
	mark = memchr(s.p, '?', s.len);
	r->path = span_of(s.p, mark == NULL ? s.len : (size_t)(mark - s.p));
	if (mark != NULL)
		r->query = span_of(mark + 1, s.len - r->path.len - 1);
	return 0;
}

static int
read_request_line(struct span line, struct http_request *r, struct span *authority)
{
	const uint8_t *sp = memchr(line.p, ' ', line.len);
	struct span method, version;
	int status;

	if (sp == NULL || sp == line.p)
		return 400;
	method = span_of(line.p, (size_t)(sp - line.p));
	line = span_of(sp + 1, line.len - method.len - 1);
	sp = line.len == 0 ? NULL : memchr(line.p, ' ', line.len);
	if (sp == NULL || sp == line.p || !all_of(method.p, method.len, TOKEN))
		return 400;
	version = span_of(sp + 1, line.len - (size_t)(sp - line.p) - 1);
	if (version.len != 8 || memcmp(version.p, "HTTP/", 5) != 0 || version.p[6] != '.' || version.p[5] < '0' ||
	    version.p[5] > '9' || version.p[7] < '0' || version.p[7] > '9')
		return 400;
	if (version.p[5] != '1' || version.p[7] > '1')
		return 505;
	r->minor = version.p[7] - '0';
	r->close = r->minor == 0;
	r->method = method_of(method);
	status = read_target(span_of(line.p, (size_t)(sp - line.p)), r, authority);
	return status;
}

static const struct {
	const char	*name;		/* in lower case */
	enum http_field	 field;
	bool		 list;		/* repeated lines form one list */
} known[] = {
	{ "host", HTTP_HOST, false }, { "origin", HTTP_ORIGIN, false },
	{ "authorization", HTTP_AUTHORIZATION, false }, { "content-type", HTTP_CONTENT_TYPE, false },
	{ "content-encoding", HTTP_CONTENT_ENCODING, true },
	{ "mcp-session-id", HTTP_SESSION_ID, false }, { "mcp-protocol-version", HTTP_PROTOCOL_VERSION, false },
	{ "mcp-method", HTTP_MCP_METHOD, false }, { "mcp-name", HTTP_MCP_NAME, false },
	{ "last-event-id", HTTP_LAST_EVENT_ID, false }, { "x-forwarded-for", HTTP_FORWARDED_FOR, true },
	{ "x-forwarded-proto", HTTP_FORWARDED_PROTO, false }, { "sec-fetch-site", HTTP_SEC_FETCH_SITE, false },
	{ "traceparent", HTTP_TRACEPARENT, false },
};

/* The framing that the fields declare; checked when all fields are read. */
struct framing {
	bool	has_length, has_coding, has_accept;
};

static int
read_length(struct span value, struct http_request *r, struct framing *f)
{
	uint64_t n = 0;

	if (f->has_length || value.len == 0 || value.len > 18)
		return 400; /* repeated, even with the same value: two parsers could disagree */
	for (size_t i = 0; i < value.len; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return 400;
		n = n * 10 + (uint64_t)(value.p[i] - '0');
	}
	f->has_length = true;
	r->length = n;
	return 0;
}

static int
read_connection(struct span value, struct http_request *r)
{
	struct span element;

	while (next_element(&value, &element)) {
		if (http_same(element, "close"))
			r->close = true;
		else if (http_same(element, "keep-alive") && r->minor == 0)
			r->close = false;
	}
	return 0;
}

static int
read_accept(struct span value, struct http_request *r, struct framing *f)
{
	struct span element;

	f->has_accept = true;
	while (next_element(&value, &element)) {
		if (http_media_type_is(element, "text/event-stream"))
			r->accepts_stream = r->takes_stream = true;
		else if (http_media_type_is(element, "application/json") ||
		    http_media_type_is(element, "application/*"))
			r->accepts_json = true;
		else if (http_media_type_is(element, "application/openmetrics-text"))
			r->accepts_openmetrics = true;
		else if (http_media_type_is(element, "text/*"))
			r->takes_stream = r->accepts_html = true;
		else if (http_media_type_is(element, "text/html"))
			r->accepts_html = true;
		else if (http_media_type_is(element, "*/*"))
			r->accepts_json = r->accepts_html = r->takes_stream = true;
	}
	return 0;
}

static int
read_field(struct span name, struct span value, struct http_request *r, struct framing *f)
{
	switch (name.len) {
	case 6:
		if (http_same(name, "accept"))
			return read_accept(value, r, f);
		if (http_same(name, "expect")) {
			if (!http_same(value, "100-continue"))
				return 417;
			r->expect_continue = r->minor == 1;
			return 0;
		}
		break;
	case 10:
		if (http_same(name, "connection"))
			return read_connection(value, r);
		break;
	case 14:
		if (http_same(name, "content-length"))
			return read_length(value, r, f);
		break;
	case 17:
		if (http_same(name, "transfer-encoding")) {
			if (f->has_coding || !http_same(value, "chunked"))
				return f->has_coding ? 400 : 501;
			f->has_coding = true;
			return 0;
		}
		break;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (http_same(name, known[i].name)) {
			struct span *slot = &r->field[known[i].field];

			if (slot->p != NULL && !known[i].list)
				return 400;
			*slot = value;
			return 0;
		}
	return 0;
}

static int
read_line(struct span line, struct http_request *r, struct framing *f)
{
	size_t n = 0;

	while (n < line.len && (classes[line.p[n]] & TOKEN) != 0)
		n++;
	if (n == 0 || n == line.len || line.p[n] != ':')
		return 400; /* also folded lines and "Host : x" */
	if (!all_of(line.p + n + 1, line.len - n - 1, VALUE))
		return 400;
	return read_field(span_of(line.p, n), http_trim(span_of(line.p + n + 1, line.len - n - 1)), r, f);
}

static int
judge_framing(struct http_request *r, const struct framing *f)
{
	if (f->has_coding) {
		if (f->has_length || r->minor == 0)
			return 400; /* RFC 9112 6.1: both together are a smuggling attempt */
		r->framing = HTTP_CHUNKED;
	} else if (f->has_length && r->length > 0)
		r->framing = HTTP_LENGTH;
	if (r->framing == HTTP_NO_BODY)
		r->expect_continue = false;
	return 0;
}

int
http_parse_head(struct span head, struct http_request *r)
{
	const uint8_t *p = head.p, *end = head.p + head.len;
	struct span authority = { NULL, 0 };
	struct framing f = { false };
	bool first = true;
	int status;

	*r = (struct http_request){ .method = HTTP_OTHER };
	while (p < end) {
		const uint8_t *lf = memchr(p, '\n', (size_t)(end - p));
		struct span line;

		if (lf == NULL || lf == p || lf[-1] != '\r')
			return 400;
		line = span_of(p, (size_t)(lf - p) - 1);
		p = lf + 1;
		if (line.len == 0)
			break;
		if (!first && r->fields.p == NULL)
			r->fields = span_of(line.p, (size_t)(end - line.p));
		status = first ? read_request_line(line, r, &authority) : read_line(line, r, &f);
		if (status != 0)
			return status;
		first = false;
	}
	if (first || p != end || r->field[HTTP_HOST].p == NULL)
		return 400;
	if (authority.p != NULL && !span_is(authority, r->field[HTTP_HOST]))
		return 400;
	if (!f.has_accept)
		r->accepts_json = r->accepts_html = r->takes_stream = true;
	return judge_framing(r, &f);
}

static void
move_span(struct span *s, const uint8_t *from, const uint8_t *to)
{
	if (s->p != NULL)
		s->p = to + (s->p - from);
}

void
http_request_move(struct http_request *r, const uint8_t *from, const uint8_t *to)
{
	move_span(&r->path, from, to);
	move_span(&r->query, from, to);
	move_span(&r->fields, from, to);
	for (size_t i = 0; i < HTTP_FIELDS; i++)
		move_span(&r->field[i], from, to);
}

bool
http_next_field(const struct http_request *r, size_t *at, struct span *name, struct span *value)
{
	const uint8_t *p = r->fields.p + *at, *colon, *lf;
	size_t left = r->fields.len - *at;

	if (left <= 2 || (lf = memchr(p, '\n', left)) == NULL || (colon = memchr(p, ':', left)) == NULL)
		return false;
	*name = span_of(p, (size_t)(colon - p));
	*value = http_trim(span_of(colon + 1, (size_t)(lf - colon) - 2));
	*at += (size_t)(lf - p) + 1;
	return true;
}

enum chunk_state {
	CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_SIZE_LF, CHUNK_DATA, CHUNK_DATA_CR, CHUNK_DATA_LF,
	CHUNK_TRAILER, CHUNK_TRAILER_LINE, CHUNK_TRAILER_LF, CHUNK_END_LF, CHUNK_DONE
};

#define CHUNK_LINE_MAX	256u	/* a size line with its extensions; beyond: 400 */

static unsigned
hex_value(uint8_t c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(ascii_lower(c) - 'a' + 10);
}

/* Read one byte that is not chunk data.  Returns 0, 1 at the end of the body, or minus a status. */
static int
chunk_byte(struct http_chunked *c, uint8_t byte, size_t room)
{
	if (c->state <= CHUNK_SIZE_LF && ++c->line > CHUNK_LINE_MAX)
		return -400;
	if (c->state >= CHUNK_TRAILER && ++c->trailers > HTTP_HEAD_MAX)
		return -431;
	switch ((enum chunk_state)c->state) {
	case CHUNK_SIZE:
		if ((classes[byte] & HEX) != 0) {
			if (++c->digits > 8)
				return -413;
			c->left = c->left << 4 | hex_value(byte);
			return 0;
		}
		if (c->digits == 0)
			return -400;
		if (c->left > room)
			return -413;
		if (byte != '\r' && byte != ';')
			return -400;
		c->state = byte == '\r' ? CHUNK_SIZE_LF : CHUNK_EXTENSION;
		return 0;
	case CHUNK_EXTENSION:
		if (byte == '\r')
			c->state = CHUNK_SIZE_LF;
		return byte == '\r' || (classes[byte] & VALUE) != 0 ? 0 : -400;
	case CHUNK_SIZE_LF:
		c->state = c->left == 0 ? CHUNK_TRAILER : CHUNK_DATA;
		return byte == '\n' ? 0 : -400;
	case CHUNK_DATA_CR:
		c->state = CHUNK_DATA_LF;
		return byte == '\r' ? 0 : -400;
	case CHUNK_DATA_LF:
		c->state = CHUNK_SIZE;
		c->digits = c->line = 0;
		return byte == '\n' ? 0 : -400;
	case CHUNK_TRAILER:
		if (byte == '\r')
			c->state = CHUNK_END_LF;
		else if ((classes[byte] & TOKEN) != 0)
			c->state = CHUNK_TRAILER_LINE;
		else
			return -400;
		return 0;
	case CHUNK_TRAILER_LINE:
		if (byte == '\r')
			c->state = CHUNK_TRAILER_LF;
		return byte == '\r' || (classes[byte] & VALUE) != 0 ? 0 : -400;
	case CHUNK_TRAILER_LF:
		c->state = CHUNK_TRAILER;
		return byte == '\n' ? 0 : -400;
	case CHUNK_END_LF:
		c->state = CHUNK_DONE;
		return byte == '\n' ? 1 : -400;
	case CHUNK_DATA:
	case CHUNK_DONE:
		break;
	}
	return -400;
}

int
http_chunked_read(struct http_chunked *c, struct span in, size_t *used, struct buf *out, size_t max)
{
	size_t i = 0;
	int status = 0;

	while (i < in.len && status == 0) {
		if (c->state != CHUNK_DATA) {
			status = chunk_byte(c, in.p[i++], max - out->len);
			continue;
		}
		size_t n = in.len - i < c->left ? in.len - i : (size_t)c->left;

		buf_append(out, in.p + i, n);
		i += n;
		c->left -= n;
		if (c->left == 0)
			c->state = CHUNK_DATA_CR;
	}
	*used = i;
	return status;
}
