/*
 * streams.c - many clients that mostly wait: event streams held open, and
 * sessions by the hundred thousand.
 *
 *	streams hold PORT N	open N sessions with a stream each, say "ready", keep
 *				reading what comes until standard input ends
 *	streams soak PORT SESSIONS REQUESTS
 *				that many of each: initialize, pings, lists, calls with
 *				progress, streams that break off; two of three sessions
 *				are ended, the others left behind
 *
 * Exits with 1 at the first answer that is not as it must be.  Loopback only.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"

#define LANES		16	/* connections of the soak; each works on one session at a time */
#define ANSWER_MAX	(1u << 20)

static unsigned port;

static void
die(const char *what)
{
	fprintf(stderr, "streams: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { 60, 0 };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

static void
send_all(int fd, const struct buf *b)
{
	size_t at = 0;

	while (at < b->len) {
		ssize_t n = send(fd, b->p + at, b->len - at, MSG_NOSIGNAL);

		if (n <= 0)
			die("send");
		at += (size_t)n;
	}
}

/* --- requests ------------------------------------------------------------------------- */

static void
put_request(struct buf *out, const char *method, const char *session, const char *body)
{
	buf_printf(out, "%s /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n",
	    method);
	if (session != NULL)
		buf_printf(out, "Mcp-Session-Id: %s\r\n", session);
	if (body != NULL)
		buf_printf(out, "Content-Type: application/json\r\nContent-Length: %zu\r\n", strlen(body));
	buf_str(out, "\r\n");
	if (body != NULL)
		buf_str(out, body);
}

static void
ask(int fd, const char *method, const char *session, const char *body)
{
	static struct buf b;

	buf_reset(&b, 4096);
	put_request(&b, method, session, body);
	send_all(fd, &b);
}

/* Until the text holds end, or the peer is done. */
static bool
read_until(int fd, char *text, size_t *len, const char *end)
{
	do {
		ssize_t n = recv(fd, text + *len, ANSWER_MAX - 1 - *len, 0);

		if (n <= 0)
			return false;
		*len += (size_t)n;
		text[*len] = '\0';
	} while (strstr(text, end) == NULL);
	return true;
}

/* One whole answer; its status. */
static int
answer(int fd, char *text)
{
	size_t len = 0, head, want;
	const char *p;

	text[0] = '\0';
	if (!read_until(fd, text, &len, "\r\n\r\n"))
		die("an answer");
	head = (size_t)(strstr(text, "\r\n\r\n") - text) + 4;
	if ((p = strcasestr(text, "\r\ncontent-length: ")) != NULL && p < text + head) {
		want = head + strtoul(p + 18, NULL, 10);
		while (len < want) {
			ssize_t n = recv(fd, text + len, ANSWER_MAX - 1 - len, 0);

			if (n <= 0)
				die("a body");
			len += (size_t)n;
		}
		text[len] = '\0';
	} else if (strstr(text + head - 4, "\r\n0\r\n\r\n") == NULL && !read_until(fd, text, &len, "\r\n0\r\n\r\n"))
		die("a stream");
	return atoi(text + 9);
}

static void
expect(int fd, int status, const char *holds)
{
	static char text[ANSWER_MAX];
	int got = answer(fd, text);

	if (got == status && strstr(text, holds) != NULL)
		return;
	fprintf(stderr, "streams: expected %d with %s, got %.400s\n", status, holds, text);
	exit(1);
}

static void
open_session(int fd, char session[128])
{
	static char text[ANSWER_MAX];
	const char *p;

	ask(fd, "POST", NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}}");
	if (answer(fd, text) != 200 || (p = strcasestr(text, "\r\nmcp-session-id: ")) == NULL)
		die("initialize");
	snprintf(session, 128, "%.*s", (int)strcspn(p + 18, "\r"), p + 18);
}

/* A stream of the session that has said how to come back. */
static int
open_stream(const char *session)
{
	char text[4096];
	size_t len = 0;
	int fd = dial();

	text[0] = '\0';
	ask(fd, "GET", session, NULL);
	while (strstr(text, "retry: ") == NULL) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, 0);

		if (n <= 0)
			die("a stream's beginning");
		len += (size_t)n;
		text[len] = '\0';
	}
	return fd;
}

/* --- hold ------------------------------------------------------------------------------ */

static void
raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int
hold(unsigned n)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = dial();
	struct epoll_event got[64], in = { .events = EPOLLIN, .data.fd = 0 };
	unsigned long bytes = 0;
	char session[128], text[65536];

	for (unsigned i = 0; i < n; i++) {
		struct epoll_event e = { .events = EPOLLIN };

		open_session(fd, session);
		e.data.fd = open_stream(session);
		epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e);
	}
	printf("ready\n");
	fflush(stdout);
	epoll_ctl(ep, EPOLL_CTL_ADD, 0, &in);
	for (;;) {
		int k = epoll_wait(ep, got, 64, -1);

		for (int i = 0; i < k; i++) {
			ssize_t len = read(got[i].data.fd, text, sizeof(text));

			if (got[i].data.fd == 0 && len <= 0) {
				printf("%lu\n", bytes);
				return 0;
			}
			if (len <= 0) {
				fprintf(stderr, "streams: a stream ended\n");
				return 1;
			}
			bytes += (unsigned long)len;
		}
	}
}

/* --- soak -------------------------------------------------------------------------------- */

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define CALL "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"sql_execution\"," \
	"\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"SELECT 1\"},\"_meta\":{\"progressToken\":1}}}"

/* Every lane does the same step, so that the server has LANES requests at a time. */
static void
step(const int *fds, char sessions[][128], const char *method, const char *body, int status, const char *holds)
{
	for (unsigned i = 0; i < LANES; i++)
		ask(fds[i], method, sessions[i], body);
	for (unsigned i = 0; i < LANES; i++)
		expect(fds[i], status, holds);
}

static int
soak(unsigned long nsessions, unsigned long nrequests)
{
	unsigned long rounds = (nsessions + LANES - 1) / LANES, each = nrequests / nsessions;
	static char sessions[LANES][128];
	int fds[LANES], stream;

	for (unsigned i = 0; i < LANES; i++)
		fds[i] = dial();
	for (unsigned long r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < LANES; i++)
			open_session(fds[i], sessions[i]);
		for (unsigned long k = 3; k < each; k++)
			if (k % 5 == 3)
				step(fds, sessions, "POST", CALL, 200, "\"rowCount\":1");
			else if (k % 5 == 4)
				step(fds, sessions, "POST", LIST, 200, "sql_execution");
			else
				step(fds, sessions, "POST", PING, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
		stream = open_stream(sessions[r % LANES]);
		close(stream);
		if (r % 3 != 0)
			step(fds, sessions, "DELETE", NULL, 200, "HTTP/1.1");
		if (r % 64 == 0) /* clients come and go */
			for (unsigned i = 0; i < LANES; i++) {
				close(fds[i]);
				fds[i] = dial();
			}
	}
	for (unsigned i = 0; i < LANES; i++)
		close(fds[i]);
	return 0;
}

int
main(int argc, char **argv)
{
	raise_limit();
	if (argc >= 3)
		port = (unsigned)atoi(argv[2]);
	if (argc == 4 && strcmp(argv[1], "hold") == 0)
		return hold((unsigned)atoi(argv[3]));
	if (argc == 5 && strcmp(argv[1], "soak") == 0)
		return soak(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	fprintf(stderr, "usage: streams hold PORT N | streams soak PORT SESSIONS REQUESTS\n");
	return 2;
}
