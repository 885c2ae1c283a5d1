/* fuzz_net.c - any bytes: an address and a network that holds it, or a refusal. */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/net.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t address[NET_ADDRESS], again[NET_ADDRESS];
	char text[NET_TEXT_MAX];
	struct network n;

	if (net_address_read(span_of(data, size), address)) {
		if (inet_ntop(AF_INET6, address, text, sizeof(text)) == NULL ||
		    !net_address_read(span_str(text), again) || memcmp(address, again, sizeof(again)) != 0)
			abort();
		if (!net_hop_read(span_of(data, size), again) || memcmp(address, again, sizeof(again)) != 0)
			abort();
		if (!network_read(span_of(data, size), &n) || n.bits != 128 || !network_holds(&n, address))
			abort();
	}
	(void)net_hop_read(span_of(data, size), address);
	if (network_read(span_of(data, size), &n)) {
		/* The first address of a network is in it, unless it is IPv4 in an IPv6 one. */
		if (network_holds(&n, n.address) == (net_is_ipv4(n.address) && n.bits < 96))
			abort();
		if (n.bits > 0) {
			memcpy(again, n.address, sizeof(again));
			again[(n.bits - 1) / 8] ^= (uint8_t)(0x80u >> (n.bits - 1) % 8);
			if (network_holds(&n, again))
				abort();
		}
	}
	return 0;
}
