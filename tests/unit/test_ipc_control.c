// libs: carrel_base carrel_ipc
/* test_ipc_control.c - control messages: descriptors where they belong, strays closed, sizes held. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ipc/control.h"
#include "tests/unit/harness.h"

static int sv[2];
static struct buf in;
static struct ipc_frame frame;
static enum ipc_fault fault;
static int passed;

static unsigned
open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static int
start(void **state)
{
	(void)state;
	in = BUF_MAX(0);
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv);
}

static int
stop(void **state)
{
	(void)state;
	buf_fini(&in);
	close(sv[0]);
	if (sv[1] != -1)
		close(sv[1]);
	return 0;
}

static enum channel_status
receive(void)
{
	return control_recv(sv[0], &in, &frame, &passed, &fault);
}

/* A packet as no control_send() would send it, with nfds copies of stdin. */
static void
send_raw(struct span packet, size_t nfds)
{
	union {
		struct cmsghdr align;
		unsigned char bytes[CMSG_SPACE(64 * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec iov = { (void *)(uintptr_t)packet.p, packet.len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nfds > 0) {
		struct cmsghdr *c;

		mh.msg_control = control.bytes;
		mh.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memset(CMSG_DATA(c), 0, nfds * sizeof(int));
	}
	assert_int_equal(sendmsg(sv[1], &mh, 0), packet.len);
}

static void
put_packet(struct buf *b, uint32_t len, uint16_t type, uint16_t flags, struct span body)
{
	uint64_t id = 0;

	b->len = 0;
	buf_append(b, &len, sizeof(len));
	buf_append(b, &type, sizeof(type));
	buf_append(b, &flags, sizeof(flags));
	buf_append(b, &id, sizeof(id));
	buf_span(b, body);
}

static void
messages(void **state)
{
	struct ipc_unable unable = { .reason = SPAN("nobody is at home") }, got;
	struct ipc_pong pong = { .serial = 9 };

	(void)state;
	assert_int_equal(receive(), CHANNEL_MORE);
	assert_int_equal(passed, -1);
	assert_int_equal(control_send(sv[1], IPC_MSG_UNABLE, &unable, -1), 0);
	assert_int_equal(control_send(sv[1], IPC_MSG_PONG, &pong, -1), 0);
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(passed, -1);
	assert_int_equal(frame.type, IPC_MSG_UNABLE);
	assert_int_equal(ipc_unpack(frame.type, IPC_FRONT, IPC_SUPERVISOR, frame.body, &got, sizeof(got)), IPC_OK);
	assert_true(span_is_str(got.reason, "nobody is at home"));
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(frame.type, IPC_MSG_PONG);
	assert_int_equal(receive(), CHANNEL_MORE);
}

static void
descriptor_comes_along(void **state)
{
	struct ipc_attach attach = { .kind = 2, .role = IPC_SQL, .generation = 1, .connection = SPAN("shop") };
	int pipe_fds[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(control_send(sv[1], IPC_MSG_ATTACH, &attach, pipe_fds[1]), 0);
	assert_int_equal(close(pipe_fds[1]), 0); /* a duplicate was sent */
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_not_equal(passed, -1);
	assert_int_equal(fcntl(passed, F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(passed, "x", 1), 1);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(passed);
	close(pipe_fds[0]);
}

static void
sender_is_held_to_the_table(void **state)
{
	struct ipc_attach attach = { .kind = 2, .generation = 1, .connection = SPAN("") };
	struct ipc_ping ping = { .serial = 1 };
	struct ipc_unable unable = { .reason = SPAN("") };

	(void)state;
	assert_int_equal(control_send(sv[1], IPC_MSG_ATTACH, &attach, -1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(control_send(sv[1], IPC_MSG_PING, &ping, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(control_send(sv[1], IPC_MSG_UNABLE, &unable, -1), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(control_send(sv[1], 9999, &ping, -1), -1);
	assert_int_equal(receive(), CHANNEL_MORE);
}

/* What was packed before goes as it is, by the same rules. */
static void
packed_messages(void **state)
{
	struct ipc_pong pong = { .serial = 7 }, got;
	struct buf body = BUF_MAX(IPC_CONTROL_MAX), large = { 0 };

	(void)state;
	assert_int_equal(ipc_pack(IPC_MSG_PONG, &pong, &body), 0);
	assert_int_equal(control_send_packed(sv[1], IPC_MSG_PONG, buf_view(&body), -1), 0);
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(ipc_unpack(frame.type, IPC_FRONT, IPC_SUPERVISOR, frame.body, &got, sizeof(got)), IPC_OK);
	assert_int_equal(got.serial, 7);
	assert_int_equal(control_send_packed(sv[1], IPC_MSG_PONG, buf_view(&body), 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(control_send_packed(sv[1], IPC_MSG_ATTACH, buf_view(&body), -1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(control_send_packed(sv[1], 9999, buf_view(&body), -1), -1);
	assert_int_equal(errno, EINVAL);
	memset(buf_reserve(&large, IPC_CONTROL_MAX), 0xc0, IPC_CONTROL_MAX);
	large.len = IPC_CONTROL_MAX;
	assert_int_equal(control_send_packed(sv[1], IPC_MSG_PONG, buf_view(&large), -1), -1);
	assert_int_equal(errno, EMSGSIZE);
	assert_int_equal(receive(), CHANNEL_MORE);
	buf_fini(&body);
	buf_fini(&large);
}

/* IPC_STRAY_FD: one too many, one where none belongs, none where one belongs; none stays open. */
static void
stray_descriptors(void **state)
{
	static const struct {
		uint16_t type;
		const char *body;
		size_t len, nfds;
	} rows[] = {
		{ IPC_MSG_PING, "\x91\x01", 2, 1 },
		{ IPC_MSG_PING, "\x91\x01", 2, 3 },
		{ IPC_MSG_ATTACH, "\x96\x02\x04\x01\x00\xa0\x00", 7, 0 },
		{ IPC_MSG_ATTACH, "\x96\x02\x04\x01\x00\xa0\x00", 7, 2 },
		{ IPC_MSG_ATTACH, "\x96\x02\x04\x01\x00\xa0\x00", 7, 8 },
		{ IPC_MSG_ATTACH, "\x96\x02\x04\x01\x00\xa0\x00", 7, 40 },
	};
	unsigned before = open_descriptors();
	struct buf b = BUF_MAX(0);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_packet(&b, (uint32_t)rows[i].len, rows[i].type, 0, span_of(rows[i].body, rows[i].len));
		send_raw(buf_view(&b), rows[i].nfds);
		assert_int_equal(receive(), CHANNEL_BROKEN);
		assert_int_equal(fault, IPC_STRAY_FD);
		assert_int_equal(passed, -1);
		assert_int_equal(open_descriptors(), before);
	}
	buf_fini(&b);
}

static void
bad_packets(void **state)
{
	static const struct {
		uint32_t len;
		uint16_t type, flags;
		enum ipc_fault fault;
	} rows[] = {
		{ 3, IPC_MSG_PING, 0, IPC_TRUNCATED },
		{ 0xffffffff, IPC_MSG_PING, 0, IPC_TRUNCATED },
		{ 1, IPC_MSG_PING, 0, IPC_TRAILING },
		{ 2, 9999, 0, IPC_UNKNOWN },
		{ 2, IPC_MSG_PING, 1, IPC_BAD_TYPE },
	};
	unsigned before = open_descriptors();
	struct buf b = BUF_MAX(0);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_packet(&b, rows[i].len, rows[i].type, rows[i].flags, SPAN("\x91\x01"));
		send_raw(buf_view(&b), i % 2);
		assert_int_equal(receive(), CHANNEL_BROKEN);
		assert_int_equal(fault, rows[i].fault);
		assert_int_equal(passed, -1);
		assert_int_equal(open_descriptors(), before);
	}
	/* Not even a head. */
	for (size_t n = 1; n < IPC_HEAD_SIZE; n++) {
		send_raw(span_of(b.p, n), 1);
		assert_int_equal(receive(), CHANNEL_BROKEN);
		assert_int_equal(fault, IPC_TRUNCATED);
	}
	assert_int_equal(open_descriptors(), before);
	buf_fini(&b);
}

static void
sizes(void **state)
{
	uint8_t *big = calloc(1, IPC_CONTROL_MAX + 100);
	struct ipc_tools tools;
	struct ipc_tools got;
	struct buf b = BUF_MAX(0);
	size_t overhead = IPC_HEAD_SIZE + 1 + 5;

	(void)state;
	assert_non_null(big);
	/* As large as one may be, and one byte more. */
	mp_put_bin(&b, span_of(big, IPC_CONTROL_MAX - overhead));
	tools.tools = buf_view(&b);
	assert_int_equal(control_send(sv[1], IPC_MSG_TOOLS, &tools, -1), 0);
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(ipc_unpack(frame.type, IPC_SQL, IPC_SUPERVISOR, frame.body, &got, sizeof(got)), IPC_OK);
	assert_true(span_is(got.tools, buf_view(&b)));
	b.len = 0;
	mp_put_bin(&b, span_of(big, IPC_CONTROL_MAX - overhead + 1));
	tools.tools = buf_view(&b);
	assert_int_equal(control_send(sv[1], IPC_MSG_TOOLS, &tools, -1), -1);
	assert_int_equal(errno, EMSGSIZE);

	/* A peer that does not hold itself to it. */
	put_packet(&b, IPC_CONTROL_MAX, IPC_MSG_TOOLS, 0, span_of(big, IPC_CONTROL_MAX));
	send_raw(buf_view(&b), 1);
	assert_int_equal(receive(), CHANNEL_BROKEN);
	assert_int_equal(fault, IPC_TOO_LONG);
	assert_int_equal(passed, -1);
	assert_int_equal(receive(), CHANNEL_MORE);
	free(big);
	buf_fini(&b);
}

static void
end(void **state)
{
	struct ipc_pong pong = { .serial = 9 };

	(void)state;
	assert_int_equal(control_send(sv[1], IPC_MSG_PONG, &pong, -1), 0);
	close(sv[1]);
	sv[1] = -1;
	assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(receive(), CHANNEL_CLOSED);
	assert_int_equal(control_send(sv[0], IPC_MSG_PONG, &pong, -1), -1); /* and no SIGPIPE */
	assert_int_equal(errno, EPIPE);
}

static void
peer_does_not_read(void **state)
{
	struct ipc_pong pong = { .serial = 9 };
	int result = 0, sent = 0;

	(void)state;
	while (sent < 100000 && (result = control_send(sv[1], IPC_MSG_PONG, &pong, -1)) == 0)
		sent++;
	assert_int_equal(result, -1);
	assert_int_equal(errno, EAGAIN);
	for (; sent > 0; sent--)
		assert_int_equal(receive(), CHANNEL_FRAME);
	assert_int_equal(receive(), CHANNEL_MORE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(messages, start, stop),
		cmocka_unit_test_setup_teardown(descriptor_comes_along, start, stop),
		cmocka_unit_test_setup_teardown(sender_is_held_to_the_table, start, stop),
		cmocka_unit_test_setup_teardown(packed_messages, start, stop),
		cmocka_unit_test_setup_teardown(stray_descriptors, start, stop),
		cmocka_unit_test_setup_teardown(bad_packets, start, stop),
		cmocka_unit_test_setup_teardown(sizes, start, stop),
		cmocka_unit_test_setup_teardown(end, start, stop),
		cmocka_unit_test_setup_teardown(peer_does_not_read, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
