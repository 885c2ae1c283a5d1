#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/document.h"
#include "base/system/io.h"
#include "cli/daemon/daemon.h"
#include "cli/show/view.h"

#define STATE_FILE_MAX	65536

int
daemon_connect(const char *project_dir, pid_t *peer)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct ucred cred;
	socklen_t len = sizeof(cred);
	char path[PATH_MAX];
	int dir, fd = -1, saved;

	snprintf(path, sizeof(path), "%s/.carrel", project_dir);
	if ((dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	/* Connect through the directory's descriptor: a project's path may be longer than sun_path. */
	snprintf(sun.sun_path, sizeof(sun.sun_path), "/proc/self/fd/%d/control.sock", dir);
	if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0 ||
	    connect(fd, (const struct sockaddr *)&sun, sizeof(sun)) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		goto fail;
	*peer = cred.pid;
	close(dir);
	return fd;
fail:
	saved = errno;
	if (fd >= 0)
		close(fd);
	close(dir);
	errno = saved;
	return -1;
}

static ssize_t
read_proc(pid_t pid, const char *what, char *out, size_t cap)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, what);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	n = read(fd, out, cap - 1);
	close(fd);
	if (n >= 0)
		out[n] = '\0';
	return n;
}

/* Identify carreld by its process name: the process is not dumpable, so /proc/<pid>/exe is closed even to its owner. */
static bool
is_carreld(pid_t pid)
{
	char name[32];

	return read_proc(pid, "comm", name, sizeof(name)) > 0 && strcmp(name, "carreld\n") == 0;
}

/* Whether the process's command line names this project. */
static bool
serves_project(pid_t pid, const char *project_dir)
{
	char line[PATH_MAX * 2];
	ssize_t n = read_proc(pid, "cmdline", line, sizeof(line));

	for (ssize_t at = 0; at < n;) {
		if (strcmp(line + at, project_dir) == 0)
			return true;
		at += (ssize_t)strlen(line + at) + 1;
	}
	return false;
}

static void
daemon_confirm(const char *project_dir, struct daemon *d)
{
	pid_t peer = 0;
	int fd = daemon_connect(project_dir, &peer);

	d->state = DAEMON_STALE;
	d->answers = fd >= 0;
	if (fd >= 0)
		close(fd);
	if (d->pid <= 1 || kill(d->pid, 0) != 0)
		return;
	if ((fd >= 0 && peer == d->pid) || (is_carreld(d->pid) && serves_project(d->pid, project_dir)))
		d->state = DAEMON_RUNNING;
}

static int
read_state_file(const char *project_dir, struct buf *out, struct err *err)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/.carrel/mcp.json", project_dir);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 1;
		return err_set(err, ERR_INTERNAL, "cannot read %s: %s; run as the user who owns the project", path,
		    strerror(errno));
	}
	io_read(fd, 0, STATE_FILE_MAX, out);
	close(fd);
	return 0;
}

int
daemon_look(struct arena *a, const char *project_dir, struct daemon *d, struct err *err)
{
	struct buf text = { 0 };
	const char *public_url;
	cJSON *document = NULL;
	int r;

	*d = (struct daemon){ .state = DAEMON_STOPPED, .project_dir = project_dir };
	if ((r = read_state_file(project_dir, &text, err)) != 0)
		goto out;
	/* mcp.json is empty: the machine crashed before the file reached the disk. */
	if (text.len == 0 || text.p[0] == '\0')
		goto out;
	if ((document = document_read(buf_view(&text))) == NULL) {
		r = err_set(err, ERR_INTERNAL,
		    "%s/.carrel/mcp.json is damaged; "
		    "stop carreld if it runs, then remove the file",
		    project_dir);
		goto out;
	}
	d->pid = (pid_t)document_uint(document, "pid", 0);
	d->port = (unsigned)document_uint(document, "port", 0);
	d->host = arena_cstr(a, span_str(document_text(document, "host", "127.0.0.1")));
	d->started_at = arena_cstr(a, span_str(document_text(document, "startedAt", "")));
	d->token_auth = document_bool(document, "tokenAuth", false);
	public_url = document_text(document, "publicUrl", "");
	d->url = *public_url != '\0' ? daemon_public_url(a, public_url) : daemon_url(a, d->host, d->port);
	daemon_confirm(project_dir, d);
out:
	buf_fini(&text);
	document_free(document);
	return r < 0 ? -1 : 0;
}

