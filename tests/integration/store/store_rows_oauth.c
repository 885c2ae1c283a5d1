/* store_rows_oauth.c - clients, grants, codes, sessions, consents and keys of the state store. */
#include "ipc/messages.h"
#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_oauth.h"
#include "workers/auth/store/store_device.h"
#include "workers/auth/store/store_user.h"

static struct err err;

static struct store_client
client_of(const char *id, unsigned source, uint64_t created_ms)
{
	struct store_client c = { .source = source, .created_ms = created_ms };

	snprintf(c.id, sizeof(c.id), "%s", id);
	snprintf(c.name, sizeof(c.name), "Client %s", id);
	buf_str(&c.redirects, "http://127.0.0.1/cb\ncursor://x");
	return c;
}

static void
add_client(struct store *s, const char *id, unsigned source, uint64_t created_ms)
{
	struct store_client c = client_of(id, source, created_ms);

	must(store_client_add(s, &c, &err));
	store_client_fini(&c);
}

static struct store_grant
grant_of(const char *id, const char *user, const char *client)
{
	struct store_grant g = { .scopes = 3, .turn = 1, .turned_ms = 5, .created_ms = 5, .expires_ms = 100 };

	snprintf(g.id, sizeof(g.id), "%s", id);
	snprintf(g.user, sizeof(g.user), "%s", user);
	snprintf(g.client, sizeof(g.client), "%s", client);
	return g;
}

static bool
put_client(void *arg, const struct store_client *c)
{
	buf_printf(arg, "%s:%d ", c->id, (int)c->grants);
	return true;
}

static void
test_clients(void **state)
{
	struct store_pair *r = *state;
	struct store_grant g = grant_of("g000000000000000", "ada", "old");
	struct store_client c;
	struct store_consent consent;
	struct buf all = { 0 };
	uint64_t n;

	add_client(r->a, "old", IPC_CLIENT_REGISTERED, 1);
	add_client(r->a, "older", IPC_CLIENT_DOCUMENT, 2);
	add_client(r->a, "idle", IPC_CLIENT_REGISTERED, 3);
	add_client(r->a, "young", IPC_CLIENT_REGISTERED, 50);
	add_client(r->a, "mine", IPC_CLIENT_CONFIGURED, 4);
	must(store_grant_add(r->a, &g, &err));
	must(store_consent_set(r->a, "ada", "older", "http://127.0.0.1/cb", 1, "", 5, &err));
	must(store_clients_count(r->b, &n, &err));
	assert_int_equal(n, 5);
	must(store_clients(r->b, 50, put_client, &all, &err));
	assert_buf(&all, "old:1 older:0 idle:0 mine:0 young:0 ");
	buf_reset(&all, 1000);

	/* The oldest first, of those that are idle and registered themselves; their consents too. */
	must(store_clients_drop(r->b, 40, 50, 1, &err));
	must(store_clients(r->b, 50, put_client, &all, &err));
	assert_buf(&all, "old:1 idle:0 mine:0 young:0 ");
	assert_int_equal(store_consent(r->a, "ada", SPAN("older"), SPAN("http://127.0.0.1/cb"), &consent, &err), 0);
	must(store_clients_drop(r->b, 40, 50, 10, &err));
	must(store_clients_count(r->a, &n, &err));
	assert_int_equal(n, 3);

	assert_int_equal(store_client(r->b, SPAN("mine"), &c, &err), 1);
	assert_buf(&c.redirects, "http://127.0.0.1/cb\ncursor://x");
	store_client_fini(&c);
	c = client_of("mine", 0, 0);
	buf_reset(&c.redirects, 100);
	buf_str(&c.redirects, "https://a");
	must(store_client_describe(r->a, &c, &err));
	must(store_client_used(r->a, "mine", 60, &err));
	store_client_fini(&c);
	assert_int_equal(store_client(r->b, SPAN("mine"), &c, &err), 1);
	assert_buf(&c.redirects, "https://a");
	assert_int_equal(c.last_used_ms, 60);
	store_client_fini(&c);
	must(store_client_remove(r->a, "mine", &err));
	assert_int_equal(store_client(r->b, SPAN("mine"), &c, &err), 0);
	buf_fini(&all);
}

static bool
put_grant(void *arg, const struct store_grant *g)
{
	buf_printf(arg, "%.2s:%s ", g->id, g->client_name);
	return true;
}

