// libs: carrel_front
/* test_front_wiped.c - what the front frees of answers that hold a secret holds nothing of it. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mp.h"
#include "front/http/conn_write.h"
#include "tests/unit/harness.h"

#define SECRET	"ct_SECRET_of_a_new_token"
#include "tests/unit/freed.h"

#define MANY	20000u	/* bytes, more than the socket takes at once */

/* A text with the secret at its begin and its end. */
static struct span
text_of(char room[MANY])
{
	memset(room, 'x', MANY);
	memcpy(room, SECRET, sizeof(SECRET) - 1);
	memcpy(room + MANY - sizeof(SECRET), SECRET, sizeof(SECRET) - 1);
	return span_of(room, MANY);
}

/* Read all that there is; whether the secret was in it. */
static bool
drain(int fd)
{
	static char got[8 * MANY];
	size_t len = 0;
	ssize_t n;

	while ((n = recv(fd, got + len, sizeof(got) - len, MSG_DONTWAIT)) > 0)
		len += (size_t)n;
	return memmem(got, len, SECRET, sizeof(SECRET) - 1) != NULL;
}

static void
narrow_pair(int fd[2])
{
	int size = 1;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	assert_int_equal(setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
}

static bool
fill_once(void *arg, struct buf *out)
{
	buf_str(out, arg);
	return false;
}

static void
release_nothing(void *arg)
{
	(void)arg;
}

static void
test_queue(void **state)
{
	static char room[MANY];
	struct span text = text_of(room);
	struct out o = { .items = NULL };
	int fd[2];

	(void)state;
	narrow_pair(fd);
	left_behind = 0;
	watched = true;
	/* short ones stay where later ones are put */
	out_bytes(&o, SPAN(SECRET));
	assert_int_equal(out_flush(&o, fd[0]), OUT_EMPTY);
	/* one that grows while it waits */
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(out_send(&o, fd[0], text, NULL, SPAN(SECRET)), OUT_MORE);
	while (out_flush(&o, fd[0]) == OUT_MORE)
		(void)drain(fd[1]);
	(void)drain(fd[1]);
	out_source(&o, (struct out_source){ fill_once, release_nothing, SECRET }, true);
	assert_int_equal(out_flush(&o, fd[0]), OUT_EMPTY);
	assert_true(drain(fd[1]));
	/* and what nobody reads */
	assert_int_equal(out_send(&o, fd[0], text, NULL, text), OUT_MORE);
	out_fini(&o);
	watched = false;
	assert_int_equal(left_behind, 0);
	close(fd[0]);
	close(fd[1]);
}

/* A connection that waits for the answer to its request. */
static struct conn *
conn_for(struct front *f, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));

	*c = (struct conn){ .front = f, .fd = fd, .minor = 1, .timer = TIMER_NONE, .state = CONN_SERVING };
	event_assign(&c->readable, f->base, fd, EV_READ, conn_on_writable, c);
	event_assign(&c->writable, f->base, fd, EV_WRITE | EV_PERSIST, conn_on_writable, c);
	return c;
}

static void
conn_answered(struct conn *c)
{
	conn_timer(c, TIMER_NONE);
	event_del(&c->writable);
	out_fini(&c->out);
	free(c);
}

static void
test_replies(void **state)
{
	static char room[MANY];
	struct front f = { .base = event_base_new() };
	struct result_budget budget = { .max = 1u << 20, .max_each = 1u << 20 };
	struct tool_result *r = result_new(&budget, NULL);
	struct buf head = { .max = 0 };
	struct conn *c;
	struct err e;
	int fd[2];

	(void)state;
	f.conns = conns_new(&f, NULL);
	narrow_pair(fd);
	left_behind = 0;
	watched = true;
	for (unsigned i = 0; i < 2; i++) {
		c = conn_for(&f, fd[0]);
		conn_reply(c, &(struct http_reply){ .status = 200 }, i == 0 ? SPAN(SECRET) : text_of(room));
		assert_true(drain(fd[1]));
		conn_answered(c);
	}
	(void)drain(fd[1]);
	/* what a tool of carrel-auth made */
	result_hold_secret(r);
	watched = false;
	mp_put_map(&head, 1);
	mp_pair_cstr(&head, "token", SECRET);
	watched = true;
	assert_int_equal(result_finish(r, buf_view(&head), SPAN_NONE, SPAN_NONE, &e), 0);
	result_begin(r, SPAN("{\"text\":\""), SPAN("\",\"object\":"), SPAN("}"));
	c = conn_for(&f, fd[0]);
	conn_answer(c, &(struct mcp_answer){ .status = 200, .result = r });
	assert_true(drain(fd[1]));
	conn_answered(c);
	result_drain_pool(&budget);
	watched = false;
	assert_int_equal(left_behind, 0);
	buf_fini(&head);
	close(fd[0]);
	close(fd[1]);
	conns_free(f.conns);
	event_base_free(f.base);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_replies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