const char *
daemon_state_name(enum daemon_state state)
{
	static const char *const names[] = { "stopped", "stale", "running" };

	return names[state];
}

/* A wildcard cannot be connected to everywhere; what listens on it listens on loopback. */
static const char *
reachable_host(const char *host)
{
	if (strcmp(host, "0.0.0.0") == 0)
		return "127.0.0.1";
	if (strcmp(host, "::") == 0 || strcmp(host, "[::]") == 0)
		return "::1";
	return host;
}

const char *
daemon_url(struct arena *a, const char *host, unsigned port)
{
	const char *name = reachable_host(host);

	if (strncmp(host, "unix:", 5) == 0)
		return host; /* a socket has no URL; it is named as server.listen names it */
	if (strchr(name, ':') != NULL && *name != '[')
		return arena_printf(a, "http://[%s]:%u/mcp", name, port);
	return arena_printf(a, "http://%s:%u/mcp", name, port);
}

const char *
daemon_public_url(struct arena *a, const char *public_url)
{
	return arena_printf(a, "%s/mcp", public_url);
}

bool
daemon_has_url(const struct daemon *d)
{
	return strncmp(d->url, "unix:", 5) != 0;
}

static struct addrinfo *
daemon_resolve(const char *host, unsigned port, int flags, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV }, *list;
	char service[8], bare[256];
	size_t n = strlen(host);
	int r;

	snprintf(service, sizeof(service), "%u", port);
	if (n >= 2 && host[0] == '[' && host[n - 1] == ']')
		snprintf(bare, sizeof(bare), "%.*s", (int)n - 2, host + 1);
	else
		snprintf(bare, sizeof(bare), "%s", host);
	if ((r = getaddrinfo(bare, service, &hints, &list)) != 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "the host \"%s\" is unknown: %s", host, gai_strerror(r));
		return NULL;
	}
	return list;
}

/* The answer to GET /health, as much of it as fits; its length, or -1. */
static ssize_t
ask_health(const char *host, unsigned port, char *answer, size_t cap, struct err *err)
{
	static const char request[] = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	struct timeval patience = { .tv_sec = 5 };
	struct addrinfo *to = daemon_resolve(reachable_host(host), port, 0, err);
	ssize_t n = -1;
	int fd = -1;

	if (to == NULL)
		return -1;
	if ((fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0 &&
	    connect(fd, to->ai_addr, to->ai_addrlen) == 0 &&
	    send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) == (ssize_t)sizeof(request) - 1)
		n = recv(fd, answer, cap - 1, MSG_WAITALL);
	answer[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	freeaddrinfo(to);
	return n;
}

int
daemon_health(const char *host, unsigned port, struct err *err)
{
	char answer[64];

	if (ask_health(host, port, answer, sizeof(answer), err) > 12 && strncmp(answer, "HTTP/1.1 200", 12) == 0)
		return 0;
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "the daemon does not answer /health on port %u", port);
}

const char *
daemon_project_at(struct arena *a, const char *host, unsigned port)
{
	char answer[PATH_MAX + 1024];
	const char *body;
	struct err err;

	if (port == 0 || ask_health(host, port, answer, sizeof(answer), &err) <= 0 ||
	    strncmp(answer, "HTTP/1.1 200", 12) != 0 || (body = strstr(answer, "\r\n\r\n")) == NULL)
		return NULL;
	return view_cstr(a, view_get(view_of(span_str(body + 4)), "projectDir"), NULL);
}

bool
daemon_port_free(const char *host, unsigned port)
{
	struct addrinfo *at = daemon_resolve(host, port, AI_PASSIVE, NULL);
	int fd = -1, one = 1;
	bool ok;

	if (at == NULL)
		return false;
	ok = (fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 1) == 0;
	if (fd >= 0)
		close(fd);
	freeaddrinfo(at);
	return ok;
}
