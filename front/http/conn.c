/* conn.c - see conn.h: accepting, deadlines, and the end of a connection. */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "front/http/caller.h"
#include "front/http/conn.h"
#include "front/http/conn_read.h"
#include "front/http/conn_write.h"
#include "front/calls/metering.h"

#define LISTENERS_MAX	8
#define ACCEPT_MOST	8	/* accepted per turn: leaves time for open connections */
#define STRANGERS_A_TURN	8	/* strangers read from per turn: so long regulars wait for them */
#define ACCEPT_SHARED	8	/* accepted in a row while other fronts share the port; then this front pauses */
#define ACCEPT_REST_US	1000	/* length of that pause */
#define COMMENTS_A_TURN	32u

TAILQ_HEAD(connq, conn);

struct front_listener {
	struct conns	*conns;
	int		 fd;
	struct event	 readable;
	bool		 armed, due;	/* due: new connections wait in its backlog */
};

struct conns {
	struct front		*front;
	const struct conn_user	*user;
	struct connq		 all, timed[TIMERS], chores;
	struct front_listener		 listeners[LISTENERS_MAX];
	unsigned		 nlisteners;
	unsigned		 n, others, max;	/* open connections; those not the owner's; the bound */
	int			 reserved;	/* the first descriptor that no connection gets */
	struct addresses	*addresses;
	size_t			 buffered, buffered_others;
	uint64_t		 resume_ns;	/* no accepting before this time: descriptors ran out */
	unsigned		 in_a_row;	/* accepted since the last pause */
	struct event		 rested;
	uint64_t		 swept_ns;
	int			 strangers;	/* epoll: what strangers send */
	struct event		 stirring;	/* some of them sent something */
	bool			 stirred;
	bool			 serving;
	uint8_t			 block[CONN_BLOCK];
};

static const unsigned durations_ms[TIMERS] = {
	[TIMER_HEAD] = CONN_HEAD_MS, [TIMER_BODY] = CONN_BODY_MS, [TIMER_IDLE] = CONN_IDLE_MS,
	[TIMER_WRITE] = CONN_WRITE_MS, [TIMER_LINGER] = CONN_LINGER_MS,
	[TIMER_COMMENT] = CONN_COMMENT_MS, [TIMER_SLOW] = CONN_SLOW_MS,
};

struct addresses *
conns_addresses(struct conns *cs)
{
	return cs->addresses;
}

uint8_t *
conns_block(struct conns *cs)
{
	return cs->block;
}

unsigned
conns_count(const struct conns *cs)
{
	return cs->n;
}

static void
charge_bytes(struct conn *c, size_t plus)
{
	struct conns *cs = c->front->conns;

	cs->buffered += plus;
	if (!c->owners)
		cs->buffered_others += plus;
	address_charge(caller_address(c), plus);
}

void
conn_charge(struct conn *c)
{
	size_t now = c->in.cap + c->head.cap + c->body.cap;

	charge_bytes(c, now - c->charged);
	c->charged = now;
}

bool
conn_overdrawn(const struct conn *c)
{
	const struct conns *cs = c->front->conns;

	return caller_overdrawn(c, cs->buffered, cs->buffered_others, CONN_BUFFERED_MAX);
}

bool
conns_disown(struct conn *c)
{
	struct conns *cs = c->front->conns;

	c->owners = false;
	cs->others++;
	cs->buffered_others += c->charged;
	return cs->others <= CALLER_OTHERS(cs->max);
}

/* One list per duration, sorted by due time, so that arming a timer is O(1). */
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

/* Handle c again at the end of the turn. */
void
conn_chore(struct conn *c)
{
	if (c->chored)
		return;
	c->chored = true;
	TAILQ_INSERT_TAIL(&c->front->conns->chores, c, chore);
}

void
conn_hear(struct conn *c, bool on)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

	if (on == c->heard)
		return;
	c->heard = on;
	if (!c->regular) {
		if (epoll_ctl(c->front->conns->strangers, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, c->fd, &e) != 0 && on)
			conn_drop(c); /* its bytes and its end would go unnoticed */
	} else if (on)
		event_add(&c->readable, NULL);
	else
		event_del(&c->readable);
}

void
conn_settle(struct conn *c)
{
	bool heard = c->heard;

	if (c->regular || !c->admitted)
		return;
	conn_hear(c, false);
	c->regular = true;
	conn_hear(c, heard);
}

