/* test_web_url.c - which URLs are asked, and what is their host and port. */
#include "base/text/web_url.h"
#include "tests/unit/harness.h"

static void
what_is_read(void **state)
{
	static const struct {
		const char *url, *host; /* host NULL: refused */
		unsigned port;
	} rows[] = {
		{ "https://id.example.org", "id.example.org", 443 },
		{ "https://id.example.org/realms/a?p=b", "id.example.org", 443 },
		{ "https://10.1.2.3:8443/", "10.1.2.3", 8443 },
		{ "https://id?p", "id", 443 },
		{ "http://localhost:8080/realms/a", "localhost", 8080 },
		{ "http://127.0.0.1", "127.0.0.1", 80 },
		{ "http://id.example.org/", NULL, 0 },
		{ "http://127.0.0.2/", NULL, 0 },
		{ "http://localhost.example.org/", NULL, 0 },
		{ "https://", NULL, 0 },
		{ "https://.a/", NULL, 0 },
		{ "https://a:/", NULL, 0 },
		{ "https://a:0/", NULL, 0 },
		{ "https://a:65536/", NULL, 0 },
		{ "https://a:4294967739/", NULL, 0 },
		{ "https://user@a/", NULL, 0 },
		{ "https://a:b@c/", NULL, 0 },
		{ "https://[::1]/", NULL, 0 },
		{ "https://a#b", NULL, 0 },
		{ "https://a/ b", NULL, 0 },
		{ "https://a\\b/", NULL, 0 },
		{ "https://a/\xc3\xa4", NULL, 0 },
		{ "HTTPS://a/", NULL, 0 },
		{ "ftp://a/", NULL, 0 },
		{ "file:///etc/passwd", NULL, 0 },
		{ "//a/", NULL, 0 },
		{ "", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct web_url at = { .port = 1 };
		bool read = web_url_read(span_str(rows[i].url), &at);

		if (read != (rows[i].host != NULL) ||
		    (read &&
			(!span_is_str(at.host, rows[i].host) || at.port != rows[i].port ||
			    at.tls != (rows[i].url[4] == 's'))))
			fail_msg("%s: %.*s %u", rows[i].url, SPAN_FMT(at.host), at.port);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_read) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
