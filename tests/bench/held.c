/*
 * held.c - an open load: so many requests a second over so many sessions, whether answers come or not.
 *
 *	held PORT SESSIONS RATE SECONDS [quick]
 *
 * The sessions are of the stateful revision and opened first; each request is of a random one, on one of
 * CONNECTIONS connections, its tool drawn from a mix of all tools of research.  A request's time runs from when it
 * was due, so that what waits for the client counts as well.  Prints one JSON line, and a line for each tool that
 * said no.  quick leaves out what keeps something, and what several processes answer together.  Loopback only.
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
#include "base/system/clock.h"

#define CONNECTIONS	100
#define SESSIONS_MAX	100000
#define BUCKETS		100000	/* of 100 us each: ten seconds */
#define ID_MAX		256

struct link {
	int		 fd;
	bool		 busy;
	uint8_t		 kind;
	uint64_t	 due;
	struct buf	 in, out;
	size_t		 sent;
};

enum given { GIVEN_NOTHING, GIVEN_ONTOLOGY, GIVEN_RUN, GIVEN_NUMBER };

/* What a call carries, and how often of DRAWS it is drawn: a finding is kept once a second at 2,000 requests. */
static const struct kind {
	const char	*name, *arguments;
	unsigned	 weight;
	enum given	 given;	/* what %s in the arguments stands for */
} kinds[] = {
	{ "connection_list", "{}", 100, GIVEN_NOTHING },
	{ "discover_data", "{\"query\":\"refunds\",\"limit\":3}", 200, GIVEN_NOTHING },
	{ "wiki_search", "{\"query\":\"revenue\",\"limit\":2}", 200, GIVEN_NOTHING },
	{ "wiki_read", "{\"key\":\"revenue\"}", 150, GIVEN_NOTHING },
	{ "entity_details", "{\"connectionId\":\"warehouse\",\"entities\":[{\"table\":\"orders\"}]}", 200,
	    GIVEN_NOTHING },
	{ "dictionary_search", "{\"values\":[\"Germany\"]}", 200, GIVEN_NOTHING },
	{ "sl_read_source", "{\"connectionId\":\"warehouse\",\"sourceName\":\"orders\"}", 150, GIVEN_NOTHING },
	{ "sl_query", "{\"connectionId\":\"warehouse\",\"measures\":[\"orders.placed_orders\"]}", 250, GIVEN_NOTHING },
	{ "sql_execution", "{\"connectionId\":\"warehouse\",\"sql\":\"SELECT 42 AS n\"}", 300, GIVEN_NOTHING },
	{ "ask_question", "{\"ontologyId\":\"%s\",\"question\":\"What was net revenue in 2025?\"}", 50,
	    GIVEN_ONTOLOGY },
	{ "memory_ingest", "{\"content\":\"# Count %s\\n\\nOrders are counted once.\"}", 1, GIVEN_NUMBER },
	{ "memory_ingest_status", "{\"runId\":\"%s\"}", 50, GIVEN_RUN },
	{ NULL, NULL, 149, GIVEN_NOTHING },	/* tools/list */
};
#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))
#define DRAWS	2000

static uint8_t draws[DRAWS];	/* kinds, each as often as its weight */
static size_t ndraws;
static char ontology[ID_MAX], run[ID_MAX];
static unsigned long findings;
static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\","
			    "\"params\":{\"protocolVersion\":\"2025-06-18\","
			    "\"capabilities\":{},\"clientInfo\":{\"name\":\"held\",\"version\":\"1\"}}}";
static unsigned port;
static char (*sessions)[ID_MAX];
static size_t nsessions;
static uint32_t buckets[BUCKETS + 1];
static unsigned long answered, errors, refused, lost, late, wrong[KINDS];
static unsigned seed = 1;

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		if (fd != -1)
			close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* Pieces of both kinds go out whole: they are smaller than a socket's buffer. */
static void
post(struct link *l, const char *body, const char *session)
{
	buf_reset(&l->out, 65536);
	buf_printf(&l->out,
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
	    session != NULL ? "MCP-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: " : "",
	    session != NULL ? session : "", session != NULL ? "\r\n" : "", strlen(body), body);
	(void)!send(l->fd, l->out.p, l->out.len, MSG_NOSIGNAL);
	l->busy = true;
	buf_reset(&l->in, 1 << 20);
}

