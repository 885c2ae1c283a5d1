#include "policy/client_document.h"

#include <string.h>

#include "base/ascii.h"

#define SCHEME	"https://"

/* Letters, digits and dashes between dots, at least two parts; the last one begins with a letter: it is no address. */
static bool
is_host(struct span s)
{
	size_t label = 0, labels = 0;
	bool lettered = false;

	if (s.len == 0 || s.len > 253)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '.') {
			if (label == 0 || s.p[i - 1] == '-')
				return false;
			labels++;
			label = 0;
			continue;
		}
		/* Capitals would be a different text for the same host. */
		if (!ascii_is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'z') && (s.p[i] != '-' || label == 0))
			return false;
		if (label == 0)
			lettered = s.p[i] >= 'a' && s.p[i] <= 'z';
		if (++label > 63)
			return false;
	}
	return label > 0 && labels > 0 && lettered && s.p[s.len - 1] != '-';
}

/* "." or "..", also written with %2e. */
static bool
is_dots(struct span segment)
{
	size_t dots = 0;

	for (size_t i = 0; i < segment.len; dots++) {
		if (segment.p[i] == '.')
			i++;
		else if (segment.len - i >= 3 && segment.p[i] == '%' && segment.p[i + 1] == '2' &&
		    ascii_lower(segment.p[i + 2]) == 'e')
			i += 3;
		else
			return false;
	}
	return dots == 1 || dots == 2;
}

static bool
is_path(struct span s)
{
	size_t begin = 1;
	bool query = false;

	if (s.len < 2 || s.p[0] != '/')
		return false;
	for (size_t i = 1; i <= s.len; i++) {
		uint8_t c = i < s.len ? s.p[i] : '/';

		if (c <= ' ' || c >= 0x7f || c == '#' || c == '\\' || c == '"' || c == '<' || c == '>')
			return false;
		if (query || (c != '/' && c != '?'))
			continue;
		if (is_dots(span_of(s.p + begin, i - begin)))
			return false;
		begin = i + 1;
		query = c == '?';
	}
	return true;
}

bool
client_document_url(struct span id, struct span *host)
{
	size_t at = strlen(SCHEME), end = at;

	if (id.len > CLIENT_DOCUMENT_URL || !span_begins(id, SCHEME))
		return false;
	while (end < id.len && id.p[end] != '/')
		end++;
	*host = span_of(id.p + at, end - at);
	return is_host(*host) && is_path(span_of(id.p + end, id.len - end));
}

static bool
is_in(const char *const *list, const uint8_t address[NET_ADDRESS])
{
	struct network n;

	for (; *list != NULL; list++)
		if (network_read(span_str(*list), &n) && network_holds(&n, address))
			return true;
	return false;
}

static bool
is_public_ipv4(const uint8_t address[NET_ADDRESS])
{
	static const char *const special[] = { "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
		"169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", NULL };

	return !is_in(special, address);
}

/* NAT64 hides the IPv4 address that is meant in its last four bytes. */
static bool
is_nat64(const uint8_t address[NET_ADDRESS])
{
	static const char *const prefix[] = { "64:ff9b::/96", NULL };

	return is_in(prefix, address);
}

bool
client_document_address(const uint8_t address[NET_ADDRESS])
{
	static const char *const global[] = { "2000::/3", NULL };
	static const char *const special[] = { "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", NULL };
	uint8_t inside[NET_ADDRESS] = { 0 };

	if (net_is_ipv4(address))
		return is_public_ipv4(address);
	if (is_nat64(address)) {
		inside[10] = inside[11] = 0xff;
		memcpy(inside + 12, address + 12, 4);
		return is_public_ipv4(inside);
	}
	return is_in(global, address) && !is_in(special, address);
}
