/*
 * net - addresses and networks of the Internet, as configurations and proxies
 * write them.  Pure.
 *
 * An address is sixteen bytes: IPv6, or IPv4 mapped into it, so that one and
 * the same host is one and the same address on every kind of socket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/span.h"

#define NET_AUTHORITIES	"/etc/ssl/certs/ca-certificates.crt"	/* that the system trusts */

#define NET_ADDRESS	16
#define NET_TEXT_MAX	48	/* a text with a NUL: an address of 45 characters at most, or a network */

struct network {
	uint8_t		address[NET_ADDRESS];	/* the bits behind the first `bits` are zero */
	unsigned	bits;			/* of 128; an IPv4 network has at least 96 */
};

/* "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1".  No zone, no port, no brackets. */
bool net_address_read(struct span text, uint8_t out[NET_ADDRESS]);

/* The address as text; IPv4 without the mapping. */
void net_address_write(const uint8_t address[NET_ADDRESS], char out[NET_TEXT_MAX]);

/*
 * A hop as proxies write it: an address, in brackets or not, with a port or
 * without.  False for names, "unknown" and every other text.
 */
bool net_hop_read(struct span text, uint8_t out[NET_ADDRESS]);

/* An address alone, or with "/" and the number of bits that the network has in common. */
bool network_read(struct span text, struct network *out);

/* An IPv6 network, however wide, holds no IPv4 address. */
bool network_holds(const struct network *n, const uint8_t address[NET_ADDRESS]);

/* Whether some address of the network is a loopback one. */
bool network_has_loopback(const struct network *n);

/* The address of a socket.  False when it is neither IPv4 nor IPv6. */
bool net_address_of(const struct sockaddr *sa, uint8_t out[NET_ADDRESS]);

bool net_is_ipv4(const uint8_t address[NET_ADDRESS]);

/* 127.0.0.0/8 and ::1. */
bool net_is_loopback(const uint8_t address[NET_ADDRESS]);
