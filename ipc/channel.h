/*
 * channel - frames over a socketpair, without a loop of its own.
 *
 * A channel owns one descriptor, one inbound and one outbound buffer.  The
 * owner of the channel polls the descriptor (libevent in front and supervisor,
 * poll(2) in workers) and calls in.  Nothing here blocks.  System calls, for
 * the filters: fcntl (when made), read, sendto, sendmsg, recvmsg, close.
 *
 * Frame header, 16 bytes, native byte order (both ends are one machine):
 *	uint32_t body length, uint16_t type, uint16_t flags (0), uint64_t id
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "ipc/messages.h"

#define IPC_HEAD_SIZE		16
#define IPC_SUB			(UINT64_C(1) << 63)	/* id of a worker's own sub-call */
#define IPC_CREDIT_FIRST	8			/* ROWS chunks a call may send unasked */

struct ipc_frame {
	unsigned	 type;
	uint64_t	 id;
	struct span	 body;	/* borrows from the channel until the next channel_next() or channel_read() */
};

enum channel_status {
	CHANNEL_MORE,		/* nothing complete yet; poll again */
	CHANNEL_FRAME,
	CHANNEL_CLOSED,		/* the peer is gone; nothing more will come */
	CHANNEL_BROKEN		/* the peer broke the protocol: see fault; complain and close */
};

struct channel {
	int		 fd;		/* owned; -1 when closed */
	uint64_t	 generation;
	enum ipc_role	 self, peer;
	struct buf	 in, out;
	size_t		 consumed;	/* of in, by frames handed out */
	size_t		 sent;		/* of out, by flushes so far */
	enum ipc_fault	 fault;
	bool		 eof;
};

/* Takes fd over and makes it non-blocking and close-on-exec. */
void channel_init(struct channel *ch, int fd, enum ipc_role self, enum ipc_role peer,
    uint64_t generation);
void channel_fini(struct channel *ch);

/*
 * Read what is there, at most about 256 KiB a call.  Returns what
 * channel_next() will: CHANNEL_FRAME when a whole frame waits, CHANNEL_MORE
 * when none does, CHANNEL_CLOSED when none does and none will (a frame cut
 * off by the peer's death is dropped).
 *
 * A loop is: channel_read() when the descriptor is readable, then
 * channel_next() until it no longer returns CHANNEL_FRAME.
 */
enum channel_status channel_read(struct channel *ch);

/*
 * The next complete frame among what was read.  The length is checked before
 * anything is allocated for it.  CHANNEL_CLOSED only after all complete
 * frames were handed out.
 */
enum channel_status channel_next(struct channel *ch, struct ipc_frame *frame);

/* Unpack frame into a struct ipc_<name>; on a fault the channel turns broken. */
bool channel_unpack(struct channel *ch, const struct ipc_frame *frame, void *msg, size_t size);

/* The same of whatever type it is. */
bool channel_unpack_any(struct channel *ch, const struct ipc_frame *frame, union ipc_any *msg);

/*
 * Queue one message.  Returns 0, or -1 when the message breaks its own table
 * (a bug: it is logged by the caller and nothing was queued).
 */
int channel_send(struct channel *ch, unsigned type, uint64_t id, const void *msg);

/*
 * Write as much as the socket takes.  CHANNEL_FRAME: all of it; CHANNEL_MORE:
 * some is left, poll for write; CHANNEL_CLOSED: the peer is gone and what was
 * queued is dropped, though frames it sent before may still wait.
 */
enum channel_status channel_flush(struct channel *ch);

/* Bytes queued and not yet written. */
static inline size_t
channel_pending(const struct channel *ch)
{
	return ch->out.len - ch->sent;
}
