// libs: carrel_base carrel_ipc
/* test_channel.c - frames over a socketpair: in pieces, too long, from the wrong side, cut off. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/channel.h"
#include "tests/unit/harness.h"

/* A channel on one end; the other end is a plain descriptor, or a channel too. */
struct pair {
	struct channel	front, worker;
	int		raw;
};

static void
pair_raw(struct pair *p)
{
	int fds[2];

	memset(p, 0, sizeof(*p));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	channel_init(&p->front, fds[0], IPC_FRONT, IPC_SQL, 7);
	p->raw = fds[1];
	p->worker.fd = -1;
}

static void
pair_full(struct pair *p)
{
	pair_raw(p);
	channel_init(&p->worker, p->raw, IPC_SQL, IPC_FRONT, 7);
	p->raw = -1;
}

static void
pair_end(struct pair *p)
{
	channel_fini(&p->front);
	channel_fini(&p->worker);
	if (p->raw != -1)
		close(p->raw);
}

static void
put_frame(struct buf *b, uint32_t len, uint16_t type, uint16_t flags, uint64_t id, struct span body)
{
	buf_append(b, &len, sizeof(len));
	buf_append(b, &type, sizeof(type));
	buf_append(b, &flags, sizeof(flags));
	buf_append(b, &id, sizeof(id));
	buf_span(b, body);
}

static void
write_all(int fd, struct span s)
{
	assert_int_equal(write(fd, s.p, s.len), s.len);
}

static void
assert_progress(struct channel *ch, const struct ipc_frame *f, uint64_t id, uint64_t permille)
{
	struct ipc_progress msg;

	assert_int_equal(f->type, IPC_MSG_PROGRESS);
	assert_true(f->id == id);
	assert_true(channel_unpack(ch, f, &msg, sizeof(msg)));
	assert_int_equal(msg.permille, permille);
}

static void
there_and_back(void **state)
{
	struct ipc_call call = {
		.tool = SPAN("sql_execution"), .principal = SPAN("local:1000"), .deadline_ns = 1,
		.request_id = SPAN("r1"), .answers = SPAN("\x80"), .args = SPAN("\x80"),
	}, got;
	struct ipc_progress progress = { .permille = 500, .message = SPAN("half") };
	struct ipc_frame f;
	struct pair p;

	(void)state;
	pair_full(&p);
	assert_int_equal(p.front.generation, 7);
	assert_int_not_equal(fcntl(p.front.fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(p.front.fd, F_GETFD), FD_CLOEXEC);

	assert_int_equal(channel_send(&p.front, IPC_MSG_CALL, 42, &call), 0);
	assert_true(channel_pending(&p.front) > IPC_HEAD_SIZE);
	assert_int_equal(channel_flush(&p.front), CHANNEL_FRAME);
	assert_int_equal(channel_pending(&p.front), 0);
	assert_int_equal(channel_read(&p.worker), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.worker, &f), CHANNEL_FRAME);
	assert_true(f.id == 42);
	assert_true(channel_unpack(&p.worker, &f, &got, sizeof(got)));
	assert_true(span_is_str(got.tool, "sql_execution"));
	assert_int_equal(channel_next(&p.worker, &f), CHANNEL_MORE);
	assert_int_equal(channel_read(&p.worker), CHANNEL_MORE);

	assert_int_equal(channel_send(&p.worker, IPC_MSG_PROGRESS, 42, &progress), 0);
	assert_int_equal(channel_send(&p.worker, IPC_MSG_PROGRESS, 43 | IPC_SUB, &progress), 0);
	assert_int_equal(channel_flush(&p.worker), CHANNEL_FRAME);
	assert_int_equal(channel_read(&p.front), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_progress(&p.front, &f, 42, 500);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_progress(&p.front, &f, 43 | IPC_SUB, 500);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_MORE);
	pair_end(&p);
}