void
conn_drop(struct conn *c)
{
	if (c->dead)
		return;
	c->dead = true;
	c->user->lost(c);
	if (c->regular)
		event_del(&c->readable); /* of a stranger the kernel forgets, too, when its descriptor is closed */
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
	cs->others -= !c->owners;
	charge_bytes(c, -c->charged);
	c->charged = 0;
	caller_leave(c);
	out_fini(&c->out);
	buf_fini(&c->in);
	free(c->late);
	buf_fini(&c->head);
	buf_fini(&c->body);
	close(c->fd);
	free(c);
}

static void
turn_away(struct front *f, int fd, int status, const char *message)
{
	struct http_reply r = { .status = status, .close = true, .retry_after = 1, .type = "text/plain",
		.secure = f->access.secure };
	struct buf out = { .max = 0 };

	r.length = strlen(message);
	http_put_head(&out, &r, &f->date, clock_unix_ms() / 1000);
	buf_str(&out, message);
	if (send(fd, out.p, out.len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_debug("a client was turned away without a word");
	buf_fini(&out);
	close(fd);
}

static void
conn_new(struct conns *cs, int fd, const struct sockaddr *sa)
{
	struct conn *c = mem_new(1, sizeof(*c));
	int refused;

	c->front = cs->front;
	c->user = cs->user;
	c->fd = fd;
	caller_arrive(c, sa);
	refused = fd >= cs->reserved ? 503 : caller_room(c, cs->n + 1, cs->others + !c->owners, cs->max);
	if (refused != 0) {
		turn_away(cs->front, fd, refused, "too many connections\n");
		caller_leave(c);
		free(c);
		metering_log_refusal(cs->front, "turned a connection away: too many");
		return;
	}
	c->timer = TIMER_NONE;
	c->minor = 1;
	TAILQ_INIT(&c->exchanges);
	TAILQ_INSERT_TAIL(&cs->all, c, all);
	cs->n++;
	cs->others += !c->owners;
	event_assign(&c->readable, cs->front->base, fd, EV_READ | EV_PERSIST, conn_on_readable, c);
	event_assign(&c->writable, cs->front->base, fd, EV_WRITE | EV_PERSIST, conn_on_writable, c);
	conn_hear(c, true);
	conn_timer(c, TIMER_HEAD);
}

static void
listen_on(struct conns *cs, bool on)
{
	for (unsigned i = 0; i < cs->nlisteners; i++) {
		struct front_listener *l = &cs->listeners[i];

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
on_rested(evutil_socket_t fd, short what, void *arg)
{
	struct conns *cs = arg;

	(void)fd, (void)what;
	if (cs->serving && cs->resume_ns == 0)
		listen_on(cs, true);
}

/* Pause after a few accepts.  Without the pause the front that wakes first takes and keeps all new connections. */
static bool
is_others_turn(struct conns *cs)
{
	static const struct timeval rest = { .tv_usec = ACCEPT_REST_US };

	if (cs->front->conf.alone || ++cs->in_a_row < ACCEPT_SHARED)
		return false;
	cs->in_a_row = 0;
	listen_on(cs, false);
	event_add(&cs->rested, &rest);
	return true;
}

static void
accept_some(struct front_listener *l)
{
	for (unsigned i = 0; i < ACCEPT_MOST; i++) {
		union {
			struct sockaddr any;
			struct sockaddr_storage room;
		} sa;
		socklen_t len = sizeof(sa);
		int client = accept4(l->fd, &sa.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (client >= 0) {
			conn_new(l->conns, client, &sa.any);
			if (is_others_turn(l->conns))
				return;
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			/* The kernel queues further clients.  Try again shortly, when descriptors may be free. */
			listen_on(l->conns, false);
			l->conns->resume_ns = clock_ns() + 100 * CLOCK_MS;
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

static void
on_connection(evutil_socket_t fd, short what, void *arg)
{
	struct front_listener *l = arg;

	(void)fd, (void)what;
	l->due = true;
}

static void
on_stirring(evutil_socket_t fd, short what, void *arg)
{
	struct conns *cs = arg;

	(void)fd, (void)what;
	cs->stirred = true;
}

/* epoll returns ready sockets in turn: those that were read from come last the next time. */
static void
read_strangers(struct conns *cs)
{
	struct epoll_event got[STRANGERS_A_TURN];
	int n = epoll_wait(cs->strangers, got, STRANGERS_A_TURN, 0);

	for (int i = 0; i < n; i++) {
		struct conn *c = got[i].data.ptr;

		if (!c->dead)
			conn_on_readable(c->fd, EV_READ, c);
	}
}

bool
conns_strangers(struct conns *cs)
{
	bool did = cs->stirred;

	if (cs->stirred)
		read_strangers(cs);
	cs->stirred = false;
	for (unsigned i = 0; i < cs->nlisteners; i++) {
		struct front_listener *l = &cs->listeners[i];

		did |= l->due;
		if (l->due && l->armed)
			accept_some(l);
		l->due = false;
	}
	return did;
}

void
conns_listen(struct conns *cs, int fd)
{
	struct front_listener *l;
	int one = 1;

	if (cs->nlisteners == LISTENERS_MAX) {
		close(fd);
		return;
	}
	/* Accepted sockets inherit the option.  Without TCP_NODELAY large answers wait for delayed acknowledgements. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0)
		log_debug("a listening socket that is not TCP");
	evutil_make_socket_nonblocking(fd);
	l = &cs->listeners[cs->nlisteners++];
	*l = (struct front_listener){ .conns = cs, .fd = fd };
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
	event_del(&cs->rested);
	for (unsigned i = 0; i < cs->nlisteners; i++)
		close(cs->listeners[i].fd);
	cs->nlisteners = 0;
}

static void
conn_expire(struct conn *c, enum conn_timer which)
{
	switch (which) {
	case TIMER_SLOW:
		c->user->slow(c);
		break;
	case TIMER_HEAD:
	case TIMER_BODY:
		if (c->in.len == 0 && c->head.len == 0) {
			conn_drop(c); /* the client never sent a byte */
			break;
		}
		metering_log_refusal(c->front, "refused with 408: the request did not arrive in time");
		c->close = c->unread = true;
		conn_refuse(c, 408, "the request did not arrive in time", NULL);
		break;
	default:
		conn_drop(c);
		break;
	}
}

/* Write keep-alive comments for a few streams per turn: many streams opened together are due together. */
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
			conn_expire(c, (enum conn_timer)t);
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

bool
conns_make_room(struct conns *cs, int fd)
{
	static const enum conn_timer least[] = { TIMER_HEAD, TIMER_LINGER, TIMER_IDLE };
	struct conn *c = NULL;

	if (fd < cs->reserved)
		return false;
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]) && c == NULL; i++)
		c = TAILQ_FIRST(&cs->timed[least[i]]);
	if (c == NULL)
		return false;
	metering_log_refusal(cs->front, "closed a connection: descriptors are short (LimitNOFILE=, `ulimit -n`)");
	conn_drop(c);
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

/* The bound leaves spare descriptors: refusing a connection takes one, too. */
static void
bound_connections(struct conns *cs)
{
	struct rlimit files;

	cs->max = CONN_MAX;
	cs->reserved = INT_MAX;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	if (files.rlim_max < CONN_MAX + CONN_SPARE)
		cs->max = files.rlim_max > 2 * CONN_SPARE ? (unsigned)files.rlim_max - CONN_SPARE : CONN_SPARE;
	if (files.rlim_max < INT_MAX)
		cs->reserved = (int)files.rlim_max - CONN_RESERVE;
}

struct conns *
conns_new(struct front *f, const struct conn_user *user)
{
	int strangers = epoll_create1(EPOLL_CLOEXEC);
	struct conns *cs;

	if (strangers < 0)
		return NULL;
	cs = mem_new(1, sizeof(*cs));
	cs->front = f;
	cs->user = user;
	bound_connections(cs);
	cs->addresses = addresses_new(f->conf.auth_failures_per_min, f->conf.block_s);
	event_assign(&cs->rested, f->base, -1, 0, on_rested, cs);
	cs->strangers = strangers;
	event_assign(&cs->stirring, f->base, cs->strangers, EV_READ | EV_PERSIST, on_stirring, cs);
	event_add(&cs->stirring, NULL);
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
	event_del(&cs->stirring);
	close(cs->strangers);
	addresses_free(cs->addresses);
	free(cs);
}
