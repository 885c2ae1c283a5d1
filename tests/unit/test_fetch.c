// libs: carrel_fetch carrel_project carrel_policy carrel_base
/* test_fetch.c - which URLs and addresses documents of clients may be at, and what they have to say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/mp.h"
#include "policy/client_document.h"
#include "workers/fetch/document_check.h"

#define URL	"https://client.example.org/oauth/client.json"

static void
urls(void **state)
{
	static const char *const good[] = { URL, "https://a.b/c", "https://xn--bcher-kva.example/.well-known/x",
		"https://chatgpt.com/oauth/codex/1/client.json?v=2", "https://a.b/...", "https://a-b.example.org/a/" };
	static const char *const bad[] = { "", "https://", "https:///x", "http://a.b/c", "HTTPS://a.b/c", "https://a.b",
		"https://a.b/", "https://localhost/c", "https://a.b:443/c", "https://u@a.b/c", "https://u:p@a.b/c",
		"https://127.0.0.1/c", "https://1.2/c", "https://a.1/c", "https://0x7f.0.0.0x1/c", "https://[::1]/c",
		"https://a.b/c#d", "https://a.b/./c", "https://a.b/c/..", "https://a.b/%2e/c", "https://a.b/.%2E/c",
		"https://a.b/c d", "https://a.b/\\c", "https://a..b/c", "https://-a.b/c", "https://a-.b/c",
		"https://a.b-/c",
		"https://.a.b/c", "https://a.b./c", "https://A.b/c", "https://a_b.c/d", "https://a.b\t/c",
		"ftp://a.b/c",
		"https://a.b/\xc3\xa4", "https://a.b%2fc/d" };
	struct span host;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!client_document_url(span_str(good[i]), &host))
			fail_msg("%s is refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (client_document_url(span_str(bad[i]), &host))
			fail_msg("%s is taken", bad[i]);
	assert_true(client_document_url(SPAN(URL), &host));
	assert_true(span_is(host, SPAN("client.example.org")));
}

static void
addresses(void **state)
{
	static const char *const good[] = { "1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.128.0.0",
		"192.0.1.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888",
		"::ffff:8.8.8.8", "64:ff9b::808:808" };
	static const char *const bad[] = { "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255",
		"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
		"192.168.1.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
		"255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b:1::1",
		"fc00::1", "fe80::1", "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "100::1",
		"::127.0.0.1" };
	uint8_t address[NET_ADDRESS];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!net_address_read(span_str(good[i]), address) || !client_document_address(address))
			fail_msg("%s is refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!net_address_read(span_str(bad[i]), address) || client_document_address(address))
			fail_msg("%s is taken", bad[i]);
}

/* One address that must not be connected to spoils all that the name has. */
static void
all_addresses_count(void **state)
{
	static const char *const lists[][3] = { { "8.8.8.8", "1.1.1.1", NULL }, { "8.8.8.8", "127.0.0.1", NULL },
		{ "10.0.0.1", "8.8.8.8", NULL }, { NULL, NULL, NULL } };
	static const bool fine[] = { true, false, false, false };
	struct fetch_terms terms = { .may = client_document_address, .port = 443, .authorities = "/dev/null" };
	struct web_url at;
	struct fetch f;
	struct err err;

	(void)state;
	assert_true(web_url_read(SPAN(URL), &at));
	fetch_init(&f, SPAN(URL), &at, &terms);
	for (size_t i = 0; i < sizeof(fine); i++) {
		struct sockaddr_in in[2] = { { .sin_family = AF_INET }, { .sin_family = AF_INET } };
		struct addrinfo a[2] = { { .ai_addr = (struct sockaddr *)&in[0] },
			{ .ai_addr = (struct sockaddr *)&in[1] } };
		size_t n = 0;

		for (; lists[i][n] != NULL; n++) {
			assert_int_equal(inet_pton(AF_INET, lists[i][n], &in[n].sin_addr), 1);
			if (n > 0)
				a[n - 1].ai_next = &a[n];
		}
		assert_int_equal(fetch_choose(&f, n > 0 ? a : NULL, &err) != NULL, fine[i]);
	}
	fetch_fini(&f);
}

/* --- a name whose address changes ------------------------------------------------------------------ */

static const char *answers[2];	/* to the first look-up, and to all after it */
static unsigned looked_up;

/* In front of the C library's: libcurl's look-ups come here as well. */
int
getaddrinfo(const char *node, const char *service, const struct addrinfo *wanted, struct addrinfo **out)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	void *found = dlsym(RTLD_NEXT, "getaddrinfo");

	(void)node;
	memcpy(&real, &found, sizeof(real));
	return real(answers[looked_up++ != 0], service, wanted, out);
}

/* The one address that is public, for these tests. */
static bool
is_public(const uint8_t address[NET_ADDRESS])
{
	uint8_t one[NET_ADDRESS];

	return net_address_read(SPAN("127.0.0.2"), one) && memcmp(address, one, sizeof(one)) == 0;
}

