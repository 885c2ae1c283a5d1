/* channel.c - frames over a stream socket: the data channels between front and workers. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "ipc/channel.h"
#include "ipc/frame.h"

#define READ_FIRST	((size_t)64 * 1024)	/* what an inbound buffer starts with */
#define READ_LEAST	((size_t)16 * 1024)	/* less room than this is not worth a read */
#define READ_MOST	((size_t)256 * 1024)	/* per channel_read(), so that one peer cannot hog a loop */
#define IN_MAX		(IPC_HEAD_SIZE + IPC_BODY_MAX + READ_MOST)
#define KEEP		READ_FIRST		/* memory an idle channel keeps a buffer */

void
channel_init(struct channel *ch, int fd, enum ipc_role self, enum ipc_role peer,
    uint64_t generation)
{
	int flags = fcntl(fd, F_GETFL);

	*ch = (struct channel){ .fd = fd, .generation = generation, .self = self, .peer = peer };
	ch->in.max = IN_MAX;
	if (flags != -1)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void
channel_fini(struct channel *ch)
{
	if (ch->fd != -1)
		close(ch->fd);
	ch->fd = -1;
	ch->eof = true;
	buf_fini(&ch->in);
	buf_fini(&ch->out);
	ch->consumed = ch->sent = 0;
}

static enum channel_status
broken(struct channel *ch, enum ipc_fault fault)
{
	ch->fault = fault;
	return CHANNEL_BROKEN;
}

/* Check a head before its body has arrived. */
static enum ipc_fault
check_head(const struct channel *ch, const struct frame_head *h)
{
	const struct ipc_schema *s = ipc_schema(h->type);

	if (s == NULL)
		return IPC_UNKNOWN;
	if ((s->from & (unsigned)ch->peer) == 0 || (s->to & (unsigned)ch->self) == 0)
		return IPC_NOT_ALLOWED;
	if (h->flags != 0)
		return IPC_BAD_TYPE;
	if (h->len > IPC_BODY_MAX || h->len > s->body_max)
		return IPC_TOO_LONG;
	return IPC_OK;
}

/* The result of channel_next(), without taking the frame out. */
static enum channel_status
channel_peek(struct channel *ch, struct ipc_frame *frame)
{
	size_t left = ch->in.len - ch->consumed;
	struct frame_head h;
	enum ipc_fault fault;

	if (ch->fault != IPC_OK)
		return CHANNEL_BROKEN;
	if (left < IPC_HEAD_SIZE)
		return ch->eof ? CHANNEL_CLOSED : CHANNEL_MORE;
	h = frame_head_read(ch->in.p + ch->consumed);
	if ((fault = check_head(ch, &h)) != IPC_OK)
		return broken(ch, fault);
	if (left - IPC_HEAD_SIZE < h.len)
		return ch->eof ? CHANNEL_CLOSED : CHANNEL_MORE;
	frame->type = h.type;
	frame->id = h.id;
	frame->body = span_of(ch->in.p + ch->consumed + IPC_HEAD_SIZE, h.len);
	return CHANNEL_FRAME;
}

/* Drop consumed bytes.  Free memory after a very large frame. */
static void
reclaim(struct channel *ch)
{
	size_t left = ch->in.len - ch->consumed;

	if (left == 0)
		buf_reset(&ch->in, KEEP);
	else if (ch->consumed >= left || ch->in.cap - ch->in.len < READ_LEAST)
		buf_consume(&ch->in, ch->consumed);
	else
		return;
	ch->consumed = 0;
}

/*
 * Where the next bytes go and how many.  The buffer grows only when what has
 * really arrived of one frame fills it, never because a head promised much.
 */
static uint8_t *
read_room(struct channel *ch, size_t *room)
{
	struct buf *in = &ch->in;
	uint8_t *p;

	if (in->p == NULL)
		p = buf_reserve(in, READ_FIRST);
	else if (in->cap - in->len >= READ_LEAST)
		p = in->p + in->len;
	else
		p = buf_reserve(in, READ_LEAST);
	in->full = false;
	*room = in->cap - in->len;
	return p;
}

enum channel_status
channel_read(struct channel *ch)
{
	enum channel_status status;
	struct ipc_frame frame;
	size_t total = 0, room;
	uint8_t *p;
	ssize_t n;

	reclaim(ch);
	while ((status = channel_peek(ch, &frame)) == CHANNEL_MORE && total < READ_MOST) {
		if ((p = read_room(ch, &room)) == NULL)
			break; /* not reached: one frame and READ_MOST always fit */
		switch (fault_point("ipc.read")) {
		case FAULT_SHORT:
			room = 1;
			break;
		case FAULT_NONE:
			break;
		default:
			ch->eof = true;
			continue;
		}
		n = read(ch->fd, p, room);
		if (n > 0) {
			ch->in.len += (size_t)n;
			total += (size_t)n;
			if ((size_t)n < room)
				return channel_peek(ch, &frame); /* drained */
		} else if (n == 0)
			ch->eof = true;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			ch->eof = true;
	}
	return status;
}

enum channel_status
channel_next(struct channel *ch, struct ipc_frame *frame)
{
	enum channel_status status = channel_peek(ch, frame);

	if (status == CHANNEL_FRAME)
		ch->consumed += IPC_HEAD_SIZE + frame->body.len;
	else
		reclaim(ch);
	return status;
}

bool
channel_unpack(struct channel *ch, const struct ipc_frame *frame, void *msg, size_t size)
{
	enum ipc_fault fault = ipc_unpack(frame->type, ch->peer, ch->self, frame->body, msg, size);

	if (fault != IPC_OK)
		ch->fault = fault;
	return fault == IPC_OK;
}

bool
channel_unpack_any(struct channel *ch, const struct ipc_frame *frame, union ipc_any *msg)
{
	const struct ipc_schema *s = ipc_schema(frame->type);

	return s != NULL && channel_unpack(ch, frame, msg, s->size);
}

int
channel_send(struct channel *ch, unsigned type, uint64_t id, const void *msg)
{
	const struct ipc_schema *s = ipc_schema(type);

	if (s == NULL || (s->from & (unsigned)ch->self) == 0 || (s->to & (unsigned)ch->peer) == 0)
		return -1;
	return frame_append(&ch->out, type, id, msg, IPC_BODY_MAX);
}

/* The peer is gone: drop the queued bytes. */
static enum channel_status
drop_out(struct channel *ch)
{
	ch->sent = 0;
	buf_reset(&ch->out, 0);
	return CHANNEL_CLOSED;
}

enum channel_status
channel_flush(struct channel *ch)
{
	bool less = false;

	while (ch->sent < ch->out.len && !less) {
		size_t left = ch->out.len - ch->sent;
		ssize_t n;

		switch (fault_point("ipc.write")) {
		case FAULT_SHORT:
			left = 1;
			less = true;
			break;
		case FAULT_NONE:
			break;
		default:
			return drop_out(ch);
		}
		/* Report a dead peer as EPIPE, without SIGPIPE. */
		n = send(ch->fd, ch->out.p + ch->sent, left, MSG_NOSIGNAL);
		if (n >= 0) {
			ch->sent += (size_t)n;
			less = less || (size_t)n < left;
		} else if (errno == EAGAIN)
			less = true;
		else if (errno != EINTR)
			return drop_out(ch);
	}
	if (ch->sent == ch->out.len) {
		ch->sent = 0;
		buf_reset(&ch->out, KEEP);
		return CHANNEL_FRAME;
	}
	if (ch->sent > ch->out.len / 2) {
		buf_consume(&ch->out, ch->sent);
		ch->sent = 0;
	}
	return CHANNEL_MORE;
}
