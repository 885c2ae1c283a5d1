/*
 * load.c - a closed-loop HTTP client for the benchmark: N keep-alive
 * connections, each with one request outstanding, for a fixed time.
 *
 *	load --port P --body FILE [--path /mcp] [--connections 16] [--seconds 3]
 *	     [--header "Name: value"]... [--initialize] [--expect TEXT] [--status 200]
 *	     [--tokens FILE]
 *
 * --initialize does the MCP handshake of the stateful revisions first and
 * sends the session id with every request.  --expect counts an answer that
 * does not contain TEXT as an error.  --tokens: one of FILE's lines after the
 * other is the bearer token of a request.  Prints one JSON line:
 *	{"requests":n,"errors":n,"rps":x,"p50_us":x,"p99_us":x,"bytes":n,"all":n}
 * where all counts those before and after the measured time, too.
 * Loopback only.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"

#define CONNECTIONS_MAX	1024
#define SAMPLES_MAX	4000000
#define DRAIN_NS	(5 * CLOCK_SECOND)

struct conn {
	int		 fd;
	struct buf	 in;
	const struct buf *request;
	size_t		 sent;		/* of the request */
	uint64_t	 started;
};

struct options {
	const char	*path, *expect, *status, *headers[16];
	unsigned	 port, connections, seconds, nheaders;
	bool		 initialize;
	struct buf	 body, tokens;
};

static struct options opt = { .path = "/mcp", .status = "200", .connections = 16, .seconds = 3 };
static struct buf *requests;	/* in turn */
static size_t nrequests, next_request;
static uint32_t *samples;
static size_t nsamples, nerrors, nbytes, nanswers;
static bool ending;		/* nothing is asked any more */
static unsigned nopen;		/* then: connections that wait for their answer */

static void
die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)opt.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* The value of a header in the head in [p, p+len), or NULL; *n is its length. */
static const char *
header_value(const char *p, size_t len, const char *name, size_t *n)
{
	const char *end = p + len, *line = p;
	size_t k = strlen(name);

	while (line < end) {
		const char *eol = memmem(line, (size_t)(end - line), "\r\n", 2);

		if (eol == NULL)
			break;
		if ((size_t)(eol - line) > k && line[k] == ':' && strncasecmp(line, name, k) == 0) {
			line += k + 1;
			while (line < eol && *line == ' ')
				line++;
			*n = (size_t)(eol - line);
			return line;
		}
		line = eol + 2;
	}
	return NULL;
}

/* The end of a chunked body that starts at p, or 0 when it is not there yet. */
static size_t
chunked_end(const char *p, size_t len)
{
	size_t at = 0;

	for (;;) {
		const char *eol = memmem(p + at, len - at, "\r\n", 2);
		size_t size;

		if (eol == NULL)
			return 0;
		size = strtoul(p + at, NULL, 16);
		at = (size_t)(eol - p) + 2 + size + 2;
		if (at > len)
			return 0;
		if (size == 0)
			return at;
	}
}

/* Length of the complete response at the start of b; 0 when it is not complete.  *ok: the wanted status. */
static size_t
response_end(const struct buf *b, bool *ok)
{
	const char *p = (const char *)b->p, *head, *v;
	size_t n, at, end;

	if (b->len == 0 || (head = memmem(p, b->len, "\r\n\r\n", 4)) == NULL)
		return 0;
	at = (size_t)(head - p) + 4;
	*ok = b->len > 12 && memcmp(p + 9, opt.status, 3) == 0;
	if ((v = header_value(p, at, "Content-Length", &n)) != NULL) {
		end = at + strtoul(v, NULL, 10);
		return end <= b->len ? end : 0;
	}
	if (header_value(p, at, "Transfer-Encoding", &n) != NULL) {
		end = chunked_end(p + at, b->len - at);
		return end != 0 ? at + end : 0;
	}
	return at; /* 202 and 204 have no body */
}

static void
build_request(struct buf *out, const char *session, size_t session_len, struct span token, struct span body)
{
	buf_reset(out, SIZE_MAX);
	buf_printf(out,
	    "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
	    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
	    opt.path, opt.port);
	for (unsigned i = 0; i < opt.nheaders; i++)
		buf_printf(out, "%s\r\n", opt.headers[i]);
	if (token.len != 0)
		buf_printf(out, "Authorization: Bearer %.*s\r\n", (int)token.len, (const char *)token.p);
	if (session != NULL)
		buf_printf(out, "Mcp-Session-Id: %.*s\r\n", (int)session_len, session);
	buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
	buf_span(out, body);
}

