#include "workers/tunnel/ssh_dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "workers/tunnel/ssh_argv.h"

static int
left_ms(uint64_t end)
{
	uint64_t now = clock_ns();

	return now >= end ? 0 : (int)((end - now) / CLOCK_MS) + 1;
}

/* -1: errno says why. */
static int
connect_one(const struct addrinfo *a, uint64_t end)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(error);

	if (fd < 0)
		return -1;
	if (connect(fd, a->ai_addr, a->ai_addrlen) != 0 && (error = errno) == EINPROGRESS) {
		if (poll(&p, 1, left_ms(end)) != 1)
			error = ETIMEDOUT;
		else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
			error = errno;
	}
	if (error == 0 && fcntl(fd, F_SETFL, 0) == 0)
		return fd;
	if (error == 0)
		error = errno;
	close(fd);
	errno = error;
	return -1;
}

int
ssh_dial(const struct ipc_configure_tunnel *m, struct buf *why)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV };
	const uint64_t end = clock_ns() + (uint64_t)SSH_CONNECT_S * CLOCK_SECOND;
	struct addrinfo *all = NULL;
	char host[254], port[8];
	int e, fd = -1;

	snprintf(host, sizeof(host), "%.*s", SPAN_FMT(m->ssh_host));
	snprintf(port, sizeof(port), "%u", (unsigned)m->ssh_port);
	if ((e = getaddrinfo(host, port, &wanted, &all)) != 0) {
		buf_printf(why, "Could not resolve hostname: %s\n", gai_strerror(e));
		return -1;
	}
	errno = ETIMEDOUT;
	for (const struct addrinfo *a = all; a != NULL && fd < 0 && left_ms(end) > 0; a = a->ai_next)
		fd = connect_one(a, end);
	if (fd < 0)
		buf_printf(why, "%s\n", strerror(errno));
	freeaddrinfo(all);
	return fd;
}
