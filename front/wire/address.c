#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/mem.h"
#include "front/wire/address.h"

#define BUCKETS		4096u
#define NETWORK_BYTES	8	/* of an IPv6 address */

enum kind { KIND_HOST, KIND_USER, KIND_UNKNOWN };

struct address_key {
	uint8_t	kind, bytes[NET_ADDRESS];
};

struct address {
	LIST_ENTRY(address)	next;
	struct address_key		key;
	unsigned		conns, failures;
	size_t			charged;
	uint64_t		window_ns, blocked_ns;	/* start of the failure window; end of the block */
};

LIST_HEAD(bucket, address);

struct addresses {
	struct bucket	buckets[BUCKETS];
	unsigned	known;
	unsigned	failures_per_min, block_s;
	uint8_t		key[crypto_shorthash_KEYBYTES];	/* secret hash key: addresses cannot be aimed at one bucket */
};

struct addresses *
addresses_new(unsigned failures_per_min, unsigned block_s)
{
	struct addresses *a = mem_new(1, sizeof(*a));

	a->failures_per_min = failures_per_min;
	a->block_s = block_s;
	crypto_shorthash_keygen(a->key);
	return a;
}

static void
address_forget(struct addresses *a, struct address *address)
{
	LIST_REMOVE(address, next);
	a->known--;
	free(address);
}

void
addresses_free(struct addresses *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (!LIST_EMPTY(&a->buckets[i]))
			address_forget(a, LIST_FIRST(&a->buckets[i]));
	free(a);
}

static struct bucket *
bucket_of(struct addresses *a, const struct address_key *key)
{
	uint8_t hash[crypto_shorthash_BYTES];

	crypto_shorthash(hash, (const uint8_t *)key, sizeof(*key), a->key);
	return &a->buckets[(hash[0] | (unsigned)hash[1] << 8) % BUCKETS];
}

static struct address *
open_key(struct addresses *a, const struct address_key *key)
{
	struct bucket *bucket = bucket_of(a, key);
	struct address *address;

	LIST_FOREACH(address, bucket, next)
		if (memcmp(&address->key, key, sizeof(*key)) == 0) {
			address->conns++;
			return address;
		}
	address = mem_new(1, sizeof(*address));
	address->key = *key;
	address->conns = 1;
	LIST_INSERT_HEAD(bucket, address, next);
	a->known++;
	return address;
}

struct address *
address_open(struct addresses *a, const uint8_t bytes[NET_ADDRESS])
{
	struct address_key key = { .kind = KIND_HOST };

	memcpy(key.bytes, bytes, net_is_ipv4(bytes) ? NET_ADDRESS : NETWORK_BYTES);
	return open_key(a, &key);
}

struct address *
address_open_user(struct addresses *a, uint32_t uid)
{
	struct address_key key = { .kind = KIND_USER };

	memcpy(key.bytes, &uid, sizeof(uid));
	return open_key(a, &key);
}

struct address *
address_open_unknown(struct addresses *a)
{
	return open_key(a, &(struct address_key){ .kind = KIND_UNKNOWN });
}

struct address *
address_share(struct address *address)
{
	address->conns++;
	return address;
}

void
address_close(struct addresses *a, struct address *address)
{
	if (--address->conns == 0 &&
	    ((address->failures == 0 && address->blocked_ns == 0) || a->known > ADDRESS_KNOWN_MAX))
		address_forget(a, address);
}

void
address_name(const struct address *address, char out[ADDRESS_TEXT_MAX])
{
	char text[NET_TEXT_MAX];
	uint32_t uid;

	switch ((enum kind)address->key.kind) {
	case KIND_USER:
		memcpy(&uid, address->key.bytes, sizeof(uid));
		snprintf(out, ADDRESS_TEXT_MAX, "user:%u", uid);
		break;
	case KIND_HOST:
		net_address_write(address->key.bytes, text);
		snprintf(out, ADDRESS_TEXT_MAX, "%s%s", text, net_is_ipv4(address->key.bytes) ? "" : "/64");
		break;
	case KIND_UNKNOWN:
		snprintf(out, ADDRESS_TEXT_MAX, "unknown");
		break;
	}
}

bool
address_is_user(const struct address *address)
{
	return address->key.kind == KIND_USER;
}

/* "user:1000" */
static bool
read_user(struct span name, uint32_t *uid)
{
	uint64_t n = 0;

	if (name.len <= 5 || name.len > 15 || memcmp(name.p, "user:", 5) != 0)
		return false;
	for (size_t i = 5; i < name.len; i++) {
		if (!ascii_is_digit(name.p[i]))
			return false;
		n = 10 * n + (unsigned)(name.p[i] - '0');
	}
	*uid = (uint32_t)n;
	return n <= UINT32_MAX;
}

struct address *
address_named(struct addresses *a, struct span name)
{
	struct network network;
	uint32_t uid;

	if (span_is_str(name, "unknown"))
		return address_open_unknown(a);
	if (read_user(name, &uid))
		return address_open_user(a, uid);
	return network_read(name, &network) ? address_open(a, network.address) : NULL;
}

void
address_block(struct address *address, uint64_t until_ns)
{
	address->blocked_ns = until_ns;
}

unsigned
address_connections(const struct address *address)
{
	return address->conns;
}

void
address_charge(struct address *address, size_t plus)
{
	address->charged += plus;
}

size_t
address_charged(const struct address *address)
{
	return address->charged;
}

void
address_failed(const struct addresses *a, struct address *address, uint64_t now)
{
	if (address->window_ns == 0 || now - address->window_ns >= 60 * CLOCK_SECOND) {
		address->window_ns = now;
		address->failures = 0;
	}
	if (++address->failures >= a->failures_per_min)
		address->blocked_ns = now + a->block_s * CLOCK_SECOND;
}

unsigned
address_blocked(const struct address *address, uint64_t now)
{
	if (address->blocked_ns <= now)
		return 0;
	return (unsigned)((address->blocked_ns - now + CLOCK_SECOND - 1) / CLOCK_SECOND);
}

void
addresses_sweep(struct addresses *a, uint64_t now)
{
	struct address *address, *next;

	for (size_t i = 0; i < BUCKETS; i++)
		for (address = LIST_FIRST(&a->buckets[i]); address != NULL; address = next) {
			next = LIST_NEXT(address, next);
			if (address->conns == 0 && address->blocked_ns <= now &&
			    now - address->window_ns >= 60 * CLOCK_SECOND)
				address_forget(a, address);
		}
}