/* A sender is held to its role and to the table; nothing is queued. */
static void
send_refuses(void **state)
{
	struct ipc_progress progress = { .permille = 1001, .message = SPAN("") };
	struct ipc_credit credit = { .chunks = 1 };
	struct pair p;

	(void)state;
	pair_full(&p);
	assert_int_equal(channel_send(&p.worker, IPC_MSG_PROGRESS, 1, &progress), -1);
	progress.permille = 1000;
	assert_int_equal(channel_send(&p.front, IPC_MSG_PROGRESS, 1, &progress), -1); /* to SQL: not allowed */
	assert_int_equal(channel_send(&p.worker, IPC_MSG_CREDIT, 1, &credit), -1);    /* from SQL: not allowed */
	assert_int_equal(channel_send(&p.front, 9999, 1, &credit), -1);
	assert_int_equal(channel_pending(&p.worker), 0);
	assert_int_equal(channel_pending(&p.front), 0);
	assert_int_equal(channel_send(&p.worker, IPC_MSG_PROGRESS, 1, &progress), 0);
	assert_int_equal(channel_send(&p.front, IPC_MSG_CREDIT, 1, &credit), 0);
	pair_end(&p);
}

static void
byte_by_byte(void **state)
{
	struct buf bytes = BUF_MAX(0);
	struct ipc_frame f;
	unsigned frames = 0;
	struct pair p;

	(void)state;
	pair_raw(&p);
	for (uint64_t i = 0; i < 3; i++)
		put_frame(&bytes, 7, IPC_MSG_PROGRESS, 0, i, SPAN("\x92\x05\xa4half"));
	for (size_t i = 0; i < bytes.len; i++) {
		bool whole = (i + 1) % (IPC_HEAD_SIZE + 7) == 0;

		write_all(p.raw, span_of(bytes.p + i, 1));
		assert_int_equal(channel_read(&p.front), whole ? CHANNEL_FRAME : CHANNEL_MORE);
		assert_int_equal(channel_next(&p.front, &f), whole ? CHANNEL_FRAME : CHANNEL_MORE);
		if (whole)
			assert_progress(&p.front, &f, frames++, 5);
	}
	assert_int_equal(frames, 3);
	buf_fini(&bytes);
	pair_end(&p);
}

/* Chunks of every size against frames of every size; the reader sees them in order. */
static void
random_pieces(void **state)
{
	static uint8_t payload[150000];
	struct buf bytes = BUF_MAX(0), body = BUF_MAX(0);
	uint64_t seed = 21, next = 0, count = 300;
	struct ipc_frame f;
	struct pair p;
	size_t at = 0;

	(void)state;
	pair_raw(&p);
	for (uint64_t i = 0; i < count; i++) {
		size_t n = test_random(&seed) % (i % 20 == 0 ? sizeof(payload) : 300) + 1;

		body.len = 0;
		mp_put_array(&body, 1);
		mp_put_array(&body, 1);
		mp_put_array(&body, 1);
		mp_put_bin(&body, span_of(memset(payload, (int)i, n), n));
		put_frame(&bytes, (uint32_t)body.len, IPC_MSG_ROWS, 0, i, buf_view(&body));
	}
	while (next < count) {
		size_t n = test_random(&seed) % 70000 + 1;

		if (n > bytes.len - at)
			n = bytes.len - at;
		if (n > 0) {
			ssize_t w = send(p.raw, bytes.p + at, n, MSG_DONTWAIT);

			assert_true(w > 0 || errno == EAGAIN);
			at += w > 0 ? (size_t)w : 0;
		}
		(void)channel_read(&p.front);
		while (channel_next(&p.front, &f) == CHANNEL_FRAME) {
			struct ipc_rows rows;

			assert_true(f.id == next);
			assert_true(channel_unpack(&p.front, &f, &rows, sizeof(rows)));
			assert_int_equal(rows.rows.p[rows.rows.len - 1], (uint8_t)next);
			next++;
		}
		assert_int_equal(p.front.fault, IPC_OK);
	}
	buf_fini(&bytes);
	buf_fini(&body);
	pair_end(&p);
}

