#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/mp.h"
#include "front/wire/access.h"
#include "front/wire/http_parse.h"

static bool
origin_valid(struct span s)
{
	size_t scheme = s.len > 8 && memcmp(s.p, "https://", 8) == 0 ? 8 :
	    s.len > 7 && memcmp(s.p, "http://", 7) == 0              ? 7 :
								       0;

	if (scheme == 0 || s.len > 255)
		return false;
	for (size_t i = scheme; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || s.p[i] == '/' || s.p[i] == '?' || s.p[i] == '#' ||
		    s.p[i] == '@' || ascii_is_upper(s.p[i]))
			return false;
	return true;
}

static bool
host_valid(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || s.p[i] == '/' || s.p[i] == '@')
			return false;
	return s.len > 0 && s.len < 256;
}

static bool
begin_list(struct span raw, struct mp_iter *it)
{
	struct mp_value v;

	if (!mp_value(raw, &v) || v.class != MP_ARRAY || v.n > ACCESS_LIST_MAX)
		return false;
	*it = mp_iter(&v);
	return true;
}

static int
take_list(struct span raw, bool (*valid)(struct span), char **list, size_t *n)
{
	struct mp_value element;
	struct mp_iter it;

	if (!begin_list(raw, &it))
		return -1;
	while (mp_next(&it, &element)) {
		if (element.class != MP_STR || !valid(element.s))
			return -1;
		list[*n] = mem_text(element.s);
		++*n;
	}
	return 0;
}

static int
take_networks(struct span raw, struct network *list, size_t *n)
{
	struct mp_value element;
	struct mp_iter it;

	if (!begin_list(raw, &it))
		return -1;
	while (mp_next(&it, &element))
		if (element.class != MP_STR || !network_read(element.s, &list[(*n)++]))
			return -1;
	return 0;
}

static int
take_uids(struct span raw, uint32_t *list, size_t *n)
{
	struct mp_value element;
	struct mp_iter it;

	if (!begin_list(raw, &it))
		return -1;
	while (mp_next(&it, &element)) {
		if (element.class != MP_UINT || element.u > UINT32_MAX)
			return -1;
		list[(*n)++] = (uint32_t)element.u;
	}
	return 0;
}

int
access_take_lists(struct access *a, struct span hosts, struct span origins, struct span proxies,
    struct span proxy_uids)
{
	if (take_list(hosts, host_valid, a->hosts, &a->nhosts) != 0 ||
	    take_list(origins, origin_valid, a->origins, &a->norigins) != 0 ||
	    take_networks(proxies, a->proxies, &a->nproxies) != 0 ||
	    take_uids(proxy_uids, a->proxy_uids, &a->nproxy_uids) != 0)
		return -1;
	return 0;
}

void
access_fini(struct access *a)
{
	for (size_t i = 0; i < a->nhosts; i++)
		free(a->hosts[i]);
	for (size_t i = 0; i < a->norigins; i++)
		free(a->origins[i]);
	a->nhosts = a->norigins = a->nproxies = 0;
	free(a->proxy_header);
	free(a->public_url);
	a->public_url = NULL;
	sodium_memzero(a->token_sha256, sizeof(a->token_sha256));
}

/* Split "name:port" and "[v6]:port"; false when it is no host. */
static bool
split_host(struct span s, struct span *name, struct span *port)
{
	const uint8_t *colon;
	size_t n;

	*port = SPAN_NONE;
	if (s.len == 0)
		return false;
	if (s.p[0] == '[') {
		const uint8_t *close = memchr(s.p, ']', s.len);

		if (close == NULL)
			return false;
		*name = span_of(s.p + 1, (size_t)(close - s.p) - 1);
		n = name->len + 2;
	} else {
		colon = memchr(s.p, ':', s.len);
		n = colon == NULL ? s.len : (size_t)(colon - s.p);
		*name = span_of(s.p, n);
	}
	if (name->len == 0)
		return false;
	if (n == s.len)
		return true;
	*port = span_of(s.p + n + 1, s.len - n - 1);
	if (s.p[n] != ':' || port->len > 5)
		return false;
	for (size_t i = 0; i < port->len; i++)
		if (port->p[i] < '0' || port->p[i] > '9')
			return false;
	return true;
}

