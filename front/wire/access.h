/*
 * access - what the configuration says of who may call: hosts, origins, proxies, the static token; and whether a Host,
 * an Origin, an address or a token is among them.  Pure: no I/O.  When each is asked, gateway.c says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system/net.h"
#include "base/span.h"

#define ACCESS_LIST_MAX	64	/* allowed hosts and origins each; more are refused at configuration */

struct access {
	char		 host[256];		/* bound address or name */
	unsigned	 port;
	bool		 loopback_bind;		/* host is a loopback name or address */
	bool		 loopback_open;		/* the owner needs no token on loopback */
	bool		 secure;		/* clients reach it by https: server.public_url says so */
	char		*public_url;		/* as configured, without a slash at its end; NULL: not set */
	uint32_t	 owner_uid;
	char		 token_prefix[17];	/* of connectivity tokens */
	bool		 has_token;
	uint8_t		 token_sha256[32];
	char		*proxy_header;		/* names a user that a proxy has signed in, in lower case; "": none */
	char		*hosts[ACCESS_LIST_MAX], *origins[ACCESS_LIST_MAX];
	struct network	 proxies[ACCESS_LIST_MAX];
	uint32_t	 proxy_uids[ACCESS_LIST_MAX];	/* of proxies on this machine, besides root and the owner */
	size_t		 nhosts, norigins, nproxies, nproxy_uids;
};

enum access_verdict {
	ACCESS_PASS,
	ACCESS_BAD_HOST,	/* 400: not a host at all */
	ACCESS_FOREIGN_HOST,	/* 403 */
	ACCESS_FOREIGN_ORIGIN	/* 403 */
};

/* The sender of a request without a credential, compared with the owner. */
enum access_peer {
	ACCESS_PEER_REMOTE,	/* not a loopback address */
	ACCESS_PEER_UNKNOWN,	/* loopback, but the user could not be determined: refused */
	ACCESS_PEER_OWNER,
	ACCESS_PEER_OTHER
};

/*
 * Copy the lists (msgpack arrays of str; of numbers for proxy_uids) into a. 0, or -1 when a list is no such array, is
 * too long, or has an entry that is no host, origin, address, network or user id.
 */
int access_take_lists(struct access *a, struct span hosts, struct span origins, struct span proxies,
    struct span proxy_uids);
void access_fini(struct access *a);

/* True for localhost, 127.0.0.0/8 and ::1, brackets or not. */
bool access_is_loopback_name(struct span host);

enum access_verdict access_host(const struct access *a, struct span host);

/*
 * origin.p is NULL when the field is absent.  *listed (may be NULL) tells whether the configuration
 * lists the origin; CORS fields are answered only then.
 */
enum access_verdict access_origin(const struct access *a, struct span origin, bool *listed);

/*
 * Check Sec-Fetch-Site, for requests without an Origin.  The browser sets the field; a page cannot
 * forge the value.  site.p is NULL when the field is absent: the client is no browser, or an old one.
 */
bool access_site_is_foreign(struct span site);

/* True when the address is one of the configured reverse proxies. */
bool access_is_proxy(const struct access *a, const uint8_t address[NET_ADDRESS]);

/* True when a reverse proxy on this machine may run as this user: any account can connect from a proxy's address. */
bool access_is_proxy_user(const struct access *a, uint32_t uid);

/* Find the token in "Bearer <token>".  ACCESS_NONE: the request has no Authorization field. */
enum access_credential { ACCESS_NONE, ACCESS_BEARER, ACCESS_UNUSABLE };
enum access_credential access_bearer(struct span authorization, struct span *token);

/* Compare the token with the static one in constant time.  False when no static token is configured. */
bool access_token_matches(const struct access *a, struct span token);
