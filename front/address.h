/*
 * address - what is known of one party that connects: how many connections it
 * has, what their unfinished requests take, and how often it came with a wrong
 * credential.
 *
 * On this machine a party is a user; elsewhere an IPv4 address, or an IPv6
 * network of 64 bits, which is what one customer of a provider has.
 */
#ifndef FRONT_ADDRESS_H
#define FRONT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/net.h"

#define ADDRESS_CONNS_MAX	64u	/* from elsewhere; beyond: 429 */
#define ADDRESS_FAILURES_MAX	5u	/* wrong credentials within a minute; the next is blocked */
#define ADDRESS_BLOCK_S		300u
#define ADDRESS_KNOWN_MAX	32768u	/* parties remembered; beyond: those without a connection are forgotten */

struct addresses;
struct address;

struct addresses *addresses_new(void);
void addresses_free(struct addresses *a);

/* The party with this address, or this user of this machine; with one connection more. */
struct address *address_open(struct addresses *a, const uint8_t bytes[NET_ADDRESS]);
struct address *address_open_user(struct addresses *a, uint32_t uid);
/* Users of this machine that could not be found out: one party together. */
struct address *address_open_unknown(struct addresses *a);

/* One more who will close it. */
struct address *address_share(struct address *address);
void address_close(struct addresses *a, struct address *address);

unsigned address_connections(const struct address *address);

/* Bytes that its unfinished requests take; plus may be the negative of some, modulo. */
void address_charge(struct address *address, size_t plus);
size_t address_charged(const struct address *address);

/* A wrong credential came from there. */
void address_failed(struct address *address, uint64_t now);

/* Seconds it is still blocked for; 0: it is not. */
unsigned address_blocked(const struct address *address, uint64_t now);

/* Forget parties without a connection whose failures no longer count. */
void addresses_sweep(struct addresses *a, uint64_t now);

#endif
