// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_tokens.c - connectivity tokens in a store of their own: form, states, uses, what others change. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/system/clock.h"
#include "policy/profile.h"
#include "policy/scopes.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/uses.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_token.h"

static char dir[64], path[80];

static void
make_files(void)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;

	snprintf(dir, sizeof(dir), "/tmp/carrel-tokens-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state.db", dir);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[96];
		int fd;

		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		assert_true((fd = open(name, O_CREAT | O_RDWR, 0600)) >= 0);
		close(fd);
	}
}

static void
remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

/* A process of its own on the same store. */
static struct auth *
open_auth(void)
{
	struct audit_settings audit = { .retention_days = 365 };
	struct auth *a = calloc(1, sizeof(*a));
	struct err err;

	assert_non_null(a);
	memset(a->conf.token_key, 7, sizeof(a->conf.token_key));
	snprintf(a->conf.token_prefix, sizeof(a->conf.token_prefix), "crlmcp");
	a->conf.max_tokens = 10;
	a->conf.connectivity = IPC_CONNECTIVITY_ON;
	if ((a->store = store_open(path, false, &err)) == NULL)
		fail_msg("%s", err.message);
	a->audit = audit_new(a->store, &audit);
	tokens_changed(a);
	assert_int_equal(connectivity_read(a, &err), 0);
	return a;
}

static void
close_auth(struct auth *a)
{
	uses_write(a, clock_unix_ms());
	audit_free(a->audit);
	store_close(a->store);
	free(a);
}

static int
set_up(void **state)
{
	make_files();
	*state = open_auth();
	return 0;
}

static int
tear_down(void **state)
{
	close_auth(*state);
	remove_files();
	return 0;
}

static struct store_token
make(struct auth *a, const char *label, bool reveal, uint64_t expires_ms, char text[TOKEN_TEXT])
{
	struct store_token t = { .scopes = POLICY_SCOPES_EXT, .expires_ms = expires_ms };
	struct err err;

	snprintf(t.label, sizeof(t.label), "%s", label);
	if (tokens_create(a, NULL, &t, reveal, text, &err) != 0)
		fail_msg("%s", err.message);
	return t;
}

static enum ipc_verdict
verdict(struct auth *a, const char *text)
{
	struct ipc_verified out;
	char principal[32];

	tokens_verify(a, span_str(text), clock_unix_ms(), &out, principal);
	return (enum ipc_verdict)out.verdict;
}

/* The names of tools stay with a token, and are told with its scopes. */
static void
test_tools(void **state)
{
	struct auth *a = *state;
	struct store_token t = { .scopes = 0, .label = "tools", .tools = " stock revenue " };
	struct ipc_verified out;
	char text[TOKEN_TEXT], principal[32];
	struct buf scopes = { 0 };
	struct err err;

	assert_int_equal(tokens_create(a, NULL, &t, true, text, &err), 0);
	tokens_verify(a, span_str(text), clock_unix_ms(), &out, principal);
	assert_int_equal(out.verdict, IPC_VERDICT_GOOD);
	assert_int_equal(out.scopes, 0);
	assert_true(span_is_str(out.tools, " stock revenue "));
	token_put_scopes(&scopes, POLICY_SCOPE_EXT_SQL, t.tools);
	assert_true(span_is_str(buf_view(&scopes),
	    "\x93\xa7"
	    "ext:sql\xab"
	    "tools:stock\xad"
	    "tools:revenue"));
	buf_fini(&scopes);
	make(a, "none", true, 0, text);
	tokens_verify(a, span_str(text), clock_unix_ms(), &out, principal);
	assert_int_equal(out.tools.len, 0);
}