static void
assert_grants(struct store *s, struct span user, struct span client, uint64_t since_ms, const char *expected)
{
	struct buf all = { 0 };

	must(store_grants(s, user, client, since_ms, 50, put_grant, &all, &err));
	assert_string_equal(buf_cstr(&all), expected);
	buf_fini(&all);
}

static void
test_grants(void **state)
{
	struct store_pair *r = *state;
	struct store_grant a = grant_of("a000000000000000", "ada", "c1"), b = grant_of("b000000000000000", "bob", "c1"),
			   c = grant_of("c000000000000000", "ada", "c2"), got;
	uint64_t n;

	add_client(r->a, "c1", IPC_CLIENT_CONFIGURED, 1);
	must(store_grant_add(r->a, &a, &err));
	must(store_grant_add(r->a, &b, &err));
	must(store_grant_add(r->a, &c, &err));
	assert_grants(r->b, SPAN(""), SPAN(""), 0, "a0:Client c1 b0:Client c1 c0: ");
	assert_grants(r->b, SPAN("ada"), SPAN(""), 0, "a0:Client c1 c0: ");
	assert_grants(r->b, SPAN("ada"), SPAN("c2"), 0, "c0: ");

	/* One turn, whoever asks; a turn later than 2^31 ms. */
	assert_int_equal(store_grant_turn(r->a, a.id, 1, 60, SPAN("203.0.113.7"), UINT64_C(1795000000000), &err), 1);
	assert_int_equal(store_grant_turn(r->b, a.id, 1, 61, SPAN("203.0.113.8"), 300, &err), 0);
	must(store_grant_used(r->b, a.id, 59, &err));
	assert_int_equal(store_grant(r->b, span_str(a.id), &got, &err), 1);
	assert_int_equal(got.turn, 2);
	assert_int_equal(got.last_used_ms, 60);
	assert_int_equal(got.expires_ms, UINT64_C(1795000000000));
	assert_string_equal(got.turned_for, "203.0.113.7");

	assert_int_equal(store_grant_end(r->a, a.id, 70, &err), 1);
	assert_int_equal(store_grant_end(r->b, a.id, 71, &err), 0);
	assert_int_equal(store_grant_turn(r->b, a.id, 2, 72, SPAN(""), 300, &err), 0);
	must(store_grants_end_user(r->a, "ada", 80, &n, &err));
	assert_int_equal(n, 1);
	must(store_grants_end_client(r->a, "c1", 90, &n, &err));
	assert_int_equal(n, 1);
	assert_grants(r->b, SPAN(""), SPAN(""), 0, "");
	assert_grants(r->b, SPAN(""), SPAN(""), 80, "b0:Client c1 c0: ");
}

