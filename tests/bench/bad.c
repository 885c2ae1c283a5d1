/*
 * bad.c - clients that do what bad ones do, each once in so many milliseconds.
 *
 *	bad PORT CLIENTS SECONDS EVERY_MS [KIND [at-once]]
 *	bad sink SECONDS
 *
 * KIND is one of the table below, or all of them in turn.  They act one after another, or all at once.  The sink is
 * what they are turned against to learn what they cost by themselves: it prints its port, takes connections, reads
 * and closes, and never answers.  Prints one JSON line.  Loopback only.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
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

#define CLIENTS_MAX	10000u
#define HEAD		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" \
			"Accept: application/json, text/event-stream\r\n"
#define QUESTION	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"

struct client {
	int		 fd;
	unsigned	 step;
	uint64_t	 next;	/* acts then */
	const struct kind *kind;
};

struct kind {
	const char	*name;
	bool		 leaves;	/* hangs up when it has said its piece */
	bool		 deaf;		/* reads nothing */
	bool		 once;		/* says its piece once a connection */
	void		(*say)(struct client *c, struct buf *out);
};

static unsigned seed = 1;
static unsigned long acts, dialled, undialled;

/* --- what they say ------------------------------------------------------------------------ */

static void
say_head(struct client *c, struct buf *out)
{
	static const char text[] = "GET /mcp HTTP/1.1\r\nX-Trickle: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	if (c->step < sizeof(text) - 1)
		buf_byte(out, (uint8_t)text[c->step]);
}

static void
say_body(struct client *c, struct buf *out)
{
	if (c->step == 0)
		buf_str(out, HEAD "Content-Length: 1000\r\n\r\n");
	buf_byte(out, ' ');
}

static void
say_noise(struct client *c, struct buf *out)
{
	(void)c;
	for (unsigned i = 0; i < 512; i++)
		buf_byte(out, (uint8_t)rand_r(&seed));
}

/* Of no form that a token has. */
static void
say_wrong(struct client *c, struct buf *out)
{
	(void)c;
	buf_printf(out, HEAD "Authorization: Bearer wrong-%u\r\nContent-Length: %zu\r\n\r\n%s", (unsigned)rand_r(&seed),
	    strlen(QUESTION), QUESTION);
}

/* Of a token's form: only who keeps the tokens can tell. */
static void
say_forged(struct client *c, struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	(void)c;
	buf_str(out, HEAD "Authorization: Bearer crlmcp_");
	for (unsigned i = 0; i < 43; i++)
		buf_byte(out, (uint8_t)digits[(unsigned)rand_r(&seed) % (sizeof(digits) - 1)]);
	buf_printf(out, "\r\nContent-Length: %zu\r\n\r\n%s", strlen(QUESTION), QUESTION);
}

static void
say_huge(struct client *c, struct buf *out)
{
	(void)c;
	buf_str(out, HEAD "Content-Length: 99999999\r\n\r\n");
	for (unsigned i = 0; i < 4096; i++)
		buf_byte(out, 'x');
}

static void
say_question(struct client *c, struct buf *out)
{
	(void)c;
	buf_printf(out, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(QUESTION), QUESTION);
}

static void
say_nothing(struct client *c, struct buf *out)
{
	(void)c, (void)out;
}

static const struct kind kinds[] = {
	{ "head", false, false, false, say_head },
	{ "body", false, false, false, say_body },
	{ "noise", false, false, true, say_noise },
	{ "wrong", false, false, false, say_wrong },
	{ "forged", false, false, false, say_forged },
	{ "huge", false, false, true, say_huge },
	{ "gone", true, false, false, say_question },
	{ "deaf", false, true, false, say_question },
	{ "silent", false, false, false, say_nothing },
	{ "churn", true, false, false, say_nothing },
};
#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* --- what they do --------------------------------------------------------------------------- */

static int
open_port(bool listens, unsigned *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)*port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;

	if (fd < 0)
		return -1;
	r = listens ? bind(fd, (struct sockaddr *)&at, sizeof(at)) : connect(fd, (struct sockaddr *)&at, sizeof(at));
	if ((r != 0 && errno != EINPROGRESS) || (listens && listen(fd, 4096) != 0)) {
		close(fd);
		return -1;
	}
	if (listens && getsockname(fd, (struct sockaddr *)&at, &len) == 0)
		*port = ntohs(at.sin_port);
	return fd;
}

static void
hang_up(struct client *c)
{
	/* No time of the kernel's for connections that linger on this side. */
	const struct linger now = { .l_onoff = 1 };

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(c->fd);
	c->fd = -1;
}