static bool
same_host(struct span name, const char *configured)
{
	size_t n = strlen(configured);

	if (n >= 2 && configured[0] == '[')
		configured++, n -= 2;
	return span_is_folded(name, span_of(configured, n));
}

/* The three names every client on this machine uses. */
static bool
is_local_name(struct span name)
{
	return http_same(name, "localhost") || span_is_str(name, "127.0.0.1") || span_is_str(name, "::1");
}

bool
access_is_loopback_name(struct span host)
{
	if (host.len > 2 && host.p[0] == '[')
		host = span_of(host.p + 1, host.len - 2);
	return is_local_name(host) || (host.len > 4 && memcmp(host.p, "127.", 4) == 0);
}

enum access_verdict
access_host(const struct access *a, struct span host)
{
	struct span name, port;

	if (!host_valid(host) || !split_host(host, &name, &port))
		return ACCESS_BAD_HOST;
	if (is_local_name(name))
		return ACCESS_PASS;
	for (size_t i = 0; i < a->nhosts; i++)
		if (same_host(name, a->hosts[i]))
			return ACCESS_PASS;
	if (!a->loopback_bind && same_host(name, a->host))
		return ACCESS_PASS;
	return ACCESS_FOREIGN_HOST;
}

enum access_verdict
access_origin(const struct access *a, struct span origin, bool *listed)
{
	struct span name, port;
	char own[8];

	if (listed != NULL)
		*listed = false;
	if (origin.p == NULL)
		return ACCESS_PASS;
	for (size_t i = 0; i < a->norigins; i++)
		if (span_is_str(origin, a->origins[i])) {
			if (listed != NULL)
				*listed = true;
			return ACCESS_PASS;
		}
	if (!a->loopback_bind || origin.len < 8 || memcmp(origin.p, "http://", 7) != 0 ||
	    !split_host(span_of(origin.p + 7, origin.len - 7), &name, &port))
		return ACCESS_FOREIGN_ORIGIN;
	snprintf(own, sizeof(own), "%u", a->port % 65536);
	if (is_local_name(name) && (span_is_str(port, own) || (port.p == NULL && a->port == 80)))
		return ACCESS_PASS;
	return ACCESS_FOREIGN_ORIGIN;
}

bool
access_site_is_foreign(struct span site)
{
	return site.p != NULL && !span_is_str(site, "same-origin") && !span_is_str(site, "none");
}

bool
access_is_proxy(const struct access *a, const uint8_t address[NET_ADDRESS])
{
	for (size_t i = 0; i < a->nproxies; i++)
		if (network_holds(&a->proxies[i], address))
			return true;
	return false;
}

bool
access_is_proxy_user(const struct access *a, uint32_t uid)
{
	bool is = uid == 0 || uid == a->owner_uid;

	for (size_t i = 0; i < a->nproxy_uids && !is; i++)
		is = uid == a->proxy_uids[i];
	return is;
}

enum access_credential
access_bearer(struct span authorization, struct span *token)
{
	*token = SPAN_NONE;
	if (authorization.p == NULL)
		return ACCESS_NONE;
	if (authorization.len < 8 || !http_same(span_of(authorization.p, 6), "bearer") || authorization.p[6] != ' ')
		return ACCESS_UNUSABLE;
	*token = span_of(authorization.p + 7, authorization.len - 7);
	while (token->len > 1 && token->p[0] == ' ')
		*token = span_of(token->p + 1, token->len - 1);
	for (size_t i = 0; i < token->len; i++)
		if (token->p[i] <= ' ' || token->p[i] >= 0x7f)
			return ACCESS_UNUSABLE;
	return ACCESS_BEARER;
}

bool
access_token_matches(const struct access *a, struct span token)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	bool same;

	crypto_hash_sha256(digest, token.p, token.len);
	same = sodium_memcmp(digest, a->token_sha256, sizeof(digest)) == 0;
	sodium_memzero(digest, sizeof(digest));
	return a->has_token && same;
}
