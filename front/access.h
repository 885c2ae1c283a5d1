/*
 * access - may this request be looked at, and who sent it.  Pure: no I/O.
 *
 * The order is part of the contract: Host, then Origin, then the credential,
 * each before a byte of the body is parsed.
 */
#ifndef FRONT_ACCESS_H
#define FRONT_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mp.h"
#include "base/net.h"
#include "base/span.h"

#define ACCESS_LIST_MAX	64	/* allowed hosts and origins each; more are refused at configuration */

struct access {
	char		 host[256];		/* bound address or name */
	unsigned	 port;
	bool		 loopback_bind;		/* host is a loopback name or address */
	bool		 loopback_open;		/* the owner needs no token on loopback */
	uint32_t	 owner_uid;
	bool		 has_token;
	uint8_t		 token_sha256[32];
	char		*hosts[ACCESS_LIST_MAX], *origins[ACCESS_LIST_MAX];
	struct network	 proxies[ACCESS_LIST_MAX];
	size_t		 nhosts, norigins, nproxies;
};

enum access_verdict {
	ACCESS_PASS,
	ACCESS_BAD_HOST,	/* 400: not a host at all */
	ACCESS_FOREIGN_HOST,	/* 403 */
	ACCESS_FOREIGN_ORIGIN,	/* 403 */
	ACCESS_NO_TOKEN,	/* 401: none given, and it is needed */
	ACCESS_WRONG_TOKEN,	/* 401: never falls back to open loopback */
	ACCESS_FOREIGN_UID	/* 403: another local user without a token */
};

/* How a request without a credential may be taken for the owner's. */
enum access_peer {
	ACCESS_PEER_REMOTE,	/* not a loopback address */
	ACCESS_PEER_UNKNOWN,	/* loopback, its user could not be found: refused */
	ACCESS_PEER_OWNER,
	ACCESS_PEER_OTHER
};

/*
 * Take the lists (msgpack arrays of str) over into a.  0, or -1 when one is
 * no such array, too long, or holds what is no host, no origin, no address and
 * no network.
 */
int access_take_lists(struct access *a, struct span hosts, struct span origins,
    struct span proxies);
void access_fini(struct access *a);

/* True for localhost, 127.0.0.0/8 and ::1, brackets or not. */
bool access_is_loopback_name(struct span host);

enum access_verdict access_host(const struct access *a, struct span host);

/*
 * origin.p is NULL when the field is absent.  *listed (may be NULL) tells
 * whether the origin passed because it was configured: only then are CORS
 * fields answered.
 */
enum access_verdict access_origin(const struct access *a, struct span origin, bool *listed);

/*
 * Whose page a browser sends the request for (Sec-Fetch-Site): its own word,
 * which no page can forge, for requests that carry no Origin.  site.p is NULL
 * when the field is absent: that is no browser, or an old one.
 */
bool access_site_is_foreign(struct span site);

/* Is that one of the configured reverse proxies? */
bool access_is_proxy(const struct access *a, const uint8_t address[NET_ADDRESS]);

/* Has the request a credential, and which: the token in "Bearer <token>". */
enum access_credential { ACCESS_NONE, ACCESS_BEARER, ACCESS_UNUSABLE };
enum access_credential access_bearer(struct span authorization, struct span *token);

/* Constant-time: is this the static token?  False when there is none. */
bool access_token_matches(const struct access *a, struct span token);

#endif
