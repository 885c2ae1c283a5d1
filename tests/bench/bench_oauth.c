/* bench_oauth.c - what OAuth costs carrel-auth: a grant verified, a token refreshed, for one core. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "policy/profile.h"
#include "policy/scopes.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_user.h"

#define ISSUER	"http://127.0.0.1:7878"
#define GRANTS	1000u
#define ROUNDS	20u
#define MOST_NS	50000.0	/* beside what the front does */

static char dir[64], path[80];

static void
make_store(void)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char name[100];
	int fd;

	snprintf(dir, sizeof(dir), "/tmp/carrel-bench-XXXXXX");
	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof(path), "%s/state.db", dir);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		if ((fd = open(name, O_CREAT | O_RDWR, 0600)) < 0)
			abort();
		close(fd);
	}
}

static void
remove_store(void)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char name[100];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		(void)unlink(name);
	}
	(void)rmdir(dir);
}

static void
fill(struct auth *a, uint64_t now)
{
	struct store_user u = { .name = "ada", .role = "contributor", .created_ms = now };
	struct store_client c = { .id = "a client", .name = "A client", .source = IPC_CLIENT_CONFIGURED };
	struct err err;

	if (store_begin(a->store, &err) != 0 || store_user_add(a->store, &u, &err) != 0 ||
	    store_client_add(a->store, &c, &err) != 0)
		abort();
	for (unsigned i = 0; i < GRANTS; i++) {
		struct store_grant g = { .user = "ada", .client = "a client", .scopes = POLICY_SCOPES_RESEARCH,
			.issuer = ISSUER, .turn = 1, .created_ms = now, .turned_ms = now,
			.expires_ms = now + 86400000 };

		snprintf(g.id, sizeof(g.id), "%016u", i);
		if (store_grant_add(a->store, &g, &err) != 0)
			abort();
	}
	if (store_commit(a->store, &err) != 0)
		abort();
}

static double
verify_all(struct auth *a, uint64_t now)
{
	uint64_t since = clock_ns();
	struct ipc_verified out;
	char id[STORE_GRANT_ID + 1], principal[80];

	for (unsigned i = 0; i < ROUNDS * GRANTS; i++) {
		snprintf(id, sizeof(id), "%016u", i % GRANTS);
		redeem_verify(a, span_str(id), now, &out, principal);
		if (out.verdict != IPC_VERDICT_GOOD)
			abort();
	}
	return (double)(clock_ns() - since) / (ROUNDS * GRANTS);
}

static double
refresh_all(struct auth *a, uint64_t now)
{
	uint64_t since = clock_ns();

	for (unsigned i = 0; i < GRANTS; i++) {
		char id[STORE_GRANT_ID + 1], token[OAUTH_REFRESH_MAX + 1];
		struct ipc_redeem m = { .issuer = SPAN(ISSUER), .address = SPAN("127.0.0.1"),
			.grant_type = SPAN("refresh_token"), .client_id = SPAN("a client") };
		struct redeem_said said;
		struct ipc_redeemed out;

		snprintf(id, sizeof(id), "%016u", i);
		refresh_make(a->conf.refresh_key, id, 1, token);
		m.refresh_token = span_str(token);
		redeem_answer(a, &m, now, &said, &out);
		if (out.outcome != IPC_OAUTH_DONE)
			abort();
		redeem_said_fini(&said);
	}
	return (double)(clock_ns() - since) / GRANTS;
}

int
main(void)
{
	struct audit_settings audit = { .retention_days = 365 };
	struct auth *a = mem_new(1, sizeof(*a));
	uint64_t now = clock_unix_ms();
	struct err err;
	double verified, refreshed;

	if (sodium_init() < 0)
		return 1;
	make_store();
	a->conf.oauth = true;
	a->conf.public_url = mem_text(SPAN(""));
	a->conf.port = 7878;
	a->conf.access_ttl_s = 900;
	a->conf.refresh_ttl_days = 14;
	a->conf.refresh_max_days = 90;
	a->conf.authorize_per_min = a->conf.register_per_min = 10;
	if ((a->store = store_open(path, false, &err)) == NULL)
		abort();
	a->audit = audit_new(a->store, &audit);
	if (oauth_open(a, &err) != 0)
		abort();
	fill(a, now);
	verified = verify_all(a, now);
	refreshed = refresh_all(a, now);
	printf("a grant looked up by carrel-auth: %.1f us; a token refreshed, with its record: %.1f us\n",
	    verified / 1000, refreshed / 1000);
	oauth_close(a);
	audit_free(a->audit);
	store_close(a->store);
	free(a->conf.public_url);
	free(a);
	remove_store();
	return verified <= MOST_NS ? 0 : 1;
}