static void
test_form(void **state)
{
	static const char *const others[] = { "", "crlmcp", "crlmcp__", "crlmcp_abcdefgh_",
		"crlmcp_abcdefgh_0123456789abcdef0123456789abcde", "crlmcp_abcdefgh_0123456789abcdef0123456789abcdef0",
		"crlmcp_abcdefgh_0123456789ABCDEF0123456789abcdef", "crlmcp_abcdefg__0123456789abcdef0123456789abcdef",
		"crlmcp_abcdefgh-0123456789abcdef0123456789abcdef", "other_abcdefgh_0123456789abcdef0123456789abcdef",
		"crlmcp-abcdefgh_0123456789abcdef0123456789abcdef", "crlmcp_abcdefgh_0123456789abcdef0123456789abcdeg" };
	struct span id, secret;

	(void)state;
	assert_true(token_split(SPAN("crlmcp_aB3defgh_0123456789abcdef0123456789abcdef"), "crlmcp", &id, &secret));
	assert_true(span_is(id, SPAN("aB3defgh")) && span_is(secret, SPAN("0123456789abcdef0123456789abcdef")));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(token_split(span_str(others[i]), "crlmcp", &id, &secret));
}

/* From creation to revocation; nothing of the secret is in the files. */
static void
test_life(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT], wrong[TOKEN_TEXT], principal[32], command[256];
	struct ipc_verified out;
	struct store_token t = make(a, "life", true, 0, text), found;
	struct err err;

	assert_int_equal(strlen(text), strlen("crlmcp_") + 8 + 1 + 32);
	tokens_verify(a, span_str(text), clock_unix_ms(), &out, principal);
	assert_int_equal(out.verdict, IPC_VERDICT_GOOD);
	assert_int_equal(out.scopes, POLICY_SCOPES_EXT);
	assert_true(span_begins(out.principal, "token:") && out.principal.len == 6 + 8);
	assert_memory_equal(t.last, text + strlen(text) - 4, 4);

	memcpy(wrong, text, sizeof(wrong));
	wrong[strlen(wrong) - 1] = wrong[strlen(wrong) - 1] == '0' ? '1' : '0';
	tokens_verify(a, span_str(wrong), clock_unix_ms(), &out, principal);
	assert_int_equal(out.verdict, IPC_VERDICT_INVALID);
	assert_int_equal(out.principal.len, 0);
	memcpy(wrong, text, sizeof(wrong));
	memcpy(wrong + 7, "zzzzzzzz", 8);
	assert_int_equal(verdict(a, wrong), IPC_VERDICT_INVALID);
	memcpy(wrong + 7, "00000000", 8);
	assert_int_equal(verdict(a, wrong), IPC_VERDICT_INVALID);

	assert_int_equal(tokens_find(a, SPAN("life"), &found, &err), 0);
	assert_string_equal(found.id, t.id);
	assert_int_equal(tokens_revoke(a, NULL, &found, &err), 0);
	assert_int_equal(verdict(a, text), IPC_VERDICT_REVOKED);
	assert_false(uses_count(a, SPAN("token:zzzzzzzz"), clock_unix_ms()));
	snprintf(command, sizeof(command), "! grep -a -q %s %s*", text + strlen(text) - 32, path);
	assert_int_equal(system(command), 0);
}

static void
test_pending(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT] = "";
	struct store_token t = make(a, "later", false, 0, text);
	struct err err;

	assert_string_equal(text, "");
	assert_int_equal(token_state(&t, t.created_ms), TOKEN_PENDING);
	assert_int_equal(token_state(&t, t.created_ms + TOKEN_LAPSE_MS - 1), TOKEN_PENDING);
	assert_int_equal(token_state(&t, t.created_ms + TOKEN_LAPSE_MS), TOKEN_EXPIRED);
	assert_int_equal(tokens_reveal(a, NULL, &t, text, &err), 0);
	assert_int_equal(verdict(a, text), IPC_VERDICT_GOOD);
	assert_int_equal(tokens_reveal(a, NULL, &t, text, &err), -1);
	assert_non_null(strstr(err.message, "active"));
}

static bool
count_lapse(void *arg, uint64_t seq, struct span text, struct span hash)
{
	char entry[AUDIT_ENTRY_MAX + 1];
	unsigned *n = arg;

	(void)seq;
	(void)hash;
	snprintf(entry, sizeof(entry), "%.*s", SPAN_FMT(text));
	*n += strstr(entry, "\"action\":\"token.lapse\"") != NULL;
	return true;
}