static bool
call_up(int ep, struct client *c, unsigned port)
{
	struct epoll_event e = { .events = c->kind->deaf ? EPOLLRDHUP : EPOLLIN | EPOLLRDHUP, .data.ptr = c };

	c->step = 0;
	c->fd = open_port(false, &port);
	dialled += c->fd >= 0;
	undialled += c->fd < 0;
	return c->fd >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

static void
misbehave(int ep, struct client *c, unsigned port)
{
	struct buf out = { .max = 0 };

	if (c->fd < 0 && !call_up(ep, c, port))
		return;
	acts++;
	if (!c->kind->once || c->step == 0)
		c->kind->say(c, &out);
	c->step++;
	if (out.len > 0)
		(void)!send(c->fd, out.p, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_fini(&out);
	if (c->kind->leaves)
		hang_up(c);
}

/* Read what is there, and forget it. */
static void
hear(struct client *c, uint32_t events)
{
	char block[65536];

	if (c->fd >= 0 &&
	    ((events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0 ||
		recv(c->fd, block, sizeof(block), MSG_DONTWAIT) == 0))
		hang_up(c);
}

static int
attack(unsigned port, unsigned n, unsigned seconds, uint64_t every_ms, const char *kind, bool at_once)
{
	struct client *clients = calloc(n, sizeof(*clients));
	struct epoll_event got[256];
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint64_t now = clock_ns(), end = now + seconds * CLOCK_SECOND, every = every_ms * CLOCK_MS;
	unsigned turn = 0, found = 0;

	for (unsigned i = 0; i < n; i++) {
		struct client *c = &clients[i];

		for (unsigned k = 0; k < KINDS; k++, turn++)
			if (strcmp(kind, "all") == 0 || strcmp(kind, kinds[turn % KINDS].name) == 0) {
				c->kind = &kinds[turn++ % KINDS];
				found++;
				break;
			}
		c->fd = -1;
		c->next = now + (at_once ? every : every * i / n);
	}
	if (found < n) {
		fprintf(stderr, "bad: no kind %s\n", kind);
		free(clients);
		return 2;
	}
	while ((now = clock_ns()) < end) {
		int ready = epoll_wait(ep, got, 256, 1);

		for (int i = 0; i < ready; i++)
			hear(got[i].data.ptr, got[i].events);
		for (unsigned i = 0; i < n; i++)
			if (clients[i].next <= now) {
				clients[i].next = now + every;
				misbehave(ep, &clients[i], port);
			}
	}
	printf("{\"kind\":\"%s\",\"clients\":%u,\"acts\":%lu,\"connections\":%lu,\"unconnected\":%lu}\n", kind, n, acts,
	    dialled, undialled);
	free(clients);
	close(ep);
	return 0;
}

/* --- the sink ------------------------------------------------------------------------------- */

static int
sink(unsigned seconds)
{
	struct epoll_event got[256], e = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC), listener, fd;
	uint64_t end = clock_ns() + seconds * CLOCK_SECOND;
	unsigned port = 0;
	char block[65536];

	e.data.fd = listener = open_port(true, &port);
	if (listener < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e) != 0)
		return 1;
	printf("%u\n", port);
	fflush(stdout);
	while (clock_ns() < end) {
		int ready = epoll_wait(ep, got, 256, 100);

		for (int i = 0; i < ready; i++) {
			if (got[i].data.fd != listener) {
				if (recv(got[i].data.fd, block, sizeof(block), MSG_DONTWAIT) <= 0)
					close(got[i].data.fd);
				continue;
			}
			while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
				e.data.fd = fd;
				epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
			}
		}
	}
	close(listener);
	close(ep);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct rlimit files = { 20000, 20000 };
	unsigned n;

	setrlimit(RLIMIT_NOFILE, &files);
	if (argc == 3 && strcmp(argv[1], "sink") == 0)
		return sink((unsigned)strtoul(argv[2], NULL, 10));
	if (argc < 5) {
		fprintf(stderr, "usage: bad PORT CLIENTS SECONDS EVERY_MS [KIND [at-once]] | bad sink SECONDS\n");
		return 2;
	}
	n = (unsigned)strtoul(argv[2], NULL, 10);
	if (n == 0 || n > CLIENTS_MAX)
		return 2;
	return attack((unsigned)strtoul(argv[1], NULL, 10), n, (unsigned)strtoul(argv[3], NULL, 10),
	    strtoul(argv[4], NULL, 10), argc > 5 ? argv[5] : "all", argc > 6 && strcmp(argv[6], "at-once") == 0);
}
