/*
 * memory.c - what memory_ingest costs: the call itself, and the run to its end.
 *
 *	memory --port P --dir PROJECT_DIR --runs N [--size 4096] [--connection ID]
 *
 * One agent, one run after the other, each with a text of its own of `size`
 * bytes; with a connection each also defines a measure of `refunds`.  Prints
 * one JSON line: {"runs":n,"call_p50_us":x,"call_p99_us":x,"run_p50_ms":x,"run_p99_ms":x}
 * The end of a run is when its record leaves the queue, which asks nobody.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "base/json/json_write.h"

#define ANSWER_MAX	65536
#define RUNS_MAX	10000
#define GIVE_UP_NS	(60 * CLOCK_SECOND)

static unsigned port, runs = 100, size = 4096;
static const char *dir, *connection;
static double calls[RUNS_MAX], ends[RUNS_MAX];

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		perror("memory: connect");
		exit(1);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* A text about a subject that nothing else is about. */
static void
put_content(struct buf *out, unsigned n)
{
	buf_printf(out, "# Finding %u of %u\n\n", n, (unsigned)getpid());
	if (connection != NULL)
		buf_printf(out, "Finding %u_%u is defined as `sum(refunds.amount_ct) / %u.0`.\n\n", n,
		    (unsigned)getpid(), n + 2);
	for (unsigned i = 0; out->len < size; i++)
		buf_printf(out,
		    "Sentence %u says that orders of week %u are refunded in euros, which is a gotcha of finding %u. ",
		    i, i % 53, n);
}

static void
put_request(struct buf *out, unsigned n)
{
	struct buf body = { 0 }, content = { 0 };

	put_content(&content, n);
	buf_str(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
	    "call\",\"params\":{\"name\":\"memory_ingest\",\"arguments\":{\"content\":");
	json_write_string(&body, buf_view(&content));
	if (connection != NULL)
		buf_printf(&body, ",\"connectionId\":\"%s\"", connection);
	buf_str(&body,
	    "},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
	    "clientCapabilities\":{}}}}");
	buf_printf(out,
	    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
	    "tools/call\r\n"
	    "Mcp-Name: memory_ingest\r\nContent-Length: %zu\r\n\r\n",
	    port, body.len);
	buf_span(out, buf_view(&body));
	buf_fini(&body);
	buf_fini(&content);
}

/* Send and read the whole answer; the run's id. */
static bool
ask(int fd, const struct buf *request, char *id, size_t cap)
{
	static char in[ANSWER_MAX];
	size_t len = 0;
	char *body, *at;

	for (size_t sent = 0; sent < request->len;) {
		ssize_t n = send(fd, request->p + sent, request->len - sent, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		sent += (size_t)n;
	}
	for (;;) {
		ssize_t n = recv(fd, in + len, sizeof(in) - 1 - len, 0);

		if (n <= 0)
			return false;
		len += (size_t)n;
		in[len] = '\0';
		if ((body = strstr(in, "\r\n\r\n")) != NULL && (at = strcasestr(in, "content-length:")) != NULL &&
		    len >= (size_t)(body + 4 - in) + strtoul(at + 15, NULL, 10))
			break;
	}
	if ((at = strstr(in, "\"runId\":\"")) == NULL) {
		fprintf(stderr, "memory: %s\n", in);
		return false;
	}
	snprintf(id, cap, "%.*s", (int)strcspn(at + 9, "\""), at + 9);
	return true;
}

static bool
await_end(const char *id)
{
	const uint64_t until = clock_ns() + GIVE_UP_NS;
	char queued[4200], ended[4200];
	struct stat st;

	snprintf(queued, sizeof(queued), "%s/.carrel/memory/queue/%s.json", dir, id);
	snprintf(ended, sizeof(ended), "%s/.carrel/memory/runs/%s.json", dir, id);
	while (stat(ended, &st) != 0 || stat(queued, &st) == 0) {
		if (clock_ns() > until)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	return true;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	struct buf request = { 0 };
	char id[64];
	int fd;

	for (int i = 1; i + 1 < argc; i += 2)
		if (strcmp(argv[i], "--port") == 0)
			port = (unsigned)atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--dir") == 0)
			dir = argv[i + 1];
		else if (strcmp(argv[i], "--runs") == 0)
			runs = (unsigned)atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--size") == 0)
			size = (unsigned)atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--connection") == 0)
			connection = argv[i + 1];
	if (port == 0 || dir == NULL || runs == 0 || runs > RUNS_MAX) {
		fprintf(stderr, "usage: memory --port P --dir PROJECT_DIR --runs N [--size BYTES] [--connection ID]\n");
		return 2;
	}
	fd = dial();
	for (unsigned i = 0; i < runs; i++) {
		uint64_t start, answered;

		buf_reset(&request, SIZE_MAX);
		put_request(&request, i);
		start = clock_ns();
		if (!ask(fd, &request, id, sizeof(id)))
			return 1;
		answered = clock_ns();
		if (!await_end(id)) {
			fprintf(stderr, "memory: run %s does not end\n", id);
			return 1;
		}
		calls[i] = (double)(answered - start) / 1e3;
		ends[i] = (double)(clock_ns() - start) / 1e6;
	}
	close(fd);
	buf_fini(&request);
	qsort(calls, runs, sizeof(calls[0]), by_value);
	qsort(ends, runs, sizeof(ends[0]), by_value);
	printf("{\"runs\":%u,\"call_p50_us\":%.0f,\"call_p99_us\":%.0f,\"run_p50_ms\":%.1f,\"run_p99_ms\":%.1f}\n",
	    runs, calls[runs / 2], calls[runs * 99 / 100], ends[runs / 2], ends[runs * 99 / 100]);
	return 0;
}