/* A day later it lapses, which is written once. */
static void
test_lapse(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT];
	struct store_token t = make(a, "never", false, 0, text), now;
	unsigned entries = 0;
	struct err err;

	tokens_tend(a, t.created_ms + TOKEN_LAPSE_MS + 1);
	assert_int_equal(store_token(a->store, span_str(t.id), &now, &err), 1);
	assert_int_equal(now.expires_ms, t.created_ms + TOKEN_LAPSE_MS);
	assert_int_equal(token_state(&now, t.created_ms + TOKEN_LAPSE_MS + 1), TOKEN_EXPIRED);
	tokens_tend(a, t.created_ms + TOKEN_LAPSE_MS + 2 * 3600000);
	assert_int_equal(store_audit_rows(a->store, 0, true, SIZE_MAX, count_lapse, &entries, &err), 0);
	assert_int_equal(entries, 1);
}

static void
test_expiry(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT], principal[32];
	uint64_t now = clock_unix_ms();
	struct store_token t = make(a, "short", true, now + 5000, text);
	struct ipc_verified out;

	tokens_verify(a, span_str(text), now, &out, principal);
	assert_int_equal(out.verdict, IPC_VERDICT_GOOD);
	assert_int_equal(out.keep_ms, 5000);
	snprintf(principal, sizeof(principal), "token:%s", t.id);
	assert_true(uses_count(a, span_str(principal), now + 4999));
	assert_false(uses_count(a, span_str(principal), now + 5000));
	tokens_verify(a, span_str(text), now + 5000, &out, principal);
	assert_int_equal(out.verdict, IPC_VERDICT_EXPIRED);
}

static void
test_off(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT], principal[32];
	struct store_token t = make(a, "off", true, 0, text);

	a->enabled = false;
	assert_int_equal(verdict(a, text), IPC_VERDICT_INVALID);
	snprintf(principal, sizeof(principal), "token:%s", t.id);
	assert_false(uses_count(a, span_str(principal), clock_unix_ms()));
}

static void
test_max(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT], label[16];
	struct store_token t = { .scopes = 1 };
	struct err err;

	for (int i = 0; i < 10; i++) {
		snprintf(label, sizeof(label), "n%d", i);
		t = make(a, label, i % 2 == 0, 0, text);
	}
	snprintf(t.label, sizeof(t.label), "one more");
	assert_int_equal(tokens_create(a, NULL, &t, true, text, &err), -1);
	assert_non_null(strstr(err.message, "revoke one first"));
	assert_int_equal(tokens_find(a, SPAN("n3"), &t, &err), 0);
	assert_int_equal(tokens_revoke(a, NULL, &t, &err), 0);
	t = make(a, "n3", true, 0, text);
	/* Two have that label now. */
	assert_int_equal(tokens_find(a, SPAN("n3"), &t, &err), -1);
	assert_non_null(strstr(err.message, "2 tokens"));
	assert_int_equal(tokens_find(a, SPAN("no such"), &t, &err), -1);
}

/* Counted in memory, written from time to time and at the end. */
static void
test_uses(void **state)
{
	struct auth *a = *state;
	char text[TOKEN_TEXT], principal[32];
	uint64_t now = clock_unix_ms();
	struct store_token t = make(a, "used", true, 0, text), seen;
	struct err err;

	snprintf(principal, sizeof(principal), "token:%s", t.id);
	tokens_tend(a, now);
	for (int i = 0; i < 100; i++)
		assert_true(uses_count(a, span_str(principal), now + 7));
	tokens_tend(a, now + 100);
	assert_int_equal(store_token(a->store, span_str(t.id), &seen, &err), 1);
	assert_int_equal(seen.requests, 0);
	tokens_tend(a, now + 5100);
	assert_int_equal(store_token(a->store, span_str(t.id), &seen, &err), 1);
	assert_int_equal(seen.requests, 100);
	assert_int_equal(seen.last_used_ms, now + 7);
	assert_true(uses_count(a, span_str(principal), now + 6000));
	close_auth(a);
	*state = a = open_auth();
	assert_int_equal(store_token(a->store, span_str(t.id), &seen, &err), 1);
	assert_int_equal(seen.requests, 101);
}

