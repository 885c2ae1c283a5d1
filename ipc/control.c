#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ipc/control.h"
#include "ipc/frame.h"

/* Room for more descriptors than any message has, so that strays can be closed. */
#define FDS_MAX	8

/* ATTACH is the one message with a descriptor. */
static bool
carries_fd(unsigned type)
{
	return type == IPC_MSG_ATTACH || type == IPC_MSG_DIALLED;
}

static int
send_packet(int fd, const struct buf *packet, int pass)
{
	union {
		struct cmsghdr align;
		unsigned char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec iov = { packet->p, packet->len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (pass != -1) {
		struct cmsghdr *c;

		mh.msg_control = control.bytes;
		mh.msg_controllen = sizeof(control.bytes);
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass, sizeof(int));
	}
	do
		n = sendmsg(fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n == -1 && errno == EINTR);
	return n == -1 ? -1 : 0;
}

int
control_send_packed(int fd, unsigned type, struct span body, int pass)
{
	struct frame_head h = { .len = (uint32_t)body.len, .type = (uint16_t)type };
	struct buf packet = BUF_MAX(IPC_CONTROL_MAX);
	int result, saved;

	if (ipc_schema(type) == NULL || (pass != -1) != carries_fd(type)) {
		errno = EINVAL;
		return -1;
	}
	buf_append(&packet, &h, sizeof(h));
	buf_span(&packet, body);
	if (packet.full) {
		buf_wipe(&packet);
		errno = EMSGSIZE;
		return -1;
	}
	result = send_packet(fd, &packet, pass);
	saved = errno;
	buf_wipe(&packet); /* configuration messages hold credentials */
	errno = saved;
	return result;
}

int
control_send(int fd, unsigned type, const void *msg, int pass)
{
	struct buf body = BUF_MAX(IPC_CONTROL_MAX);
	int result, saved;

	if (ipc_pack(type, msg, &body) == -1) {
		buf_wipe(&body);
		errno = EMSGSIZE;
		return -1;
	}
	result = control_send_packed(fd, type, buf_view(&body), pass);
	saved = errno;
	buf_wipe(&body);
	errno = saved;
	return result;
}

/* Keep the first descriptor in *passed when there is exactly one; close all others. */
static size_t
take_fds(struct msghdr *mh, int *passed)
{
	size_t count = 0;

	*passed = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (count++ == 0)
				*passed = fd;
			else
				close(fd);
		}
	}
	return count;
}

/* Check a packet of n bytes with fds descriptors. */
static enum ipc_fault
check_packet(const struct buf *buf, size_t fds, int flags, struct ipc_frame *frame)
{
	struct frame_head h;

	if ((flags & MSG_TRUNC) != 0)
		return IPC_TOO_LONG;
	if (buf->len < IPC_HEAD_SIZE)
		return IPC_TRUNCATED;
	h = frame_head_read(buf->p);
	if (ipc_schema(h.type) == NULL)
		return IPC_UNKNOWN;
	if (h.flags != 0)
		return IPC_BAD_TYPE;
	if (h.len != buf->len - IPC_HEAD_SIZE)
		return h.len > buf->len - IPC_HEAD_SIZE ? IPC_TRUNCATED : IPC_TRAILING;
	if ((flags & MSG_CTRUNC) != 0 || fds != (carries_fd(h.type) ? 1 : 0))
		return IPC_STRAY_FD;
	frame->type = h.type;
	frame->id = h.id;
	frame->body = span_of(buf->p + IPC_HEAD_SIZE, h.len);
	return IPC_OK;
}

enum channel_status
control_recv(int fd, struct buf *buf, struct ipc_frame *frame, int *passed, enum ipc_fault *fault)
{
	union {
		struct cmsghdr align;
		unsigned char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = { NULL, IPC_CONTROL_MAX };
	struct msghdr mh = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	size_t fds;
	ssize_t n;

	*passed = -1;
	*fault = IPC_OK;
	buf->len = 0;
	if ((iov.iov_base = buf_reserve(buf, IPC_CONTROL_MAX)) == NULL) {
		*fault = IPC_TOO_LONG;
		return CHANNEL_BROKEN;
	}
	do
		n = recvmsg(fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return errno == EAGAIN ? CHANNEL_MORE : CHANNEL_CLOSED;
	buf->len = (size_t)n;
	fds = take_fds(&mh, passed);
	/* An empty packet cannot be told from the end of the channel and is treated as the end. */
	if (n > 0)
		*fault = check_packet(buf, fds, mh.msg_flags, frame);
	if (n > 0 && *fault == IPC_OK)
		return CHANNEL_FRAME;
	if (*passed != -1)
		close(*passed);
	*passed = -1;
	return n == 0 ? CHANNEL_CLOSED : CHANNEL_BROKEN;
}
