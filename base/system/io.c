/* io.c - read to the end, write to the last byte. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/io.h"

#define BLOCK	16384u

static ssize_t
write_some(int fd, struct span bytes, bool socket)
{
	return socket ? send(fd, bytes.p, bytes.len, MSG_NOSIGNAL) : write(fd, bytes.p, bytes.len);
}

static int
write_rest(int fd, struct span bytes, bool socket)
{
	while (bytes.len > 0) {
		ssize_t n = write_some(fd, bytes, socket);

		if (n > 0)
			bytes = span_of(bytes.p + n, bytes.len - (size_t)n);
		else if (n == 0) {
			errno = ENOSPC;
			return -1;
		} else if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

int
io_write(int fd, struct span bytes)
{
	return write_rest(fd, bytes, false);
}

int
io_send(int fd, struct span bytes)
{
	return write_rest(fd, bytes, true);
}

/* The size of the next read: one byte more than expected, so that a single read sees the end. */
static size_t
read_want(size_t expect, size_t got, size_t max)
{
	size_t want = expect > got ? expect - got : BLOCK;

	return (want < max - got ? want : max - got) + 1;
}

int
io_read(int fd, size_t expect, size_t max, struct buf *out)
{
	const size_t start = out->len;

	for (;;) {
		size_t want = read_want(expect, out->len - start, max);
		uint8_t *at = buf_reserve(out, want);
		ssize_t n;

		if (at == NULL) {
			errno = EFBIG;
			return -1;
		}
		n = read(fd, at, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if ((size_t)n > max - (out->len - start)) {
			out->len += (size_t)n - 1;
			errno = EFBIG;
			return -1;
		}
		out->len += (size_t)n;
		if (n == 0 || out->len - start == expect)
			return 0;
	}
}
