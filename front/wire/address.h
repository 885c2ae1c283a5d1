/*
 * address - counters per connecting party: open connections, bytes of unfinished requests, wrong
 * credentials.  On this machine a party is a user.  Elsewhere a party is an IPv4 address or an IPv6
 * /64 network, which is what a provider gives one customer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system/net.h"

#define ADDRESS_CONNS_MAX	64u	/* connections of one remote party; beyond: 429 */
#define ADDRESS_KNOWN_MAX	32768u	/* parties remembered; beyond: parties without a connection are forgotten */

struct addresses;
struct address;

/* A party with that many wrong credentials within a minute is blocked for block_s seconds. */
struct addresses *addresses_new(unsigned failures_per_min, unsigned block_s);
void addresses_free(struct addresses *a);

/* Find or add the party with this address, or this local user, and count one more connection. */
struct address *address_open(struct addresses *a, const uint8_t bytes[NET_ADDRESS]);
struct address *address_open_user(struct addresses *a, uint32_t uid);
/* The one party that stands for all local users who could not be determined. */
struct address *address_open_unknown(struct addresses *a);

/* Count one more holder of the reference; each holder calls address_close(). */
struct address *address_share(struct address *address);
void address_close(struct addresses *a, struct address *address);

unsigned address_connections(const struct address *address);

/* Add to the bytes of the party's unfinished requests.  plus may be a negated size (modulo arithmetic). */
void address_charge(struct address *address, size_t plus);
size_t address_charged(const struct address *address);

/*
 * The party as carrel-auth knows it, the same on every front: "192.0.2.1", "2001:db8:1:2::/64",
 * "user:1000", "unknown".
 */
#define ADDRESS_TEXT_MAX	64u
void address_name(const struct address *address, char out[ADDRESS_TEXT_MAX]);

/* Whether it is a user of this machine. */
bool address_is_user(const struct address *address);

/* Find the party with this name and count one more connection, until address_close().  NULL: not such a name. */
struct address *address_named(struct addresses *a, struct span name);

/* Refuse requests of this party without a good credential until that time. */
void address_block(struct address *address, uint64_t until_ns);

/* Count a wrong credential from this party. */
void address_failed(const struct addresses *a, struct address *address, uint64_t now);

/* Seconds until the block ends; 0: not blocked. */
unsigned address_blocked(const struct address *address, uint64_t now);

/* Forget parties without a connection whose failures no longer count. */
void addresses_sweep(struct addresses *a, uint64_t now);
