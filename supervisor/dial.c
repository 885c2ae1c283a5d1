/*
 * dial.c - connections to the endpoints of models, for the agent.  The agent has no network: it is handed sockets that
 * are on their way to the addresses that the configuration names, and to no others.  The name of a host is resolved
 * here, when the configuration is taken, and never again while the daemon runs.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/log.h"
#include "supervisor/dial.h"

/* The host, port and path of "https://host:port/path".  False: the text is no such URL. */
static bool
split_url(const char *url, char host[DIAL_HOST_MAX], char port[6])
{
	bool https = strncmp(url, "https://", 8) == 0;
	const char *from = url + (https ? 8 : 7), *end = from + strcspn(from, "/?#"), *colon = NULL;
	bool bracket = *from == '[';
	size_t n;

	if (!https && strncmp(url, "http://", 7) != 0)
		return false;
	for (const char *p = from; p < end; p++) {
		if (*p == '@')
			return false; /* a password in a URL ends up in logs */
		if (*p == ':' && (!bracket || p[-1] == ']'))
			colon = p;
	}
	n = (size_t)((colon == NULL ? end : colon) - from);
	if (bracket && (n < 3 || from[n - 1] != ']'))
		return false;
	if (n - 2 * bracket >= DIAL_HOST_MAX || n == 0)
		return false;
	memcpy(host, from + bracket, n - 2 * bracket);
	host[n - 2 * bracket] = '\0';
	if (colon == NULL)
		snprintf(port, 6, "%s", https ? "443" : "80");
	else if (end - colon < 2 || end - colon > 6 || strspn(colon + 1, "0123456789") != (size_t)(end - colon - 1))
		return false;
	else
		snprintf(port, 6, "%.*s", (int)(end - colon - 1), colon + 1);
	return strtol(port, NULL, 10) > 0 && strtol(port, NULL, 10) < 65536;
}

static int
take_addresses(struct dial *d, const char *key, const struct addrinfo *list, struct err *err)
{
	for (const struct addrinfo *a = list; a != NULL && d->naddresses < DIAL_ADDRESSES; a = a->ai_next) {
		if (a->ai_addrlen > sizeof(d->addresses[0].address))
			continue;
		memcpy(&d->addresses[d->naddresses].address, a->ai_addr, a->ai_addrlen);
		d->addresses[d->naddresses++].len = a->ai_addrlen;
	}
	return d->naddresses > 0 ? 0 : err_set(err, ERR_INVALID_ARGUMENTS, "%s: %s has no address", key, d->host);
}

int
dial_prepare(struct dial *d, const char *key, const char *url, struct err *err)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	char host[DIAL_HOST_MAX] = { 0 }, port[6] = { 0 };
	struct addrinfo *list;
	int code;

	if (url == NULL) {
		*d = (struct dial){ .naddresses = 0 };
		return 0;
	}
	if (!split_url(url, host, port))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s must be http:// or https://, a host, perhaps a port and a path; no user, no password", key);
	if (d->naddresses > 0 && strcmp(d->host, host) == 0 && strcmp(d->port, port) == 0)
		return 0;
	*d = (struct dial){ .naddresses = 0 };
	memcpy(d->host, host, sizeof(host));
	memcpy(d->port, port, sizeof(port));
	if ((code = getaddrinfo(host, port, &hints, &list)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s: %s cannot be resolved: %s", key, host,
		    gai_strerror(code));
	code = take_addresses(d, key, list, err);
	freeaddrinfo(list);
	return code;
}

int
dial_connect(struct dial *d)
{
	int fd = -1, pair[2];

	for (size_t i = 0; i < d->naddresses && fd < 0; i++) {
		const struct dial_address *a = &d->addresses[d->next++ % d->naddresses];
		const struct sockaddr *to = (const struct sockaddr *)&a->address;

		if ((fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
			continue;
		if (connect(fd, to, a->len) == 0 || errno == EINPROGRESS)
			break;
		log_debug("the endpoint at %s, port %s: %s", d->host, d->port, strerror(errno));
		close(fd);
		fd = -1;
	}
	if (fd < 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0) {
		close(pair[1]);
		fd = pair[0];
	}
	return fd;
}
