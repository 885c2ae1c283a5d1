#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "project/account.h"
#include "supervisor/listen.h"
#include "supervisor/port_owner.h"

#define SYSTEMD_FD	3	/* sd_listen_fds(3): the first passed descriptor */

union address {
	struct sockaddr		any;
	struct sockaddr_in	four;
	struct sockaddr_in6	six;
	struct sockaddr_un	un;
	struct sockaddr_storage	room;
};

static bool
is_loopback(const union address *a)
{
	if (a->any.sa_family == AF_INET)
		return ntohl(a->four.sin_addr.s_addr) >> 24 == 127;
	return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
}

static unsigned
port_of(const union address *a)
{
	if (a->any.sa_family == AF_INET)
		return ntohs(a->four.sin_port);
	return a->any.sa_family == AF_INET6 ? ntohs(a->six.sin6_port) : 0;
}

/* Connectivity tokens from other machines are asked for twice: that they are taken, and from there. */
static int
check_network(const struct config *cfg, const char *host, bool has_token, struct err *err)
{
	if (cfg->connectivity.enabled == CONFIG_SWITCH_ON && !cfg->connectivity.allow_lan)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "connectivity.enabled is true, and server.host %s can be reached from outside this machine: set "
		    "connectivity.allow_lan to true as well, or use 127.0.0.1",
		    host);
	if (cfg->oauth.enabled && cfg->public_url == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "server.host %s can be reached from outside this machine: with oauth.enabled, set "
		    "server.public_url "
		    "to where clients find the server, or use 127.0.0.1",
		    host);
	if (has_token || cfg->oauth.enabled || cfg->connectivity.enabled == CONFIG_SWITCH_ON)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "server.host %s can be reached from outside this machine: set auth.token (or pass --token-file), "
	    "oauth.enabled, or connectivity.enabled and connectivity.allow_lan to true, before listening there, or use "
	    "127.0.0.1",
	    host);
}

/*
 * Behind a reverse proxy all clients have the same address, so a credential is required: a configured one, or, with
 * auth.loopback: required, a connectivity token, which `carrel connectivity enable` may allow later.
 */
static int
check_socket(const struct config *cfg, bool may_be_open, bool has_token, struct err *err)
{
	if (has_token || cfg->oauth.enabled || cfg->connectivity.enabled == CONFIG_SWITCH_ON ||
	    (may_be_open && cfg->loopback == CONFIG_LOOPBACK_OPEN) ||
	    (cfg->loopback == CONFIG_LOOPBACK_REQUIRED && cfg->connectivity.enabled != CONFIG_SWITCH_OFF))
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "a Unix socket (server.listen, or ListenStream= of carrel.socket) is for a reverse proxy, behind which all "
	    "clients look alike: set auth.token, oauth.enabled: true, connectivity.enabled: true, or auth.loopback: "
	    "required and then `carrel connectivity enable`");
}

/* Whom a proxy on this machine may run as, and whether the header that names users can come from a proxy at all. */
static int
check_proxies(const struct listener *l, const struct config *cfg, struct err *err)
{
	uint32_t uid;

	for (size_t i = 0; i < cfg->proxy_users.n; i++) {
		if (!account_uid(cfg->proxy_users.v[i], &uid))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "server.proxy_users: this machine has no account \"%s\"", cfg->proxy_users.v[i]);
		if (!account_is_visible(uid))
			return err_set(err, ERR_INVALID_ARGUMENTS,
			    "server.proxy_users: connections of \"%s\" look like those of all other accounts in this "
			    "user namespace; use server.listen (or ListenStream= of the socket unit) with a Unix "
			    "socket",
			    cfg->proxy_users.v[i]);
	}
	if (!cfg->oauth.enabled || cfg->proxy_header == NULL || l->local || cfg->trusted_proxies.n > 0)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "auth.proxy_header: no proxy is there whose header could be believed; use server.listen, or name the proxy "
	    "in server.trusted_proxies");
}

int
listen_check(const struct listener *l, const struct config *cfg, bool has_token, struct err *err)
{
	if (l->network && check_network(cfg, l->host, has_token, err) != 0)
		return -1;
	if (l->local && check_socket(cfg, !l->given, has_token, err) != 0)
		return -1;
	return check_proxies(l, cfg, err);
}

unsigned
listen_given(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	long n;

	if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	n = strtol(count, NULL, 10);
	return n > 0 && n <= LISTEN_MAX ? (unsigned)n : 0;
}