static void
test_codes(void **state)
{
	struct store_pair *r = *state;
	struct store_code c = { .user = "ada", .client = "c", .redirect = "http://127.0.0.1/cb", .scopes = 3,
		.challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", .created_ms = 1, .expires_ms = 100 }, got;
	struct store_code unused = c;

	memset(c.digest, 0, sizeof(c.digest)); /* zeros are bytes as others */
	memset(unused.digest, 0x80, sizeof(unused.digest));
	must(store_code_add(r->a, &c, &err));
	must(store_code_add(r->a, &unused, &err));
	assert_int_equal(store_code_take(r->b, c.digest, 5, &got, &err), STORE_TAKE_FIRST);
	assert_string_equal(got.challenge, c.challenge);
	assert_string_equal(got.grant, "");
	must(store_code_granted(r->b, c.digest, "g000000000000000", &err));
	assert_int_equal(store_code_take(r->a, c.digest, 6, &got, &err), STORE_TAKE_AGAIN);
	assert_string_equal(got.grant, "g000000000000000");
	must(store_codes_end(r->a, "ada", &err));
	assert_int_equal(store_code_take(r->b, unused.digest, 7, &got, &err), STORE_TAKE_UNKNOWN);
	assert_int_equal(store_code_take(r->b, c.digest, 7, &got, &err), STORE_TAKE_AGAIN);
}

static void
test_devices(void **state)
{
	struct store_pair *r = *state;
	struct store_device d = { .client = "c", .scopes = 0x80000003, .resource = "http://127.0.0.1/mcp",
		.issuer = "http://127.0.0.1", .address = "203.0.113.7", .created_ms = UINT64_C(1795000000000),
		.expires_ms = UINT64_C(1795000900000), .pause_ms = 5000 }, got;
	const uint64_t now = d.created_ms + 1;
	uint64_t n;

	memset(d.digest, 0, sizeof(d.digest));
	memset(d.word, 0xff, sizeof(d.word));
	must(store_device_add(r->a, &d, &err));
	memset(got.digest, 7, sizeof(got.digest));
	assert_int_equal(store_device(r->b, got.digest, &got, &err), 0);
	assert_int_equal(store_device_named(r->b, d.word, &got, &err), 1);
	assert_memory_equal(got.digest, d.digest, sizeof(d.digest));
	assert_int_equal(got.scopes, d.scopes);
	assert_int_equal(got.expires_ms, d.expires_ms);
	assert_string_equal(got.address, "203.0.113.7");
	assert_string_equal(got.user, "");
	must(store_devices_waiting(r->b, now, &n, &err));
	assert_int_equal(n, 1);
	must(store_devices_waiting(r->b, d.expires_ms, &n, &err));
	assert_int_equal(n, 0);
	must(store_device_polled(r->a, d.digest, now, 10000, &err));

	/* Decided once, taken once, whoever asks. */
	assert_int_equal(store_device_take(r->b, d.digest, now, &err), 0);
	assert_int_equal(store_device_decide(r->a, d.digest, STORE_DEVICE_ALLOWED, "ada", d.scopes, " stock ",
			     d.expires_ms, &err),
	    0);
	assert_int_equal(store_device_decide(r->a, d.digest, STORE_DEVICE_ALLOWED, "ada", d.scopes, " stock ", now,
			     &err),
	    1);
	assert_int_equal(store_device_decide(r->b, d.digest, STORE_DEVICE_DENIED, "bob", 0, "", now, &err), 0);
	assert_int_equal(store_device(r->b, d.digest, &got, &err), 1);
	assert_int_equal(got.state, STORE_DEVICE_ALLOWED);
	assert_int_equal(got.scopes, d.scopes);
	assert_string_equal(got.named.text, " stock ");
	assert_int_equal(got.polled_ms, now);
	assert_int_equal(got.pause_ms, 10000);
	assert_string_equal(got.user, "ada");
	assert_int_equal(store_device_take(r->b, d.digest, now, &err), 1);
	assert_int_equal(store_device_take(r->a, d.digest, now, &err), 0);
	must(store_device_granted(r->a, d.digest, "g000000000000000", &err));
	must(store_codes_end(r->a, "ada", &err));
	assert_int_equal(store_device(r->b, d.digest, &got, &err), 1); /* what was taken is remembered */
	assert_string_equal(got.grant, "g000000000000000");

	memset(d.digest, 1, sizeof(d.digest));
	memset(d.word, 1, sizeof(d.word));
	must(store_device_add(r->b, &d, &err));
	assert_int_equal(store_device_decide(r->b, d.digest, STORE_DEVICE_ALLOWED, "ada", 3, " stock ", now, &err), 1);
	assert_int_equal(store_device(r->a, d.digest, &got, &err), 1); /* as the version before decides: no tools */
	assert_int_equal(got.scopes, 3);
	assert_string_equal(got.named.text, "");
	must(store_codes_end(r->a, "ada", &err));
	assert_int_equal(store_device(r->b, d.digest, &got, &err), 0);
	must(store_oauth_sweep(r->a, d.expires_ms + 900001, 0, &err));
	memset(d.digest, 0, sizeof(d.digest));
	assert_int_equal(store_device(r->b, d.digest, &got, &err), 0);
}

static void
test_sessions_and_consents(void **state)
{
	struct store_pair *r = *state;
	struct store_session s = { .user = "ada", .created_ms = 1, .expires_ms = 100 }, got;
	struct store_consent consent;
	char redirect[32];
	struct buf out = { 0 };
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		memset(s.digest, i, sizeof(s.digest));
		must(store_session_add(r->a, &s, &err));
	}
	must(store_session_end(r->a, s.digest, &err));
	assert_int_equal(store_session(r->b, s.digest, &got, &err), 0);
	must(store_sessions_end(r->b, "ada", &n, &err));
	assert_int_equal(n, 2);

	for (int i = 0; i < STORE_CONSENTS_MAX + 3; i++) {
		snprintf(redirect, sizeof(redirect), "http://127.0.0.1:%d/", 2000 + i);
		must(store_consent_set(r->a, "ada", "c", redirect, 1, "", 10 + (uint64_t)i, &err));
	}
	must(store_consent_set(r->a, "ada", "c", redirect, 0x80000001, " stock ", 99, &err));
	assert_int_equal(store_consent(r->b, "ada", SPAN("c"), SPAN("http://127.0.0.1:2002/"), &consent, &err), 1);
	assert_false(consent.exact); /* the oldest are forgotten */
	assert_int_equal(consent.at_ms, 99);
	assert_int_equal(consent.scopes, 0x80000001);
	assert_string_equal(consent.named.text, " stock ");
	assert_int_equal(store_consent(r->b, "ada", SPAN("c"), SPAN("http://127.0.0.1:2003/"), &consent, &err), 1);
	assert_true(consent.exact);
	assert_int_equal(store_consent(r->b, "bob", SPAN("c"), SPAN(""), &consent, &err), 0);

	must(store_preferences_set(r->a, SPAN("local:0"), SPAN("{\"a\":1}"), &err));
	must(store_preferences_set(r->a, SPAN("local:0"), SPAN("{\"a\":2}"), &err));
	assert_int_equal(store_preferences(r->b, SPAN("local:0"), &out, &err), 1);
	assert_buf(&out, "{\"a\":2}");
	must(store_preferences_set(r->b, SPAN("local:0"), SPAN(""), &err));
	assert_int_equal(store_preferences(r->a, SPAN("local:0"), &out, &err), 0);
	buf_fini(&out);
}

