/* conn.c - see conn.h: accepting, deadlines, and the end of a connection. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "front/conn.h"
#include "front/peer.h"

#define LISTENERS_MAX	8
#define ACCEPT_MOST	64	/* in one go, so that others get their turn */
#define COMMENTS_A_TURN	32u

TAILQ_HEAD(connq, conn);

struct listener {
	struct conns	*conns;
	int		 fd;
	struct event	 readable;
	bool		 armed;
};

struct conns {
	struct front		*front;
	struct connq		 all, timed[TIMERS], chores;
	struct listener		 listeners[LISTENERS_MAX];
	unsigned		 nlisteners, n;
	struct addresses	*addresses;
	size_t			 buffered;
	uint64_t		 resume_ns;	/* accepting again then: descriptors ran out */
	uint64_t		 swept_ns;
	bool			 serving;
};

static const unsigned durations_ms[TIMERS] = {
	[TIMER_HEAD] = CONN_HEAD_MS, [TIMER_BODY] = CONN_BODY_MS, [TIMER_IDLE] = CONN_IDLE_MS,
	[TIMER_WRITE] = CONN_WRITE_MS, [TIMER_LINGER] = CONN_LINGER_MS,
	[TIMER_COMMENT] = CONN_COMMENT_MS, [TIMER_SLOW] = CONN_SLOW_MS,
};

/* --- small things others need ------------------------------------------------------------- */

struct addresses *
conns_addresses(struct conns *cs)
{
	return cs->addresses;
}

unsigned
conns_count(const struct conns *cs)
{
	return cs->n;
}

void
conn_charge(struct conn *c)
{
	size_t now = c->in.cap + c->head.cap + c->body.cap;

	c->front->conns->buffered += now - c->charged;
	c->charged = now;
}

bool
conns_overdrawn(const struct conns *cs)
{
	return cs->buffered > CONN_BUFFERED_MAX;
}

/* One list per duration, each in order of due times, so that arming is two pointer moves. */
void
conn_timer(struct conn *c, enum conn_timer which)
{
	struct conns *cs = c->front->conns;

	if (c->timer != TIMER_NONE)
		TAILQ_REMOVE(&cs->timed[c->timer], c, timed);
	c->timer = which;
	if (which == TIMER_NONE)
		return;
	c->due = clock_ns() + durations_ms[which] * CLOCK_MS;
	TAILQ_INSERT_TAIL(&cs->timed[which], c, timed);
}

/* Come back to it at the end of the turn. */
void
conn_chore(struct conn *c)
{
	if (c->chored)
		return;
	c->chored = true;
	TAILQ_INSERT_TAIL(&c->front->conns->chores, c, chore);
}

void
conn_drop(struct conn *c)
{
	if (c->dead)
		return;
	c->dead = true;
	http_lost(c);
	if (c->hub != NULL)
		sse_lost(c);
	event_del(&c->readable);
	event_del(&c->writable);
	conn_timer(c, TIMER_NONE);
	conn_chore(c);
}

static void
conn_free(struct conn *c)
{
	struct conns *cs = c->front->conns;

	TAILQ_REMOVE(&cs->all, c, all);
	cs->n--;
	address_close(cs->addresses, c->address);
	out_fini(&c->out);
	buf_fini(&c->in);
	buf_fini(&c->head);
	buf_fini(&c->body);
	cs->buffered -= c->charged;
	close(c->fd);
	free(c);
}

