/*
 * io - whole reads and writes on descriptors.  They continue after signals and partial writes.  Non-blocking
 * descriptors of an event loop are read and written by the loop itself.
 */
#pragma once

#include "base/buf.h"

/*
 * Write all bytes.  0, or -1 with errno: part of them may be written.  Waits for a descriptor that takes nothing now
 * (EAGAIN: another process made its pipe non-blocking).
 */
int io_write(int fd, struct span bytes);

/* The same on a socket: a peer that is gone is EPIPE, without SIGPIPE. */
int io_send(int fd, struct span bytes);

/*
 * Append fd's bytes until its end, at most max; expect: the probable number, 0: unknown.  0, or -1 with errno (EFBIG:
 * there are more); out then has what was read before.  A non-blocking descriptor without data is EAGAIN.
 */
int io_read(int fd, size_t expect, size_t max, struct buf *out);
