/*
 * io - whole reads and writes on descriptors.  A signal ends neither of them, and what a write left over is
 * written too.  Descriptors of an event loop, which must not wait, are read and written by the loop itself.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/buf.h"

/*
 * Write all bytes.  0, or -1 with errno: part of them may be written.  A descriptor that takes nothing now
 * (EAGAIN: somebody else made its pipe non-blocking) is waited for.
 */
int io_write(int fd, struct span bytes);

/* The same on a socket: a peer that is gone is EPIPE, without SIGPIPE. */
int io_send(int fd, struct span bytes);

/*
 * Append what fd has until its end, max bytes at most; expect: how many there probably are, 0 not known.  0, or -1
 * with errno (EFBIG: there are more), and out holds what was read before.  A non-blocking descriptor that has
 * nothing now is EAGAIN.
 */
int io_read(int fd, size_t expect, size_t max, struct buf *out);

#endif
