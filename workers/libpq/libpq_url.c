#include "workers/libpq/libpq_url.h"

#include <arpa/inet.h>
#include <string.h>

const char *
libpq_url_option(const PQconninfoOption *list, const char *keyword)
{
	for (; list->keyword != NULL; list++)
		if (strcmp(list->keyword, keyword) == 0)
			return list->val;
	return NULL;
}

/* A Unix socket, or a loopback name or address: no other machine is involved. */
static bool
is_local_host(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return host[0] == '\0' || host[0] == '/' || host[0] == '@' || strcmp(host, "localhost") == 0;
}

/* Checks each entry of the comma-separated lists; libpq prefers hostaddr to host. */
bool
libpq_url_is_local(const PQconninfoOption *given)
{
	const char *address = libpq_url_option(given, "hostaddr"), *host = libpq_url_option(given, "host");
	const char *at = address != NULL && address[0] != '\0' ? address : host;
	char one[256];

	/* Which hosts a service has is in a file. */
	if (libpq_url_option(given, "service") != NULL)
		return false;
	while (at != NULL && at[0] != '\0') {
		size_t n = strcspn(at, ",");

		if (n >= sizeof(one))
			return false;
		memcpy(one, at, n);
		one[n] = '\0';
		if (!is_local_host(one))
			return false;
		at += n + (at[n] == ',');
	}
	return true;
}

bool
libpq_url_binds_channel(const PQconninfoOption *given)
{
	return libpq_url_option(given, "password") != NULL && libpq_url_option(given, "sslmode") == NULL &&
	    libpq_url_option(given, "channel_binding") == NULL && !libpq_url_is_local(given);
}

/*
 * A password with an unencoded : / or @ is cut there, and libpq takes the
 * rest for a host or port, which its error would quote.
 */
static bool
is_misread(const PQconninfoOption *given)
{
	const char *host = libpq_url_option(given, "host"), *port = libpq_url_option(given, "port");

	return (host != NULL && strchr(host, '@') != NULL) ||
	    (port != NULL && port[strspn(port, "0123456789,")] != '\0');
}

PQconninfoOption *
libpq_url_read(const char *conninfo, char **why)
{
	PQconninfoOption *given = PQconninfoParse(conninfo, why);

	if (given == NULL || !is_misread(given))
		return given;
	PQconninfoFree(given);
	return NULL;
}