/* Whether the answer is whole: with a length, or in chunks. */
static bool
is_whole(struct buf *in)
{
	const char *text = buf_cstr(in), *body = strstr(text, "\r\n\r\n"), *length;

	if (body == NULL)
		return false;
	length = strcasestr(text, "\r\ncontent-length:");
	if (length != NULL && length < body)
		return in->len >= (size_t)(body + 4 - text) + strtoul(length + 17, NULL, 10);
	return in->len > 7 && memcmp(text + in->len - 7, "\r\n0\r\n\r\n", 7) == 0;
}

static void
link_dial(int ep, struct link *l)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = l };

	if (l->fd >= 0)
		close(l->fd);
	l->busy = false;
	if ((l->fd = dial()) >= 0)
		epoll_ctl(ep, EPOLL_CTL_ADD, l->fd, &e);
}

/* Read what is there.  -1: the connection ended; 1: an answer is whole. */
static int
take(struct link *l)
{
	char block[65536];
	ssize_t n = recv(l->fd, block, sizeof(block), MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && errno == EAGAIN ? 0 : -1;
	buf_append(&l->in, block, (size_t)n);
	return is_whole(&l->in) ? 1 : 0;
}

static void
count(struct link *l)
{
	uint64_t took = (clock_ns() - l->due) / 100000;
	const char *text = buf_cstr(&l->in);

	l->busy = false;
	answered++;
	if (strncmp(text + 9, "200", 3) != 0)
		refused++;
	else if (strstr(text, "\"isError\":true") != NULL || strstr(text, "\"error\":{\"code\"") != NULL) {
		errors++;
		if (wrong[l->kind]++ == 0)
			fprintf(stderr, "held: %s: %.400s\n",
			    kinds[l->kind].name != NULL ? kinds[l->kind].name : "tools/list", strstr(text, "\r\n\r\n"));
	}
	buckets[took < BUCKETS ? took : BUCKETS]++;
}

/* --- what is asked ------------------------------------------------------------------------------ */

static void
body_make(size_t kind, struct buf *out)
{
	const struct kind *k = &kinds[kind];
	char number[24];

	buf_reset(out, 65536);
	if (k->name == NULL) {
		buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{}}");
		return;
	}
	snprintf(number, sizeof(number), "%lu", k->given == GIVEN_NUMBER ? ++findings : 0);
	buf_printf(out,
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":",
	    k->name);
	/* What is given holds no quotation mark. */
	for (const char *at = k->arguments; *at != '\0'; at++) {
		if (at[0] != '%') {
			buf_byte(out, (uint8_t)*at);
			continue;
		}
		at++;
		buf_printf(out, "%s", k->given == GIVEN_ONTOLOGY ? ontology : k->given == GIVEN_RUN ? run : number);
	}
	buf_printf(out, "}}");
}

/* Ask once, and keep the text that follows mark in the answer. */
static bool
learn(struct link *l, const char *body, const char *mark, char out[ID_MAX])
{
	const char *at;
	int r;

	post(l, body, sessions[0]);
	while ((r = take(l)) == 0)
		;
	l->busy = false;
	if (r < 0 || (at = strstr(buf_cstr(&l->in), mark)) == NULL) {
		fprintf(stderr, "held: no %s in: %.400s\n", mark, buf_cstr(&l->in));
		return false;
	}
	at += strlen(mark);
	snprintf(out, ID_MAX, "%.*s", (int)strspn(at, "0123456789abcdefghijklmnopqrstuvwxyz-"), at);
	return true;
}

static bool
prepare(struct link *l, bool quick)
{
	struct buf body = { 0 };
	bool known;

	for (size_t kind = 0; kind < KINDS; kind++) {
		if (quick && kinds[kind].given != GIVEN_NOTHING)
			continue;
		for (unsigned i = 0; i < kinds[kind].weight && ndraws < DRAWS; i++)
			draws[ndraws++] = (uint8_t)kind;
		if (kinds[kind].given == GIVEN_NUMBER)
			body_make(kind, &body);
	}
	if (quick)
		return true;
	known = learn(l, buf_cstr(&body), "\"runId\":\"", run) &&
	    learn(l,
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/read\",\"params\":{\"uri\":\"carrel://"
		"ontologies\"}}",
		"\\\"id\\\":\\\"", ontology);
	buf_fini(&body);
	return known;
}