/* More tokens than are kept in memory. */
static void
test_many_uses(void **state)
{
	struct auth *a = *state;
	static char ids[AUTH_USES + 50][STORE_TOKEN_ID + 1];
	char text[TOKEN_TEXT], principal[32];
	uint64_t total = 0, now = clock_unix_ms();
	struct store_token t;
	struct err err;

	a->conf.max_tokens = 1000;
	for (size_t i = 0; i < AUTH_USES + 50; i++) {
		t = make(a, "many", true, 0, text);
		memcpy(ids[i], t.id, sizeof(t.id));
	}
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < AUTH_USES + 50; i++) {
			snprintf(principal, sizeof(principal), "token:%.8s", ids[i]);
			assert_true(uses_count(a, span_str(principal), now));
		}
	uses_write(a, now);
	for (size_t i = 0; i < AUTH_USES + 50; i++) {
		assert_int_equal(store_token(a->store, span_str(ids[i]), &t, &err), 1);
		total += t.requests;
	}
	assert_int_equal(total, 3 * (AUTH_USES + 50));
}

/* What another process does is seen at its next look. */
static void
test_two_processes(void **state)
{
	struct auth *a = *state, *b = open_auth();
	char text[TOKEN_TEXT], principal[32];
	struct store_token t = make(b, "theirs", true, 0, text);
	struct err err;

	assert_int_equal(verdict(a, text), IPC_VERDICT_GOOD);
	snprintf(principal, sizeof(principal), "token:%s", t.id);
	assert_true(uses_count(a, span_str(principal), clock_unix_ms()));
	assert_int_equal(tokens_revoke(b, NULL, &t, &err), 0);
	tokens_tend(a, clock_unix_ms());
	assert_false(uses_count(a, span_str(principal), clock_unix_ms()));
	assert_int_equal(verdict(a, text), IPC_VERDICT_REVOKED);
	/* Not both of them draw a secret. */
	t = make(a, "pending", false, 0, text);
	assert_int_equal(tokens_reveal(b, NULL, &t, text, &err), 0);
	assert_int_equal(verdict(a, text), IPC_VERDICT_GOOD);
	assert_int_equal(tokens_reveal(a, NULL, &t, text, &err), -1);
	close_auth(b);
}

/* The clock is set forward by years, and back: what it says counts, and nothing stands still or fails. */
static void
test_clock(void **state)
{
	static const int64_t jumps[] = { 0, 400, -400, 4000, -5000, 10 }; /* days */
	struct auth *a = *state;
	char text[TOKEN_TEXT], principal[32];
	uint64_t now = clock_unix_ms(), end = now + 30 * UINT64_C(86400000);
	struct ipc_verified out;
	struct store_token found;
	struct store_token t = make(a, "jumps", true, end, text);
	struct err err;

	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		uint64_t at = now + (uint64_t)(jumps[i] * 86400000);

		tokens_tend(a, at);
		tokens_verify(a, span_str(text), at, &out, principal);
		assert_int_equal(out.verdict, at >= end ? IPC_VERDICT_EXPIRED : IPC_VERDICT_GOOD);
		if (out.verdict == IPC_VERDICT_GOOD) {
			assert_true(out.keep_ms > 0 && out.keep_ms <= 60000);
			assert_true(uses_count(a, span_str(principal), at));
		}
		tokens_tend(a, at);
		assert_true(a->sweep_due_ms == 0 || a->sweep_due_ms >= at);
	}
	uses_write(a, now);
	assert_int_equal(store_token(a->store, span_str(t.id), &found, &err), 1);
	assert_int_equal(found.requests, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test_setup_teardown(test_life, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_tools, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pending, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_lapse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_expiry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_max, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_uses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_uses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_two_processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_clock, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
