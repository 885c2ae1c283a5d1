/* test_net.c - addresses and networks as they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>

#include "base/system/net.h"

static bool
holds(const char *network, const char *address)
{
	uint8_t bytes[NET_ADDRESS];
	struct network n;

	assert_true(network_read(span_str(network), &n));
	assert_true(net_address_read(span_str(address), bytes));
	return network_holds(&n, bytes);
}

static void
test_networks(void **state)
{
	(void)state;
	assert_true(holds("10.0.0.0/8", "10.255.0.1"));
	assert_false(holds("10.0.0.0/8", "11.0.0.1"));
	assert_true(holds("10.1.2.3/8", "10.9.9.9")); /* what is past the bits says nothing */
	assert_true(holds("192.0.2.1", "192.0.2.1"));
	assert_false(holds("192.0.2.1", "192.0.2.2"));
	assert_true(holds("192.0.2.0/31", "192.0.2.1"));
	assert_false(holds("192.0.2.0/31", "192.0.2.2"));
	assert_true(holds("0.0.0.0/0", "203.0.113.9"));
	assert_false(holds("0.0.0.0/0", "2001:db8::1"));
	assert_true(holds("2001:db8::/32", "2001:db8:1::1"));
	assert_false(holds("2001:db8::/32", "2001:db9::1"));
	assert_true(holds("fe80::/10", "febf::1"));
	assert_false(holds("fe80::/10", "fec0::1"));
	assert_true(holds("::1", "::1"));
	/* one host, two ways to write it */
	assert_true(holds("10.0.0.0/8", "::ffff:10.2.3.4"));
	assert_true(holds("::ffff:10.0.0.0/104", "10.2.3.4"));
	assert_false(holds("::ffff:10.0.0.0/104", "11.2.3.4"));
	assert_true(holds("::ffff:a00:1", "10.0.0.1"));
	/* all of IPv6 is not all of IPv4 */
	assert_true(holds("::/0", "2001:db8::1"));
	assert_false(holds("::/0", "10.0.0.1"));
	assert_false(holds("::ffff:0:0/64", "10.0.0.1"));
}

static void
test_refused(void **state)
{
	static const char *const bad[] = { "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1",
		"10.0.0.0/8 ", " 10.0.0.0", "10.0.0/8", "10.0.0.0.0", "::/129", "::1/1280", "fe80::1%eth0", "example.com",
		"[::1]", "1.2.3.4:80", "::ffff:1.2.3.4.5", "010.0.0.1/8/8",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/64" };
	struct network n;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(network_read(span_str(bad[i]), &n));
	assert_false(network_read(SPAN("10.0.0.0\0/8"), &n));
}

static void
test_hops(void **state)
{
	static const char *const same[] = { "192.0.2.7", "192.0.2.7:4711", "::ffff:192.0.2.7", "[::ffff:192.0.2.7]",
		"[::ffff:192.0.2.7]:443" };
	static const char *const bad[] = { "", "unknown", "_hidden", "[", "[]", "[192.0.2.7]", "[::1", "[::1]x", "[::1]:",
		"[::1]:123456", "192.0.2.7:", "192.0.2.7:x", "example.com:80", "::1:", "\"[::1]\"" };
	uint8_t want[NET_ADDRESS], got[NET_ADDRESS];

	(void)state;
	assert_true(net_address_read(SPAN("192.0.2.7"), want));
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_true(net_hop_read(span_str(same[i]), got));
		assert_memory_equal(got, want, sizeof(want));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(net_hop_read(span_str(bad[i]), got));
}

static void
test_sockets(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr other = { .sa_family = AF_UNIX };
	uint8_t four[NET_ADDRESS], six[NET_ADDRESS];

	(void)state;
	in.sin_addr.s_addr = htonl(0x7f010203);
	assert_int_equal(inet_pton(AF_INET6, "::ffff:127.1.2.3", &in6.sin6_addr), 1);
	assert_true(net_address_of((struct sockaddr *)&in, four));
	assert_true(net_address_of((struct sockaddr *)&in6, six));
	assert_memory_equal(four, six, sizeof(four));
	assert_true(net_is_loopback(four));
	assert_true(net_is_ipv4(six));
	assert_true(net_address_read(SPAN("::1"), six));
	assert_true(net_is_loopback(six));
	assert_true(net_address_read(SPAN("::127.0.0.1"), six)); /* not the mapped one */
	assert_false(net_is_loopback(six));
	assert_false(net_address_of(&other, six));
	assert_false(net_is_loopback(six));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