/* --- the run ------------------------------------------------------------------------------------ */

/* On the connections in turn: none is new when the load begins. */
static bool
open_sessions(struct link *links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct link *l = &links[i % CONNECTIONS];
		const char *at;
		int r;

		if (l->fd < 0)
			return false;

		post(l, hello, NULL);
		while ((r = take(l)) == 0)
			;
		l->busy = false;
		at = r < 0 ? NULL : strcasestr(buf_cstr(&l->in), "\r\nmcp-session-id: ");
		if (at == NULL) {
			fprintf(stderr, "held: session %zu was not opened: %.300s\n", i, buf_cstr(&l->in));
			return false;
		}
		snprintf(sessions[nsessions++], ID_MAX, "%.*s", (int)strcspn(at + 18, "\r"), at + 18);
	}
	return true;
}

static double
percentile(double p)
{
	unsigned long want = (unsigned long)((double)answered * p), seen = 0;

	for (size_t i = 0; i <= BUCKETS; i++)
		if ((seen += buckets[i]) > want)
			return (double)(i + 1) / 10;
	return (double)BUCKETS / 10;
}

int
main(int argc, char **argv)
{
	const struct rlimit files = { 20000, 20000 };
	struct epoll_event got[256];
	struct link *links;
	struct buf body = { 0 };
	uint64_t begin, end, due, step, now;
	size_t wanted, next = 0;
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (argc < 5) {
		fprintf(stderr, "usage: held PORT SESSIONS RATE SECONDS [quick]\n");
		return 2;
	}
	setrlimit(RLIMIT_NOFILE, &files);
	port = (unsigned)strtoul(argv[1], NULL, 10);
	wanted = strtoul(argv[2], NULL, 10);
	step = CLOCK_SECOND / strtoul(argv[3], NULL, 10);
	if (wanted == 0 || wanted > SESSIONS_MAX)
		return 2;
	sessions = calloc(wanted + 1, sizeof(*sessions));
	links = calloc(CONNECTIONS, sizeof(*links));
	for (size_t i = 0; i < CONNECTIONS; i++) {
		links[i].fd = -1;
		link_dial(ep, &links[i]);
	}
	if (!open_sessions(links, wanted) || !prepare(&links[0], argc > 5 && strcmp(argv[5], "quick") == 0))
		return 1;
	begin = due = clock_ns();
	end = begin + strtoul(argv[4], NULL, 10) * CLOCK_SECOND;
	while ((now = clock_ns()) < end) {
		int ready = epoll_wait(ep, got, 256, 1);

		for (int i = 0; i < ready; i++) {
			struct link *l = got[i].data.ptr;
			int r = l->fd < 0 ? 0 : take(l);

			if (r == 1 && l->busy)
				count(l);
			else if (r < 0) {
				lost += l->busy;
				close(l->fd);
				l->fd = -1;
				link_dial(ep, l);
			}
		}
		for (size_t tries = 0; due <= (now = clock_ns()) && tries < CONNECTIONS; tries++) {
			struct link *l = &links[next++ % CONNECTIONS];

			if (l->busy || l->fd < 0)
				continue;
			late += now > due + 10 * CLOCK_MS;
			l->due = due;
			due += step;
			l->kind = draws[(unsigned)rand_r(&seed) % ndraws];
			body_make(l->kind, &body);
			post(l, buf_cstr(&body), sessions[(unsigned)rand_r(&seed) % nsessions]);
			tries = 0;
		}
	}
	printf("{\"sessions\":%zu,\"answered\":%lu,\"errors\":%lu,\"refused\":%lu,\"lost\":%lu,\"late\":%lu,"
	       "\"rps\":%.0f,\"p50_ms\":%.1f,\"p99_ms\":%.1f}\n",
	    nsessions, answered, errors, refused, lost, late, (double)answered * 1e9 / (double)(clock_ns() - begin),
	    percentile(0.5), percentile(0.99));
	return answered > 0 ? 0 : 1;
}
