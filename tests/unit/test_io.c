/* test_io.c - whole reads and writes, whatever interrupts them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/mem.h"

#define MANY	((size_t)3 << 20)	/* more than a pipe or a socket holds */

/* Reads slowly at the other end, and sends signals to the writer in between. */
struct reader {
	int		fd;
	pthread_t	writer;
	bool		signals;
	size_t		got;
	bool		right;		/* each byte is what was written there */
};

static void
note_signal(int signal)
{
	(void)signal;
}

static void *
reader_run(void *arg)
{
	struct reader *r = arg;
	uint8_t block[1000];
	ssize_t n;

	r->right = true;
	while ((n = read(r->fd, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < n; i++)
			r->right &= block[i] == (uint8_t)((r->got + (size_t)i) % 251);
		r->got += n > 0 ? (size_t)n : 0;
		if (r->signals)
			pthread_kill(r->writer, SIGUSR1);
	}
	return NULL;
}

static uint8_t *
pattern(void)
{
	uint8_t *p = mem_alloc(MANY);

	for (size_t i = 0; i < MANY; i++)
		p[i] = (uint8_t)(i % 251);
	return p;
}

/* All bytes arrive, through the write end `to`, for a reader that takes a thousand at a time. */
static void
check_arrives(int from, int to, int (*write_all)(int fd, struct span bytes), bool signals)
{
	struct reader r = { .fd = from, .writer = pthread_self(), .signals = signals };
	uint8_t *bytes = pattern();
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, reader_run, &r), 0);
	assert_int_equal(write_all(to, span_of(bytes, MANY)), 0);
	close(to);
	pthread_join(thread, NULL);
	close(from);
	assert_int_equal(r.got, MANY);
	assert_true(r.right);
	free(bytes);
}

static void
writes_all_between_signals(void **state)
{
	struct sigaction on = { .sa_handler = note_signal }, before; /* no SA_RESTART: write() ends early */
	int ends[2];

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &on, &before), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	check_arrives(ends[0], ends[1], io_write, true);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	check_arrives(ends[0], ends[1], io_send, true);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

/* Another process that has the same pipe may have made it non-blocking. */
static void
waits_where_nothing_fits(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	check_arrives(ends[0], ends[1], io_write, false);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(fcntl(ends[0], F_SETFL, 0), 0);
	check_arrives(ends[0], ends[1], io_send, false);
}

static void
says_that_the_reader_is_gone(void **state)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(io_write(ends[1], SPAN("a")), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(io_write(ends[1], SPAN("")), 0);
	close(ends[1]);

	/* A socket needs no ignored SIGPIPE. */
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[0]);
	assert_int_equal(io_send(ends[1], SPAN("a")), -1);
	assert_int_equal(errno, EPIPE);
	close(ends[1]);
	signal(SIGPIPE, before);
}

static void
says_that_a_disk_is_full(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, SPAN("a")), -1);
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

/* A pipe with n bytes and an end. */
static int
pipe_of(size_t n)
{
	uint8_t *bytes = pattern();
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(io_write(ends[1], span_of(bytes, n)), 0);
	close(ends[1]);
	free(bytes);
	return ends[0];
}

static void
check_read(size_t n, size_t expect, size_t max, int error)
{
	struct buf out = { 0 };
	int fd = pipe_of(n), r;
	uint8_t *bytes = pattern();

	buf_byte(&out, 'x'); /* what was there stays */
	r = io_read(fd, expect, max, &out);
	assert_int_equal(r, error == 0 ? 0 : -1);
	if (error != 0)
		assert_int_equal(errno, error);
	assert_int_equal(out.len, 1 + (n < max ? n : max));
	assert_int_equal(out.p[0], 'x');
	assert_memory_equal(out.p + 1, bytes, out.len - 1);
	close(fd);
	buf_fini(&out);
	free(bytes);
}

static void
reads_to_the_end(void **state)
{
	(void)state;
	check_read(0, 0, 100, 0);
	check_read(0, 0, 0, 0);
	check_read(100, 0, 100, 0);
	check_read(101, 0, 100, EFBIG);
	check_read(101, 101, 100, EFBIG);
	check_read(1, 0, 0, EFBIG);
	check_read(50000, 0, 60000, 0);
	check_read(50000, 50000, 50000, 0);
	check_read(50000, 10, 50000, 0); /* it grew */
	check_read(10, 50000, 50000, 0); /* it shrank */
	check_read(50000, 20000, 49999, EFBIG);
}

static void
says_what_a_read_met(void **state)
{
	struct buf out = BUF_MAX(10);
	int fd = pipe_of(11), ends[2];

	(void)state;
	assert_int_equal(io_read(fd, 0, 100, &out), -1); /* the buffer's own ceiling */
	assert_int_equal(errno, EFBIG);
	close(fd);
	buf_fini(&out);

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(io_write(ends[1], SPAN("ab")), 0);
	out.max = 0;
	assert_int_equal(io_read(ends[0], 0, 100, &out), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(out.len, 2);
	close(ends[0]);
	close(ends[1]);
	buf_fini(&out);

	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(io_read(fd, 0, 100, &out), -1);
	assert_int_equal(errno, EISDIR);
	close(fd);
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_between_signals),
		cmocka_unit_test(waits_where_nothing_fits),
		cmocka_unit_test(says_that_the_reader_is_gone),
		cmocka_unit_test(says_that_a_disk_is_full),
		cmocka_unit_test(reads_to_the_end),
		cmocka_unit_test(says_what_a_read_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