static bool
put_key(void *arg, const struct store_key *k)
{
	buf_printf(arg, "%s:%d:%02x ", k->kid, (int)k->until_ms, (unsigned)k->sealed[STORE_SEALED - 1] + k->public[31]);
	return true;
}

static void
test_keys_and_sweep(void **state)
{
	struct store_pair *r = *state;
	struct store_key k = { .kid = "old", .created_ms = 1 }, k2 = { .kid = "new", .created_ms = 2 };
	struct store_session s = { .user = "ada", .expires_ms = 10 };
	struct store_code used = { .user = "ada", .client = "c", .expires_ms = 10 }, kept = used, got;
	struct store_grant g = grant_of("a000000000000000", "ada", "c");
	struct buf all = { 0 };

	memset(k.sealed, 0x7f, sizeof(k.sealed));
	memset(k.public, 0x80, sizeof(k.public));
	must(store_key_add(r->a, &k, &err));
	must(store_keys_retire(r->a, 20, &err));
	must(store_key_add(r->a, &k2, &err));
	must(store_keys(r->b, put_key, &all, &err));
	assert_buf(&all, "new:0:00 old:20:ff ");
	buf_reset(&all, 1000);

	must(store_session_add(r->a, &s, &err));
	memset(kept.digest, 1, sizeof(kept.digest));
	must(store_code_add(r->a, &used, &err));
	must(store_code_add(r->a, &kept, &err));
	must(store_grant_add(r->a, &g, &err));
	must(store_code_granted(r->a, kept.digest, g.id, &err)); /* a replay must still be noticed */
	must(store_oauth_sweep(r->b, 50, 30, &err));
	assert_int_equal(store_session(r->a, s.digest, &s, &err), 0);
	assert_int_equal(store_code_take(r->a, used.digest, 60, &got, &err), STORE_TAKE_UNKNOWN);
	assert_int_equal(store_code_take(r->a, kept.digest, 60, &got, &err), STORE_TAKE_FIRST);
	assert_int_equal(store_grant(r->a, span_str(g.id), &g, &err), 1);
	must(store_keys(r->a, put_key, &all, &err));
	assert_buf(&all, "new:0:00 ");
	must(store_oauth_sweep(r->b, 500, 400, &err));
	assert_int_equal(store_grant(r->a, span_str(g.id), &g, &err), 0);
	buf_fini(&all);
}

int
store_rows_oauth_tests(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_clients),
		PAIR_TEST(test_grants),
		PAIR_TEST(test_codes),
		PAIR_TEST(test_devices),
		PAIR_TEST(test_sessions_and_consents),
		PAIR_TEST(test_keys_and_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