static int
listen_at(const char *address, unsigned *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)*port) };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(inet_pton(AF_INET, address, &in.sin_addr), 1);
	if (bind(fd, (struct sockaddr *)&in, len) != 0 || listen(fd, 8) != 0)
		fail_msg("no listener at %s", address);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

/* What is connected to is the address that was checked: the name is looked up once, whatever it says the next time. */
static void
a_name_is_looked_up_once(void **state)
{
	static const struct {
		const char *first, *then;
		bool connects;
	} rows[] = { { "127.0.0.2", "127.0.0.3", true }, { "127.0.0.3", "127.0.0.2", false } };
	unsigned port = 0;
	int good = listen_at("127.0.0.2", &port), bad = listen_at("127.0.0.3", &port);
	struct fetch_terms terms = { .may = is_public, .port = port,
		.authorities = "/etc/ssl/certs/ca-certificates.crt" };
	struct web_url at;

	(void)state;
	assert_true(web_url_read(SPAN(URL), &at));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pollfd p = { .fd = bad, .events = POLLIN };
		struct fetched got = { .keep_s = 0 };
		struct fetch f;
		struct err err;
		pid_t server;

		looked_up = 0;
		answers[0] = rows[i].first;
		answers[1] = rows[i].then;
		fetch_init(&f, SPAN(URL), &at, &terms);
		assert_int_equal(fetch_prepare(&f, &err), 0);
		assert_int_equal(fetch_connect(&f, &err), rows[i].connects ? 0 : -1);
		if (rows[i].connects) {
			if ((server = fork()) == 0) {
				close(accept(good, NULL, NULL));
				_exit(0);
			}
			assert_int_equal(fetch_run(&f, &got, &err), -1);
			assert_int_equal(waitpid(server, NULL, 0), server);
		}
		assert_int_equal(looked_up, 1);
		assert_int_equal(poll(&p, 1, 0), 0);
		fetch_fini(&f);
		buf_fini(&got.body);
	}
	close(good);
	close(bad);
}

static void
documents(void **state)
{
	static const struct {
		const char *body, *name; /* name NULL: it will not do */
	} rows[] = {
		{ "{\"client_id\":\"" URL "\",\"client_name\":\"A\",\"redirect_uris\":[\"http://localhost/cb\"]}",
		    "A" },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[\"http://localhost/cb\"],"
		  "\"token_endpoint_auth_method\":\"none\",\"jwks\":{},\"x\":null}",
		    "" },
		{ "{\"client_id\":\"" URL "/\",\"redirect_uris\":[\"http://localhost/cb\"]}", NULL },
		{ "{\"redirect_uris\":[\"http://localhost/cb\"]}", NULL },
		{ "{\"client_id\":7,\"redirect_uris\":[\"http://localhost/cb\"]}", NULL },
		{ "{\"client_id\":\"" URL "\"}", NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[]}", NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":\"http://localhost/cb\"}", NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[7]}", NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[\"http://localhost/cb\"],\"client_name\":7}", NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[\"http://localhost/cb\"],\"client_secret\":\"x\"}",
		    NULL },
		{ "{\"client_id\":\"" URL "\",\"redirect_uris\":[\"http://localhost/cb\"],"
		  "\"token_endpoint_auth_method\":\"private_key_jwt\"}",
		    NULL },
		{ "{\"client_id\":\"" URL "\",\"client_id\":\"" URL "\",\"redirect_uris\":[\"http://localhost/cb\"]}",
		    NULL },
		{ "[]", NULL },
		{ "", NULL },
		{ "{", NULL },
		{ "null", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf storage = { 0 };
		struct span name, redirects;
		struct err err;
		int result = fetch_read_document(span_str(rows[i].body), SPAN(URL), &storage, &name, &redirects, &err);

		if ((result == 0) != (rows[i].name != NULL))
			fail_msg("%s: %s", rows[i].body, result == 0 ? "taken" : err.message);
		if (result == 0) {
			assert_true(span_is_str(name, rows[i].name));
			assert_true(redirects.len > 0);
		}
		buf_fini(&storage);
	}
}

static void
times(void **state)
{
	static const struct {
		const char *control;
		uint64_t age, keep;
	} rows[] = {
		{ "", 0, 300 },
		{ "max-age=60", 0, 300 },
		{ "max-age=3600", 0, 3600 },

		{ "public, Max-Age=3600", 600, 3000 },
		{ "max-age=3600", 7200, 300 },
		{ "max-age=99999999999999999999", 0, 86400 },
		{ "max-age=3600, no-store", 0, 300 },
		{ "no-cache,max-age=3600", 0, 300 },
		{ "max-age=x", 0, 300 },
		{ "max-age", 0, 300 },
		{ ",,,", 0, 300 },
		{ "s-maxage=4000", 0, 300 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (document_keep(span_str(rows[i].control), rows[i].age) != rows[i].keep)
			fail_msg("%s: %llu", rows[i].control,
			    (unsigned long long)document_keep(span_str(rows[i].control), rows[i].age));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),
		cmocka_unit_test(addresses),
		cmocka_unit_test(all_addresses_count),
		cmocka_unit_test(a_name_is_looked_up_once),
		cmocka_unit_test(documents),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