static void
assert_broken(uint32_t len, uint16_t type, uint16_t flags, enum ipc_fault fault)
{
	struct buf bytes = BUF_MAX(0);
	struct ipc_frame f;
	struct pair p;

	pair_raw(&p);
	/* A good frame in front is still handed out. */
	put_frame(&bytes, 7, IPC_MSG_PROGRESS, 0, 1, SPAN("\x92\x05\xa4half"));
	put_frame(&bytes, len, type, flags, 2, SPAN(""));
	write_all(p.raw, buf_view(&bytes));
	assert_int_equal(channel_read(&p.front), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_BROKEN);
	assert_int_equal(p.front.fault, fault);
	/* Broken stays broken; nothing more is read. */
	write_all(p.raw, buf_view(&bytes));
	assert_int_equal(channel_read(&p.front), CHANNEL_BROKEN);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_BROKEN);
	assert_true(p.front.in.cap <= 128 * 1024);
	buf_fini(&bytes);
	pair_end(&p);
}

static void
bad_heads(void **state)
{
	(void)state;
	assert_broken(0xffffffff, IPC_MSG_ROWS, 0, IPC_TOO_LONG);
	assert_broken(IPC_BODY_MAX + 1, IPC_MSG_RESULT, 0, IPC_TOO_LONG);
	assert_broken(2000, IPC_MSG_PROGRESS, 0, IPC_TOO_LONG); /* more than its row allows */
	assert_broken(7, 9999, 0, IPC_UNKNOWN);
	assert_broken(7, 0, 0, IPC_UNKNOWN);
	assert_broken(7, IPC_MSG_PROGRESS, 1, IPC_BAD_TYPE);
	assert_broken(7, IPC_MSG_CALL, 0, IPC_NOT_ALLOWED); /* the front's word in a worker's mouth */
	assert_broken(7, IPC_MSG_PING, 0, IPC_NOT_ALLOWED);
	assert_broken(7, IPC_MSG_SUBCALL, 0, IPC_NOT_ALLOWED); /* SQL workers make none */
}

static void
bad_body(void **state)
{
	struct buf bytes = BUF_MAX(0);
	struct ipc_progress msg;
	struct ipc_frame f;
	struct pair p;

	(void)state;
	pair_raw(&p);
	put_frame(&bytes, 2, IPC_MSG_PROGRESS, 0, 1, SPAN("\xc1\xc1"));
	put_frame(&bytes, 7, IPC_MSG_PROGRESS, 0, 1, SPAN("\x92\x05\xa4half"));
	write_all(p.raw, buf_view(&bytes));
	(void)channel_read(&p.front);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_false(channel_unpack(&p.front, &f, &msg, sizeof(msg)));
	assert_int_equal(p.front.fault, IPC_BAD_TYPE);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_BROKEN);
	buf_fini(&bytes);
	pair_end(&p);
}

/* The end comes after all whole frames, and drops a part of one. */
static void
end_of_stream(void **state)
{
	struct buf bytes = BUF_MAX(0);
	struct ipc_frame f;
	struct pair p;

	(void)state;
	pair_raw(&p);
	put_frame(&bytes, 7, IPC_MSG_PROGRESS, 0, 1, SPAN("\x92\x05\xa4half"));
	put_frame(&bytes, 7, IPC_MSG_PROGRESS, 0, 2, SPAN("\x92\x05"));
	write_all(p.raw, buf_view(&bytes));
	close(p.raw);
	p.raw = -1;
	assert_int_equal(channel_read(&p.front), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_MORE);
	assert_int_equal(channel_read(&p.front), CHANNEL_CLOSED);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_CLOSED);
	assert_int_equal(p.front.fault, IPC_OK);
	buf_fini(&bytes);
	pair_end(&p);
}

static void
peer_gone_while_writing(void **state)
{
	struct ipc_credit credit = { .chunks = 1 };
	struct pair p;

	(void)state;
	pair_full(&p);
	channel_fini(&p.worker);
	assert_int_equal(channel_send(&p.front, IPC_MSG_CREDIT, 1, &credit), 0);
	assert_int_equal(channel_flush(&p.front), CHANNEL_CLOSED); /* and no SIGPIPE */
	assert_int_equal(channel_pending(&p.front), 0);
	pair_end(&p);
}

