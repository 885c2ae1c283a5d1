// libs: carrel_base carrel_ipc
/*
 * fuzz_ipc.c - what a compromised peer may send: the body of any message to
 * any role, and a stream of frames that arrives in pieces.
 *
 * First byte: message number; second: how the stream is cut; the rest: body
 * and stream.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/control.h"
#include "tests/fuzz/fuzz.h"

/* Accepted means: packs again, and unpacks to the same. */
static void
body(unsigned type, struct span bytes)
{
	const struct ipc_schema *s = ipc_schema(type);
	uint8_t *msg, *again;
	struct buf out = BUF_MAX(0);

	if (s == NULL)
		return;
	msg = calloc(1, s->size);
	again = calloc(1, s->size);
	require(msg != NULL && again != NULL);
	if (ipc_unpack(type, (enum ipc_role)s->from, (enum ipc_role)s->to, bytes, msg, s->size) == IPC_OK) {
		require(ipc_pack(type, msg, &out) == 0);
		require(out.len <= s->body_max);
		require(ipc_unpack(type, (enum ipc_role)s->from, (enum ipc_role)s->to, buf_view(&out), again,
			    s->size) == IPC_OK);
	}
	free(msg);
	free(again);
	buf_fini(&out);
}

static void
stream(struct span bytes, size_t piece)
{
	struct channel ch;
	struct ipc_frame f;
	int fds[2];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	channel_init(&ch, fds[0], IPC_FRONT, IPC_SEARCH, 1);
	while (bytes.len > 0 && ch.fault == IPC_OK) {
		size_t n = bytes.len < piece ? bytes.len : piece;

		require(write(fds[1], bytes.p, n) == (ssize_t)n);
		bytes = span_of(bytes.p + n, bytes.len - n);
		(void)channel_read(&ch);
		while (channel_next(&ch, &f) == CHANNEL_FRAME) {
			const struct ipc_schema *s = ipc_schema(f.type);
			uint8_t *msg = calloc(1, s->size);

			require(msg != NULL);
			(void)channel_unpack(&ch, &f, msg, s->size);
			free(msg);
		}
		require(ch.in.cap <= 2 * ch.in.len + 64 * 1024);
	}
	close(fds[1]);
	channel_fini(&ch);
}

static void
packet(struct span bytes)
{
	struct buf buf = BUF_MAX(0);
	enum ipc_fault fault;
	struct ipc_frame f;
	int fds[2], passed;

	require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
	if (bytes.len > 0)
		require(write(fds[1], bytes.p, bytes.len) == (ssize_t)bytes.len);
	if (control_recv(fds[0], &buf, &f, &passed, &fault) == CHANNEL_FRAME)
		body(f.type, f.body);
	require(passed == -1);
	close(fds[0]);
	close(fds[1]);
	buf_fini(&buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest;

	if (size < 2 || size > 100000)
		return 0;
	rest = span_of(data + 2, size - 2);
	body(data[0], rest);
	stream(rest, (size_t)data[1] + 1);
	packet(rest);
	return 0;
}
