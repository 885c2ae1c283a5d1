#include "workers/sql/tunnel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define ADDRESS		"127.0.0.1"	/* what names have: nothing is sent there */

static struct sockaddr_un tunnel_socket = { .sun_family = AF_UNIX };

/* In front of libc's: libraries find those of the program first. */
__attribute__((visibility("default"))) int connect(int fd, const struct sockaddr *to, socklen_t len);
__attribute__((visibility("default"))) int getaddrinfo(const char *host, const char *service,
    const struct addrinfo *hints, struct addrinfo **found);

void
tunnel_use(const char *path)
{
	snprintf(tunnel_socket.sun_path, sizeof(tunnel_socket.sun_path), "%s", path);
}

static int
connect_as_ever(int fd, const struct sockaddr *to, socklen_t len)
{
	return (int)syscall(SYS_connect, fd, to, len);
}

static int
is_stream(int fd)
{
	socklen_t size = sizeof(int);
	int type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/* A connection to the tunnel in the place of fd, with its flags. */
static int
connect_through(int fd)
{
	const int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);
	int through = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), result = -1, error;

	if (flags == -1 || own == -1 || through == -1)
		goto out;
	if (connect_as_ever(through, (const struct sockaddr *)&tunnel_socket, sizeof(tunnel_socket)) == 0 &&
	    fcntl(through, F_SETFL, flags) == 0 && dup3(through, fd, (own & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) == fd)
		result = 0;
out:
	error = errno;
	if (through != -1)
		close(through);
	errno = result == 0 ? 0 : error == ENOENT ? ECONNREFUSED : error;
	return result;
}

int
connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (tunnel_socket.sun_path[0] == '\0' || len < sizeof(to->sa_family) || !is_stream(fd))
		return connect_as_ever(fd, to, len);
	if (to->sa_family == AF_INET || to->sa_family == AF_INET6)
		return connect_through(fd);
	/* A Unix socket that a library takes for localhost would be a server of this machine. */
	errno = ECONNREFUSED;
	return -1;
}

int
getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

	*(void **)(&next) = dlsym(RTLD_NEXT, "getaddrinfo");
	if (next == NULL)
		return EAI_SYSTEM;
	return next(tunnel_socket.sun_path[0] != '\0' && host != NULL ? ADDRESS : host, service, hints, found);
}