/* One blocking exchange; the response stays in in. */
static void
exchange(int fd, struct buf *in, const struct buf *req)
{
	bool ok;

	if (write(fd, req->p, req->len) != (ssize_t)req->len)
		die("write");
	buf_reset(in, SIZE_MAX);
	while (response_end(in, &ok) == 0) {
		uint8_t *p = buf_reserve(in, 65536);
		ssize_t n = read(fd, p, 65536);

		if (n <= 0)
			die("handshake");
		in->len += (size_t)n;
	}
}

static void
handshake(char *session, size_t cap, size_t *len)
{
	static const char init[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
				   "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
				   "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";
	static const char ready[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
	struct buf in = { 0 }, req = { 0 };
	const char *v;
	size_t n = 0;
	int fd = dial();

	build_request(&req, NULL, 0, (struct span){ 0 }, SPAN(init));
	exchange(fd, &in, &req);
	v = header_value((const char *)in.p, in.len, "Mcp-Session-Id", &n);
	if (v != NULL && n < cap) {
		memcpy(session, v, n);
		*len = n;
	}
	build_request(&req, *len != 0 ? session : NULL, *len, (struct span){ 0 }, SPAN(ready));
	exchange(fd, &in, &req);
	close(fd);
	buf_fini(&in);
	buf_fini(&req);
}

/* One request, or one for each token. */
static void
build_requests(const char *session, size_t session_len)
{
	const char *at = buf_cstr(&opt.tokens);
	size_t tokens = 1;

	for (const char *p = at; *p != '\0'; p++)
		tokens += *p == '\n';
	if ((requests = calloc(tokens, sizeof(*requests))) == NULL)
		die("calloc");
	for (; nrequests < tokens; nrequests++, at += *at != '\0') {
		size_t n = strcspn(at, "\n");

		build_request(&requests[nrequests], session, session_len, (struct span){ (const uint8_t *)at, n },
		    buf_view(&opt.body));
		at += n;
	}
}

static void
begin_request(struct conn *c)
{
	c->request = &requests[next_request++ % nrequests];
	c->started = clock_ns();
	c->sent = 0;
}

static void
pump_write(int ep, struct conn *c)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

	while (c->sent < c->request->len) {
		ssize_t n = write(c->fd, c->request->p + c->sent, c->request->len - c->sent);

		if (n == -1 && errno == EAGAIN) {
			ev.events |= EPOLLOUT;
			break;
		}
		if (n <= 0)
			die("write");
		c->sent += (size_t)n;
	}
	if (ev.events & EPOLLOUT)
		epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &ev);
}

static void
pump_read(int ep, struct conn *c)
{
	size_t end;
	bool ok;

	for (;;) {
		uint8_t *p = buf_reserve(&c->in, 262144);
		ssize_t n = read(c->fd, p, 262144);

		if (n == -1 && errno == EAGAIN)
			break;
		if (n <= 0)
			die("the server closed the connection");
		c->in.len += (size_t)n;
		if (n < 262144)
			break;
	}
	if ((end = response_end(&c->in, &ok)) == 0)
		return;
	if (!ok || (opt.expect != NULL && memmem(c->in.p, end, opt.expect, strlen(opt.expect)) == NULL)) {
		if (nerrors++ == 0)
			fprintf(stderr, "load: unexpected answer: %.600s\n", buf_cstr(&c->in));
	}
	nbytes += end;
	if (nsamples < SAMPLES_MAX)
		samples[nsamples++] = (uint32_t)((clock_ns() - c->started) / 100);
	buf_consume(&c->in, end);
	nanswers++;
	if (ending) {
		nopen--;
		return;
	}
	begin_request(c);
	pump_write(ep, c);
}

