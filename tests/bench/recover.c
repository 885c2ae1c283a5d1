/*
 * recover.c - how long until there is an answer.
 *
 *	recover kill PID PORT BODY [HEADER]...	SIGKILL PID, then time to the first good answer
 *	recover start PORT BODY [HEADER]... -- COMMAND ARG...	from fork to the first good answer
 *
 * Prints the time in microseconds.  A good answer is a 200 whose body has no
 * "isError":true.  Tries for 10 seconds, then fails.  Loopback only.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"

static struct buf request;
static unsigned port;

static void
read_body(const char *path, char **headers, int n)
{
	char body[65536];
	FILE *f = fopen(path, "r");
	size_t len;

	if (f == NULL) {
		perror(path);
		exit(1);
	}
	len = fread(body, 1, sizeof(body), f);
	fclose(f);
	buf_printf(&request,
	    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
	    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
	    port);
	for (int i = 0; i < n; i++)
		buf_printf(&request, "%s\r\n", headers[i]);
	buf_printf(&request, "Content-Length: %zu\r\n\r\n", len);
	buf_append(&request, body, len);
}

static int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval wait = { .tv_sec = 5 };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1) {
		close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return fd;
}

/* One try on fd: true when a good answer came. */
static bool
ask(int fd)
{
	char in[65536];
	size_t len = 0;

	if (send(fd, request.p, request.len, MSG_NOSIGNAL) != (ssize_t)request.len)
		return false;
	while (len < sizeof(in) - 1) {
		ssize_t n = recv(fd, in + len, sizeof(in) - 1 - len, 0);
		char *body, *length;

		if (n <= 0)
			return false;
		len += (size_t)n;
		in[len] = '\0';
		if ((body = strstr(in, "\r\n\r\n")) == NULL)
			continue;
		body += 4;
		length = strcasestr(in, "content-length:");
		if (length != NULL && (size_t)(body - in) + strtoul(length + 15, NULL, 10) > len)
			continue;
		return strncmp(in, "HTTP/1.1 200", 12) == 0 && strstr(body, "\"isError\":true") == NULL;
	}
	return false;
}

int
main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	uint64_t begin;
	int at = 1, first, fd = -1;
	bool kill_mode;
	pid_t pid = 0;

	if (argc < 4) {
		fprintf(stderr,
		    "usage: recover kill PID PORT BODY [HEADER]... | recover start PORT BODY [HEADER]... -- COMMAND\n");
		return 2;
	}
	kill_mode = strcmp(argv[at++], "kill") == 0;
	if (kill_mode)
		pid = (pid_t)strtol(argv[at++], NULL, 10);
	port = (unsigned)strtoul(argv[at++], NULL, 10);
	for (first = at + 1; first < argc && strcmp(argv[first], "--") != 0; first++)
		;
	read_body(argv[at], argv + at + 1, first - at - 1);
	if (kill_mode) {
		if ((fd = dial()) == -1 || !ask(fd)) {
			fprintf(stderr, "recover: no answer before the kill\n");
			return 1;
		}
		begin = clock_ns();
		kill(pid, SIGKILL);
	} else {
		begin = clock_ns();
		if ((pid = fork()) == 0) {
			int null = open("/dev/null", O_RDWR);

			dup2(null, 1);
			execvp(argv[first + 1], argv + first + 1);
			_exit(127);
		}
	}
	while (clock_ns() - begin < 10 * CLOCK_SECOND) {
		if (fd == -1)
			fd = dial();
		if (fd != -1 && ask(fd)) {
			printf("%llu\n", (unsigned long long)((clock_ns() - begin) / 1000));
			close(fd);
			buf_fini(&request);
			return 0;
		}
		if (fd != -1)
			close(fd);
		fd = -1;
		nanosleep(&pause, NULL);
	}
	fprintf(stderr, "recover: no answer within 10 s\n");
	return 1;
}
