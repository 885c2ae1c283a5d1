#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "policy/oauth_texts.h"
#include "policy/scopes.h"

static const char *const own_hosts[] = { "127.0.0.1", "[::1]", "localhost" };

#define OWN_HOSTS	(sizeof(own_hosts) / sizeof(own_hosts[0]))

/* Only URI characters, and none that browsers interpret differently; no fragment. */
static bool
is_plain_uri(struct span uri)
{
	if (uri.len == 0 || uri.len > OAUTH_URI_MAX)
		return false;
	for (size_t i = 0; i < uri.len; i++)
		if (uri.p[i] <= ' ' || uri.p[i] >= 0x7f || ascii_is_any(uri.p[i], "#\\\"<>^`{|}"))
			return false;
	return true;
}

static bool
take_prefix(struct span *s, const char *prefix)
{
	if (!span_begins(*s, prefix))
		return false;
	*s = span_of(s->p + strlen(prefix), s->len - strlen(prefix));
	return true;
}

/* ":8080" at the start of s is taken off it; false: what begins there is no port. */
static bool
take_port(struct span *s)
{
	size_t n = 1;
	unsigned port = 0;

	if (s->len == 0 || s->p[0] != ':')
		return true;
	for (; n < s->len && n <= 5 && ascii_is_digit(s->p[n]); n++)
		port = port * 10 + (unsigned)(s->p[n] - '0');
	if (n == 1 || port > 65535)
		return false;
	*s = span_of(s->p + n, s->len - n);
	return true;
}

static bool
ends_authority(struct span rest)
{
	return rest.len == 0 || rest.p[0] == '/' || rest.p[0] == '?';
}

/* The host of http:// to this machine, and what follows it and its port; -1: it leads elsewhere. */
static int
own_host(struct span uri, struct span *rest)
{
	if (!take_prefix(&uri, "http://"))
		return -1;
	for (size_t i = 0; i < OWN_HOSTS; i++) {
		*rest = uri;
		if (take_prefix(rest, own_hosts[i]) && take_port(rest) && ends_authority(*rest))
			return (int)i;
	}
	return -1;
}

/* A host without user information; digits, letters, dots and dashes, or an address in brackets. */
static bool
has_host(struct span s)
{
	size_t n = 0;

	if (s.len > 0 && s.p[0] == '[') {
		for (n = 1; n < s.len && (ascii_hex(s.p[n]) >= 0 || ascii_is_any(s.p[n], ":.")); n++)
			continue;
		if (n < 3 || n >= s.len || s.p[n++] != ']')
			return false;
	} else
		while (n < s.len && (ascii_is_alnum(s.p[n]) || ascii_is_any(s.p[n], "-._")))
			n++;
	if (n == 0)
		return false;
	s = span_of(s.p + n, s.len - n);
	return take_port(&s) && ends_authority(s);
}

/* Schemes that run or read something in a browser are refused, whatever the configuration says. */
static bool
is_private_scheme(struct span scheme, const struct mp_value *schemes)
{
	static const char *const never[] = { "javascript", "data", "vbscript", "file", "blob", "http", "https", "about",
		"view-source", NULL };
	struct mp_iter it;
	struct mp_value each;

	if (schemes->class != MP_ARRAY || span_is_any(scheme, never))
		return false;
	for (it = mp_iter(schemes); mp_next(&it, &each);)
		if (each.class == MP_STR && span_is(each.s, scheme))
			return true;
	return false;
}

bool
oauth_redirect_fine(struct span uri, const struct mp_value *schemes)
{
	struct span rest = uri;
	const uint8_t *colon;

	if (!is_plain_uri(uri))
		return false;
	if (take_prefix(&rest, "https://"))
		return has_host(rest);
	if (span_begins(uri, "http:"))
		return own_host(uri, &rest) >= 0;
	if ((colon = memchr(uri.p, ':', uri.len)) == NULL ||
	    !is_private_scheme(span_of(uri.p, (size_t)(colon - uri.p)), schemes))
		return false;
	rest = span_of(colon + 1, uri.len - (size_t)(colon + 1 - uri.p));
	return take_prefix(&rest, "//") && has_host(rest);
}

bool
oauth_redirect_loopback(struct span uri)
{
	struct span rest;

	return is_plain_uri(uri) && own_host(uri, &rest) >= 0;
}

bool
oauth_redirect_same(struct span registered, struct span asked)
{
	struct span one, other;
	int host;

	if (span_is(registered, asked))
		return true;
	return is_plain_uri(asked) && (host = own_host(registered, &one)) >= 0 && own_host(asked, &other) == host &&
	    span_is(one, other);
}

static bool
next_word(struct span *rest, struct span *word)
{
	size_t n;

	while (rest->len > 0 && rest->p[0] == ' ')
		*rest = span_of(rest->p + 1, rest->len - 1);
	for (n = 0; n < rest->len && rest->p[n] != ' '; n++)
		continue;
	*word = span_of(rest->p, n);
	*rest = span_of(rest->p + n, rest->len - n);
	return n > 0;
}

uint32_t
oauth_scopes(struct span text, bool *any)
{
	uint32_t scopes = 0;
	struct span word;

	*any = false;
	while (next_word(&text, &word)) {
		*any = true;
		scopes |= policy_scope_named(word) & POLICY_SCOPES_ALL;
	}
	return scopes;
}

bool
oauth_has_word(struct span text, struct span word)
{
	struct span each;

	while (next_word(&text, &each))
		if (span_is(each, word))
			return true;
	return false;
}

const char *const oauth_resources[OAUTH_RESOURCES] = { OAUTH_RESOURCE_MCP, OAUTH_RESOURCE_AGENT };

bool
oauth_resource(struct span issuer, struct span asked, const char **out)
{
	if (asked.len <= issuer.len || memcmp(asked.p, issuer.p, issuer.len) != 0)
		return false;
	asked = span_of(asked.p + issuer.len, asked.len - issuer.len);
	if (asked.p[asked.len - 1] == '/')
		asked.len--;
	for (size_t i = 0; i < OAUTH_RESOURCES; i++)
		if (span_is_str(asked, oauth_resources[i])) {
			*out = oauth_resources[i];
			return true;
		}
	return false;
}

bool
oauth_issuer_fine(struct span issuer, const char *public_url, unsigned port)
{
	char text[64];

	if (public_url[0] != '\0')
		return span_is_str(issuer, public_url);
	for (size_t i = 0; i < OWN_HOSTS; i++) {
		snprintf(text, sizeof(text), "http://%s:%u", own_hosts[i], port);
		if (span_is_str(issuer, text))
			return true;
		/* Clients leave the port out that http has anyway. */
		snprintf(text, sizeof(text), "http://%s", own_hosts[i]);
		if (port == 80 && span_is_str(issuer, text))
			return true;
	}
	return false;
}

static bool
is_made_of(struct span s, const char *others)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_is_alnum(s.p[i]) && !ascii_is_any(s.p[i], others))
			return false;
	return true;
}

bool
oauth_challenge_fine(struct span s)
{
	return s.len == OAUTH_CHALLENGE && is_made_of(s, "-_");
}

bool
oauth_verifier_fine(struct span s)
{
	return s.len >= OAUTH_VERIFIER_MIN && s.len <= OAUTH_VERIFIER_MAX && is_made_of(s, "-._~");
}

bool
oauth_user_fine(struct span name)
{
	if (name.len == 0 || name.len > 64 || ascii_is_any(name.p[0], "._@-"))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (ascii_is_upper(name.p[i]))
			return false;
	return is_made_of(name, "._@-");
}