static void
serve_events(int ep)
{
	struct epoll_event events[256];
	int n = epoll_wait(ep, events, 256, 100);

	for (int i = 0; i < n; i++) {
		if (events[i].events & EPOLLOUT)
			pump_write(ep, events[i].data.ptr);
		if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			pump_read(ep, events[i].data.ptr);
	}
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static double
percentile(double p)
{
	return nsamples == 0 ? 0 : samples[(size_t)((double)(nsamples - 1) * p)] / 10.0;
}

static void
run(void)
{
	static struct conn conns[CONNECTIONS_MAX];
	int ep = epoll_create1(EPOLL_CLOEXEC);
	size_t samples_counted, errors_counted, bytes_counted;
	uint64_t begin, warm, end;
	bool warmed = false;

	for (unsigned i = 0; i < opt.connections; i++) {
		struct conn *c = &conns[i];
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

		c->fd = dial();
		fcntl(c->fd, F_SETFL, O_NONBLOCK);
		epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev);
		begin_request(c);
		pump_write(ep, c);
	}
	begin = clock_ns();
	warm = begin + CLOCK_SECOND / 4;
	end = warm + opt.seconds * CLOCK_SECOND;
	while (clock_ns() < end) {
		serve_events(ep);
		if (!warmed && clock_ns() >= warm) {
			warmed = true;
			begin = clock_ns();
			nsamples = nerrors = nbytes = 0;
		}
	}
	end = clock_ns();
	samples_counted = nsamples;
	errors_counted = nerrors;
	bytes_counted = nbytes;
	/* What is under way is waited for: a server whose client leaves has calls to cancel. */
	ending = true;
	nopen = opt.connections;
	while (nopen > 0 && clock_ns() < end + DRAIN_NS)
		serve_events(ep);
	nsamples = samples_counted;
	qsort(samples, nsamples, sizeof(samples[0]), by_value);
	printf("{\"requests\":%zu,\"errors\":%zu,\"rps\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f,\"bytes\":%zu,\"all\":%"
	       "zu}\n",
	    nsamples, errors_counted, (double)nsamples / ((double)(end - begin) / 1e9), percentile(0.5),
	    percentile(0.99), bytes_counted, nanswers);
	for (unsigned i = 0; i < opt.connections; i++) {
		close(conns[i].fd);
		buf_fini(&conns[i].in);
	}
	close(ep);
}

static void
read_file(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd == -1)
		die(path);
	do {
		uint8_t *p = buf_reserve(out, 65536);

		if ((n = read(fd, p, 65536)) > 0)
			out->len += (size_t)n;
	} while (n > 0);
	close(fd);
	while (out->len > 0 && out->p[out->len - 1] == '\n')
		out->len--;
}

int
main(int argc, char **argv)
{
	char session[512];
	size_t session_len = 0;

	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(a, "--initialize") == 0) {
			opt.initialize = true;
			continue;
		}
		i++;
		if (strcmp(a, "--port") == 0)
			opt.port = (unsigned)strtoul(v, NULL, 10);
		else if (strcmp(a, "--path") == 0)
			opt.path = v;
		else if (strcmp(a, "--body") == 0)
			read_file(v, &opt.body);
		else if (strcmp(a, "--tokens") == 0)
			read_file(v, &opt.tokens);
		else if (strcmp(a, "--connections") == 0)
			opt.connections = (unsigned)strtoul(v, NULL, 10);
		else if (strcmp(a, "--seconds") == 0)
			opt.seconds = (unsigned)strtoul(v, NULL, 10);
		else if (strcmp(a, "--expect") == 0)
			opt.expect = v;
		else if (strcmp(a, "--status") == 0 && strlen(v) == 3)
			opt.status = v;
		else if (strcmp(a, "--header") == 0 && opt.nheaders < 16)
			opt.headers[opt.nheaders++] = v;
		else {
			fprintf(stderr, "load: unknown option %s\n", a);
			return 2;
		}
	}
	if (opt.port == 0 || opt.body.len == 0 || opt.connections == 0 || opt.connections > CONNECTIONS_MAX) {
		fprintf(stderr, "usage: load --port P --body FILE [options]\n");
		return 2;
	}
	if ((samples = malloc(SAMPLES_MAX * sizeof(samples[0]))) == NULL)
		die("malloc");
	if (opt.initialize)
		handshake(session, sizeof(session), &session_len);
	build_requests(session_len != 0 ? session : NULL, session_len);
	run();
	free(samples);
	for (size_t i = 0; i < nrequests; i++)
		buf_fini(&requests[i]);
	free(requests);
	buf_fini(&opt.tokens);
	buf_fini(&opt.body);
	return nerrors != 0;
}