static int
take_given(struct listener *l, unsigned n, const struct config *cfg, bool has_token, struct err *err)
{
	l->loopback = l->given = true;
	for (unsigned i = 0; i < n; i++) {
		int fd = SYSTEMD_FD + (int)i, listening = 0;
		union address a = { .room = { 0 } };
		socklen_t len = sizeof(a), size = sizeof(listening);

		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening ||
		    getsockname(fd, &a.any, &len) != 0)
			return err_set(err, ERR_INVALID_ARGUMENTS, "descriptor %d from systemd is no listening socket",
			    fd);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		l->fds[l->n++] = fd;
		if (a.any.sa_family == AF_UNIX) {
			snprintf(l->host, sizeof(l->host), "unix:%.100s", a.un.sun_path);
			l->loopback = false;
			l->local = true;
			continue;
		}
		l->port = port_of(&a);
		l->network = l->network || !is_loopback(&a);
		l->loopback = l->loopback && !l->network;
		getnameinfo(&a.any, len, l->host, sizeof(l->host), NULL, 0, NI_NUMERICHOST);
	}
	return listen_check(l, cfg, has_token, err);
}

static int
listen_unix(struct listener *l, const char *path, struct err *err)
{
	union address a = { .un = { .sun_family = AF_UNIX } };
	struct stat st;
	int fd;

	if (strlen(path) >= sizeof(a.un.sun_path))
		return err_set(err, ERR_INVALID_ARGUMENTS, "server.listen: the path is too long");
	memcpy(a.un.sun_path, path, strlen(path) + 1);
	/* Remove the socket of a dead daemon, but no other file. */
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);
	if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0 ||
	    bind(fd, &a.any, sizeof(a.un)) != 0 || chmod(path, 0660) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
		err_set(err, ERR_INVALID_ARGUMENTS, "server.listen: %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	l->fds[l->n++] = fd;
	l->local = true;
	snprintf(l->unlink_path, sizeof(l->unlink_path), "%s", path);
	snprintf(l->host, sizeof(l->host), "unix:%s", path);
	return 0;
}

static int
refuse_taken(const struct addrinfo *ai, unsigned port, struct err *err)
{
	char who[128] = "";

	port_owner(ai->ai_family, port, who, sizeof(who));
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "port %u is already in use%s%s: choose another with --port, or server.port in the configuration", port,
	    who[0] != '\0' ? " by " : "", who);
}

static int
bind_tcp(struct listener *l, const struct addrinfo *ai, unsigned port, struct err *err)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP), on = 1;
	union address a = { .room = { 0 } };
	socklen_t len = sizeof(a);

	if (fd < 0)
		return err_set(err, ERR_INTERNAL, "no socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* Accepted sockets inherit it; without it a small answer waits for the client's delayed ACK. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
		if (errno == EADDRINUSE)
			refuse_taken(ai, port, err);
		else
			err_set(err, ERR_INVALID_ARGUMENTS, "%s port %u cannot be listened on: %s", l->host, port,
			    strerror(errno));
		close(fd);
		return -1;
	}
	if (getsockname(fd, &a.any, &len) == 0)
		l->port = port_of(&a);
	l->loopback = is_loopback(&a);
	l->network = !l->loopback;
	l->fds[l->n++] = fd;
	return 0;
}

static int
listen_tcp(struct listener *l, const struct config *cfg, bool has_token, struct err *err)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	/* The name could be either family; clients try 127.0.0.1 first. */
	const char *host = strcmp(cfg->host, "localhost") == 0 ? "127.0.0.1" : cfg->host;
	struct addrinfo *list = NULL;
	char port[8];
	int result = -1, failure;

	snprintf(l->host, sizeof(l->host), "%s", cfg->host);
	snprintf(port, sizeof(port), "%u", cfg->port);
	if ((failure = getaddrinfo(host, port, &hints, &list)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "server.host %s: %s", cfg->host, gai_strerror(failure));
	/* Checked before it is bound: the port is open to others from then on. */
	if (is_loopback((const union address *)(const void *)list->ai_addr) ||
	    check_network(cfg, cfg->host, has_token, err) == 0)
		result = bind_tcp(l, list, cfg->port, err);
	freeaddrinfo(list);
	return result;
}

int
listen_open(struct listener *l, const struct config *cfg, bool has_token, struct err *err)
{
	unsigned given = listen_given();
	int result;

	memset(l, 0, sizeof(*l));
	if (given > 0)
		result = take_given(l, given, cfg, has_token, err);
	else if (cfg->listen == NULL)
		result = listen_tcp(l, cfg, has_token, err);
	else if ((result = check_socket(cfg, true, has_token, err)) == 0)
		result = listen_unix(l, cfg->listen + strlen("unix:"), err);
	if (result == 0 && given == 0)
		result = check_proxies(l, cfg, err);
	if (result != 0)
		listen_close(l);
	return result;
}

void
listen_close(struct listener *l)
{
	for (unsigned i = 0; i < l->n; i++)
		close(l->fds[i]);
	if (l->unlink_path[0] != '\0')
		unlink(l->unlink_path);
	l->unlink_path[0] = '\0';
	l->n = 0;
}

void
listen_url(const struct listener *l, char *out, size_t cap)
{
	if (strncmp(l->host, "unix:", 5) == 0)
		snprintf(out, cap, "%s", l->host);
	else if (strchr(l->host, ':') != NULL)
		snprintf(out, cap, "http://[%s]:%u", l->host, l->port);
	else
		snprintf(out, cap, "http://%s:%u", l->host, l->port);
}