/* 8 MiB through a socket that takes little at a time; both buffers are small again afterwards. */
static void
huge_frame(void **state)
{
	const size_t size = 8u << 20;
	uint8_t *big = malloc(size);
	struct buf rows = BUF_MAX(0);
	struct ipc_rows msg, got;
	struct ipc_frame f;
	enum channel_status s;
	unsigned flushes = 0;
	struct pair p;

	(void)state;
	assert_non_null(big);
	for (size_t i = 0; i < size; i++)
		big[i] = (uint8_t)(i * 31 >> 8);
	mp_put_array(&rows, 1);
	mp_put_array(&rows, 1);
	mp_put_bin(&rows, span_of(big, size));
	msg.rows = buf_view(&rows);
	pair_full(&p);
	assert_int_equal(channel_send(&p.worker, IPC_MSG_ROWS, 5, &msg), 0);
	for (;;) {
		s = channel_flush(&p.worker);
		flushes++;
		if (channel_read(&p.front) == CHANNEL_FRAME)
			break;
		assert_int_equal(s, CHANNEL_MORE);
		/* Memory follows what came, not what the head promised. */
		assert_true(p.front.in.cap <= 2 * p.front.in.len + 128 * 1024);
	}
	assert_true(flushes > 5);
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_FRAME);
	assert_true(channel_unpack(&p.front, &f, &got, sizeof(got)));
	assert_true(span_is(got.rows, buf_view(&rows)));
	assert_int_equal(channel_next(&p.front, &f), CHANNEL_MORE);
	assert_true(p.front.in.cap <= 64 * 1024);
	assert_int_equal(channel_flush(&p.worker), CHANNEL_FRAME);
	assert_true(p.worker.out.cap <= 64 * 1024);
	free(big);
	buf_fini(&rows);
	pair_end(&p);
}

/* Beyond IPC_BODY_MAX in all, though each field fits its row. */
static void
too_long_to_send(void **state)
{
	const size_t size = IPC_RAW_MAX - 10;
	uint8_t *big = calloc(1, size);
	struct buf head = BUF_MAX(0);
	struct ipc_result msg = { .rows_field = SPAN(""), .content = SPAN("\x90") };
	struct pair p;

	(void)state;
	assert_non_null(big);
	mp_put_map(&head, 1);
	mp_put_cstr(&head, "k");
	mp_put_bin(&head, span_of(big, size - 10));
	msg.head = msg.tail = buf_view(&head);
	pair_full(&p);
	assert_int_equal(channel_send(&p.worker, IPC_MSG_RESULT, 5, &msg), -1);
	assert_int_equal(channel_pending(&p.worker), 0);
	msg.tail = SPAN("\x80");
	assert_int_equal(channel_send(&p.worker, IPC_MSG_RESULT, 5, &msg), 0);
	free(big);
	buf_fini(&head);
	pair_end(&p);
}

#ifdef CARREL_FAULT_POINTS
/* One byte at a time in both directions: the conversation is the same. */
static int
converse(void)
{
	struct ipc_progress progress = { .permille = 250, .message = SPAN("a quarter") };
	unsigned turns = 0, got = 0;
	struct ipc_frame f;
	struct pair p;

	pair_full(&p);
	for (uint64_t i = 0; i < 20; i++)
		(void)channel_send(&p.worker, IPC_MSG_PROGRESS, i, &progress);
	for (; turns < 5000 && got < 20; turns++) {
		(void)channel_flush(&p.worker);
		(void)channel_read(&p.front);
		while (channel_next(&p.front, &f) == CHANNEL_FRAME) {
			if (f.id != got++ || !channel_unpack(&p.front, &f, &progress, sizeof(progress)) ||
			    progress.permille != 250)
				return 1;
		}
	}
	pair_end(&p);
	return got == 20 && turns > 500 ? 0 : 1;
}

static void
short_reads_and_writes(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		setenv("CARREL_FAULTS", "ipc.write=short*,ipc.read=short*", 1);
		_exit(converse());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef CARREL_FAULT_POINTS
		/* First: the setting is read at the first passing of a point. */
		cmocka_unit_test(short_reads_and_writes),
#endif
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(send_refuses),
		cmocka_unit_test(byte_by_byte),
		cmocka_unit_test(random_pieces),
		cmocka_unit_test(bad_heads),
		cmocka_unit_test(bad_body),
		cmocka_unit_test(end_of_stream),
		cmocka_unit_test(peer_gone_while_writing),
		cmocka_unit_test(huge_frame),
		cmocka_unit_test(too_long_to_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
