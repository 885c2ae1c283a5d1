#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/system/net.h"

#define MAPPED_BITS	96u	/* before the IPv4 address */

static const uint8_t mapped[NET_ADDRESS] = { [10] = 0xff, [11] = 0xff };

bool
net_is_ipv4(const uint8_t address[NET_ADDRESS])
{
	return memcmp(address, mapped, MAPPED_BITS / 8) == 0;
}

bool
net_is_loopback(const uint8_t address[NET_ADDRESS])
{
	static const uint8_t one[NET_ADDRESS] = { [15] = 1 };

	return net_is_ipv4(address) ? address[12] == 127 : memcmp(address, one, NET_ADDRESS) == 0;
}

bool
net_address_read(struct span text, uint8_t out[NET_ADDRESS])
{
	char copy[NET_TEXT_MAX];

	if (text.len == 0 || text.len >= sizeof(copy) || memchr(text.p, '\0', text.len) != NULL)
		return false;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	if (memchr(copy, ':', text.len) != NULL)
		return inet_pton(AF_INET6, copy, out) == 1;
	memcpy(out, mapped, NET_ADDRESS);
	return inet_pton(AF_INET, copy, out + MAPPED_BITS / 8) == 1;
}

void
net_address_write(const uint8_t address[NET_ADDRESS], char out[NET_TEXT_MAX])
{
	bool ipv4 = net_is_ipv4(address);

	if (inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? address + MAPPED_BITS / 8 : address, out, NET_TEXT_MAX) == NULL)
		out[0] = '\0';
}

/* Digits that a port is made of, or nothing. */
static bool
is_port(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0 && s.len <= 5;
}

bool
net_hop_read(struct span text, uint8_t out[NET_ADDRESS])
{
	const uint8_t *end;
	struct span rest;

	if (text.len == 0)
		return false;
	if (text.p[0] == '[') {
		if ((end = memchr(text.p, ']', text.len)) == NULL)
			return false;
		rest = span_of(end + 1, text.len - (size_t)(end - text.p) - 1);
		text = span_of(text.p + 1, (size_t)(end - text.p) - 1);
		return memchr(text.p, ':', text.len) != NULL && net_address_read(text, out) &&
		    (rest.len == 0 || (rest.p[0] == ':' && is_port(span_of(rest.p + 1, rest.len - 1))));
	}
	end = memchr(text.p, ':', text.len);
	if (end != NULL && memchr(end + 1, ':', text.len - (size_t)(end - text.p) - 1) == NULL) {
		/* One colon: IPv4 with a port. */
		if (!is_port(span_of(end + 1, text.len - (size_t)(end - text.p) - 1)))
			return false;
		text.len = (size_t)(end - text.p);
	}
	return net_address_read(text, out);
}

static bool
read_bits(struct span s, unsigned most, unsigned *bits)
{
	*bits = 0;
	if (s.len == 0 || s.len > 3 || (s.len > 1 && s.p[0] == '0'))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		*bits = *bits * 10 + (unsigned)(s.p[i] - '0');
	}
	return *bits <= most;
}

bool
network_read(struct span text, struct network *out)
{
	const uint8_t *slash = text.len == 0 ? NULL : memchr(text.p, '/', text.len);
	struct span address = slash == NULL ? text : span_of(text.p, (size_t)(slash - text.p));
	bool dotted = address.len > 0 && memchr(address.p, ':', address.len) == NULL;

	if (!net_address_read(address, out->address))
		return false;
	out->bits = 8 * NET_ADDRESS;
	if (slash != NULL) {
		if (!read_bits(span_of(slash + 1, text.len - address.len - 1), dotted ? 32 : 128, &out->bits))
			return false;
		out->bits += dotted ? MAPPED_BITS : 0;
	}
	for (unsigned i = out->bits; i < 8 * NET_ADDRESS; i++)
		out->address[i / 8] &= (uint8_t) ~(0x80u >> i % 8);
	return true;
}

bool
network_holds(const struct network *n, const uint8_t address[NET_ADDRESS])
{
	unsigned whole = n->bits / 8, rest = n->bits % 8;

	if (net_is_ipv4(address) && (n->bits < MAPPED_BITS || !net_is_ipv4(n->address)))
		return false;
	return memcmp(n->address, address, whole) == 0 &&
	    (rest == 0 || ((n->address[whole] ^ address[whole]) >> (8 - rest)) == 0);
}

bool
network_has_loopback(const struct network *n)
{
	static const uint8_t four[NET_ADDRESS] = { [10] = 0xff, [11] = 0xff, [12] = 127 },
			     six[NET_ADDRESS] = { [15] = 1 };

	return net_is_loopback(n->address) || network_holds(n, four) || network_holds(n, six);
}

bool
net_address_of(const struct sockaddr *sa, uint8_t out[NET_ADDRESS])
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	switch (sa->sa_family) {
	case AF_INET:
		memcpy(&in, sa, sizeof(in));
		memcpy(out, mapped, NET_ADDRESS);
		memcpy(out + MAPPED_BITS / 8, &in.sin_addr, 4);
		return true;
	case AF_INET6:
		memcpy(&in6, sa, sizeof(in6));
		memcpy(out, &in6.sin6_addr, NET_ADDRESS);
		return true;
	default:
		memset(out, 0, NET_ADDRESS);
		return false;
	}
}