/* Is sa one of the configured reverse proxies? */
static bool
is_proxy(const struct access *a, const struct sockaddr *sa)
{
	char text[INET6_ADDRSTRLEN];
	const void *address = sa->sa_family == AF_INET ?
	    (const void *)&((const struct sockaddr_in *)(const void *)sa)->sin_addr :
	    (const void *)&((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr;

	if (sa->sa_family == AF_UNIX)
		return true;	/* only a proxy is given a way to that socket */
	if (a->nproxies == 0 || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6) ||
	    inet_ntop(sa->sa_family, address, text, sizeof(text)) == NULL)
		return false;
	for (size_t i = 0; i < a->nproxies; i++)
		if (strcmp(a->proxies[i], text) == 0)
			return true;
	return false;
}

/* --- accepting -------------------------------------------------------------------------------- */

static void
turn_away(int fd, int status, const char *message)
{
	struct http_reply r = { .status = status, .close = true, .retry_after = 1, .type = "text/plain" };
	struct buf out = { .max = 0 };

	r.length = strlen(message);
	http_put_head(&out, &r, clock_unix_ms() / 1000);
	buf_str(&out, message);
	if (send(fd, out.p, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_debug("a client was turned away without a word");
	buf_fini(&out);
	close(fd);
}

static void
conn_new(struct conns *cs, int fd, const struct sockaddr *sa)
{
	struct address *address = address_open(cs->addresses, sa);
	bool loopback = peer_is_loopback(sa), proxy = is_proxy(&cs->front->access, sa);
	struct conn *c;

	if (cs->n >= CONN_MAX ||
	    (!loopback && !proxy && address_connections(address) > ADDRESS_CONNS_MAX)) {
		turn_away(fd, cs->n >= CONN_MAX ? 503 : 429, "too many connections\n");
		address_close(cs->addresses, address);
		front_log_refusal(cs->front, "turned a connection away: too many");
		return;
	}
	c = mem_new(1, sizeof(*c));
	c->front = cs->front;
	c->fd = fd;
	c->timer = TIMER_NONE;
	c->address = address;
	c->loopback = loopback;
	c->proxy = proxy;
	c->unix_socket = sa->sa_family == AF_UNIX;
	c->minor = 1;
	TAILQ_INIT(&c->exchanges);
	TAILQ_INSERT_TAIL(&cs->all, c, all);
	cs->n++;
	event_assign(&c->readable, cs->front->base, fd, EV_READ | EV_PERSIST, conn_on_readable, c);
	event_assign(&c->writable, cs->front->base, fd, EV_WRITE | EV_PERSIST, conn_on_writable, c);
	event_add(&c->readable, NULL);
	conn_timer(c, TIMER_HEAD);
}

static void
listen_on(struct conns *cs, bool on)
{
	for (unsigned i = 0; i < cs->nlisteners; i++) {
		struct listener *l = &cs->listeners[i];

		if (l->armed == on)
			continue;
		l->armed = on;
		if (on)
			event_add(&l->readable, NULL);
		else
			event_del(&l->readable);
	}
}

static void
on_connection(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;

	(void)what;
	for (unsigned i = 0; i < ACCEPT_MOST; i++) {
		union {
			struct sockaddr		any;
			struct sockaddr_storage	room;
		} sa;
		socklen_t len = sizeof(sa);
		int client = accept4(fd, &sa.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (client >= 0) {
			conn_new(l->conns, client, &sa.any);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			/* The kernel keeps those who wait; look again when some have left. */
			listen_on(l->conns, false);
			l->conns->resume_ns = clock_ns() + 100 * CLOCK_MS;
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

void
conns_listen(struct conns *cs, int fd)
{
	struct listener *l;
	int one = 1;

	if (cs->nlisteners == LISTENERS_MAX) {
		close(fd);
		return;
	}
	/* Inherited by what is accepted; without it large answers wait for delayed acknowledgements. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0)
		log_debug("a listening socket that is not TCP");
	evutil_make_socket_nonblocking(fd);
	l = &cs->listeners[cs->nlisteners++];
	*l = (struct listener){ .conns = cs, .fd = fd };
	event_assign(&l->readable, cs->front->base, fd, EV_READ | EV_PERSIST, on_connection, l);
	if (cs->serving)
		listen_on(cs, true);
}

void
conns_serve(struct conns *cs, bool on)
{
	cs->serving = on;
	listen_on(cs, on);
	if (on)
		return;
	for (unsigned i = 0; i < cs->nlisteners; i++)
		close(cs->listeners[i].fd);
	cs->nlisteners = 0;
}

/* --- time and turns ------------------------------------------------------------------------------ */

static void
expire(struct conn *c, enum conn_timer which)
{
	switch (which) {
	case TIMER_SLOW:
		http_slow(c);
		break;
	case TIMER_HEAD:
	case TIMER_BODY:
		if (c->in.len == 0 && c->head.len == 0) {
			conn_drop(c);	/* it never said anything */
			break;
		}
		front_log_refusal(c->front, "refused with 408: the request did not arrive in time");
		c->close = c->unread = true;
		conn_refuse(c, 408, "the request did not arrive in time", NULL);
		break;
	default:
		conn_drop(c);
		break;
	}
}

/* Ten thousand streams that were opened together are not kept alive all at once. */
bool
conns_comments(struct conns *cs)
{
	struct conn *c = TAILQ_FIRST(&cs->timed[TIMER_COMMENT]);
	uint64_t now;

	if (c == NULL || c->due > (now = clock_ns()))
		return false;
	for (unsigned i = 0; i < COMMENTS_A_TURN && c != NULL && c->due <= now; i++) {
		conn_timer(c, TIMER_NONE);
		conn_comment(c);
		c = TAILQ_FIRST(&cs->timed[TIMER_COMMENT]);
	}
	return c != NULL && c->due <= now;
}

void
conns_tick(struct conns *cs, uint64_t now)
{
	struct conn *c;

	for (unsigned t = 0; t < TIMERS; t++)
		while (t != TIMER_COMMENT && (c = TAILQ_FIRST(&cs->timed[t])) != NULL && c->due <= now) {
			conn_timer(c, TIMER_NONE);
			expire(c, (enum conn_timer)t);
		}
	if (cs->resume_ns != 0 && cs->resume_ns <= now) {
		cs->resume_ns = 0;
		listen_on(cs, cs->serving);
	}
	if (now - cs->swept_ns >= 60 * CLOCK_SECOND) {
		cs->swept_ns = now;
		addresses_sweep(cs->addresses, now);
	}
}

bool
conns_turn(struct conns *cs)
{
	struct connq now = TAILQ_HEAD_INITIALIZER(now);
	struct conn *c;

	if (TAILQ_EMPTY(&cs->chores))
		return false;
	TAILQ_CONCAT(&now, &cs->chores, chore);
	while ((c = TAILQ_FIRST(&now)) != NULL) {
		TAILQ_REMOVE(&now, c, chore);
		c->chored = false;
		if (!c->dead)
			conn_consume_input(c);
		if (c->dead && !c->chored)
			conn_free(c);
	}
	return true;
}

void
conns_close_idle(struct conns *cs)
{
	struct conn *c;

	TAILQ_FOREACH(c, &cs->all, all)
		if (c->state == CONN_HEAD || c->state == CONN_LINGER)
			conn_drop(c);
}

/* --- life ---------------------------------------------------------------------------------------- */

struct conns *
conns_new(struct front *f)
{
	struct conns *cs = mem_new(1, sizeof(*cs));

	cs->front = f;
	cs->addresses = addresses_new();
	TAILQ_INIT(&cs->all);
	TAILQ_INIT(&cs->chores);
	for (unsigned i = 0; i < TIMERS; i++)
		TAILQ_INIT(&cs->timed[i]);
	return cs;
}

void
conns_free(struct conns *cs)
{
	struct conn *c;

	if (cs == NULL)
		return;
	conns_serve(cs, false);
	while ((c = TAILQ_FIRST(&cs->all)) != NULL) {
		conn_drop(c);
		conn_free(c);
	}
	addresses_free(cs->addresses);
	free(cs);
}
