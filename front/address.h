/*
 * address - what is known of one client address: how many connections it has
 * and how often it came with a wrong credential.
 */
#ifndef FRONT_ADDRESS_H
#define FRONT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define ADDRESS_CONNS_MAX	64u	/* from one address, loopback exempt; beyond: 429 */
#define ADDRESS_FAILURES_MAX	5u	/* wrong credentials within a minute; the next is blocked */
#define ADDRESS_BLOCK_S		300u
#define ADDRESS_KNOWN_MAX	32768u	/* addresses remembered; beyond: those without a connection are forgotten */

struct addresses;
struct address;

struct addresses *addresses_new(void);
void addresses_free(struct addresses *a);

/* The address of sa, with one connection more. */
struct address *address_open(struct addresses *a, const struct sockaddr *sa);
/* One more who will close it. */
struct address *address_share(struct address *address);
void address_close(struct addresses *a, struct address *address);

unsigned address_connections(const struct address *address);

/* A wrong credential came from there. */
void address_failed(struct address *address, uint64_t now);

/* Seconds it is still blocked for; 0: it is not. */
unsigned address_blocked(const struct address *address, uint64_t now);

/* Forget addresses without a connection whose failures no longer count. */
void addresses_sweep(struct addresses *a, uint64_t now);

#endif
