/* store_rows.c - settings, tokens, users, datasets and transactions of the state store. */
#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_dataset.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/store/store_user.h"

static struct err err;

static void
test_settings(void **state)
{
	struct store_pair *r = *state;
	struct buf out = { 0 };

	assert_int_equal(store_setting(r->a, "connectivity", &out, &err), 0);
	must(store_set_setting(r->a, "connectivity", SPAN("off"), &err));
	must(store_set_setting(r->a, "connectivity", SPAN("an: \xc3\xa4"), &err));
	assert_int_equal(store_setting(r->b, "connectivity", &out, &err), 1);
	assert_buf(&out, "an: \xc3\xa4");
	buf_fini(&out);
}

static struct store_token
token_of(const char *id, const char *label, uint64_t created_ms)
{
	struct store_token t = {
		.scopes = 0x80000005, .created_ms = created_ms, .expires_ms = UINT64_C(1795000000000)
	};

	snprintf(t.id, sizeof(t.id), "%s", id);
	snprintf(t.label, sizeof(t.label), "%s", label);
	return t;
}

static bool
put_id(void *arg, const struct store_token *t)
{
	buf_printf(arg, "%s ", t->id);
	return ((struct buf *)arg)->len < 18;
}

static void
test_tokens(void **state)
{
	struct store_pair *r = *state;
	struct store_token t = token_of("bbbbbbbb", "one", 2), pending = token_of("AAAAAAAA", "two", 1), got;
	struct buf ids = { 0 };
	char id[STORE_TOKEN_ID + 1] = "";
	size_t n;

	t.has_secret = true;
	memset(t.mac, 0xe1, sizeof(t.mac));
	memcpy(t.last, "cdef", 5);
	must(store_token_add(r->a, &t, &err));
	must(store_token_add(r->a, &pending, &err));
	assert_int_equal(store_token_add(r->b, &pending, &err), -1);
	assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);

	assert_int_equal(store_token(r->b, SPAN("bbbbbbbb"), &got, &err), 1);
	assert_memory_equal(&got, &t, sizeof(t));
	assert_int_equal(store_token(r->b, SPAN("AAAAAAAA"), &got, &err), 1);
	assert_false(got.has_secret);
	assert_string_equal(got.last, "");
	/* Before, between and behind them; the case of a letter counts. */
	assert_int_equal(store_token(r->b, SPAN("00000000"), &got, &err), 0);
	assert_int_equal(store_token(r->b, SPAN("aaaaaaaa"), &got, &err), 0);
	assert_int_equal(store_token(r->b, SPAN("zzzzzzzz"), &got, &err), 0);

	must(store_token_labelled(r->a, SPAN("One"), id, &n, &err));
	assert_int_equal(n, 0);
	must(store_token_labelled(r->a, SPAN("one"), id, &n, &err));
	assert_int_equal(n, 1);
	assert_string_equal(id, "bbbbbbbb");
	t = token_of("cccccccc", "one", 1);
	must(store_token_add(r->a, &t, &err));
	must(store_token_labelled(r->a, SPAN("one"), id, &n, &err));
	assert_int_equal(n, 2);
	must(store_tokens(r->b, put_id, &ids, &err));
	assert_buf(&ids, "AAAAAAAA cccccccc ");
	buf_fini(&ids);
}

static void
test_token_changes(void **state)
{
	struct store_pair *r = *state;
	struct store_token t = token_of("AAAAAAAA", "two", 1000), other = t, got;

	must(store_token_add(r->a, &t, &err));
	must(store_token_lapse(r->a, t.id, 500, &err));
	memset(t.mac, 1, sizeof(t.mac));
	memcpy(t.last, "1111", 5);
	must(store_token_reveal(r->a, &t, &err));
	/* A secret is there: neither another one nor a lapse. */
	memset(other.mac, 2, sizeof(other.mac));
	must(store_token_reveal(r->b, &other, &err));
	must(store_token_lapse(r->b, t.id, 900, &err));
	must(store_token_used(r->a, t.id, 3, 70, &err));
	must(store_token_used(r->b, t.id, UINT64_C(5000000000), 60, &err));
	must(store_token_revoke(r->a, t.id, 90, &err));
	must(store_token_revoke(r->b, t.id, 95, &err));
	assert_int_equal(store_token(r->b, span_str(t.id), &got, &err), 1);
	assert_memory_equal(got.mac, t.mac, sizeof(t.mac));
	assert_string_equal(got.last, "1111");
	assert_int_equal(got.expires_ms, 1500);
	assert_int_equal(got.requests, UINT64_C(5000000003));
	assert_int_equal(got.last_used_ms, 70);
	assert_int_equal(got.revoked_ms, 90);
}

static bool
put_user(void *arg, const struct store_user *u)
{
	buf_printf(arg, "%s:%s:%d:%d ", u->name, u->role, (int)u->grants, (int)u->sessions);
	return true;
}

static void
test_users(void **state)
{
	struct store_pair *r = *state;
	struct store_user u = { .name = "zo\xc3\xab", .role = "admin", .created_ms = 5 },
			  v = { .name = "Ada", .role = "viewer", .digest = "$argon2id$", .disabled = true }, got;
	struct store_session s = { .created_ms = 1, .expires_ms = 100 };
	struct store_grant g = { .id = "0123456789abcdef", .user = "Ada", .client = "c", .expires_ms = 100 };
	struct buf all = { 0 };
	uint64_t n;

	must(store_user_add(r->a, &u, &err));
	must(store_user_add(r->a, &v, &err));
	assert_int_equal(store_user(r->b, SPAN("ada"), &got, &err), 0);
	assert_int_equal(store_user(r->b, SPAN("Ada"), &got, &err), 1);
	assert_true(got.disabled);
	assert_string_equal(got.digest, "$argon2id$");
	must(store_users_of_role(r->b, "viewer", &n, &err));
	assert_int_equal(n, 0);
	v.disabled = false;
	v.changed_ms = 77;
	must(store_user_set(r->a, &v, &err));
	must(store_user_login(r->a, "Ada", 88, &err));
	must(store_users_of_role(r->b, "viewer", &n, &err));
	assert_int_equal(n, 1);
	assert_int_equal(store_user(r->b, SPAN("Ada"), &got, &err), 1);
	assert_int_equal(got.changed_ms, 77);
	assert_int_equal(got.last_login_ms, 88);

	memset(s.digest, 0xff, sizeof(s.digest));
	snprintf(s.user, sizeof(s.user), "Ada");
	must(store_session_add(r->a, &s, &err));
	must(store_grant_add(r->a, &g, &err));
	must(store_users(r->b, 50, put_user, &all, &err));
	assert_buf(&all, "Ada:viewer:1:1 zo\xc3\xab:admin:0:0 ");
	buf_reset(&all, 1000);
	must(store_preferences_set(r->a, SPAN("user:Ada"), SPAN("{}"), &err));
	must(store_user_remove(r->a, "Ada", &err));
	assert_int_equal(store_session(r->b, s.digest, &s, &err), 0);
	assert_int_equal(store_preferences(r->b, SPAN("user:Ada"), &all, &err), 0);
	must(store_users(r->b, 200, put_user, &all, &err));
	assert_buf(&all, "zo\xc3\xab:admin:0:0 ");
	buf_fini(&all);
}

static void
put_dataset(void *arg, const struct store_dataset *d)
{
	buf_printf(arg, "%s:%s:%d ", d->name, d->type, (int)d->since_ms);
}

static void
test_datasets(void **state)
{
	struct store_pair *r = *state;
	struct store_dataset d = { .id = "0b4cf2b1-1111-4111-8111-0123456789ab", .type = "table",
		.name = "\xc3\x89tat Orders",
		.connection = "shop", .db = "public", .table = "orders", .created_ms = 10, .since_ms = 10 },
			     other = d, got;
	struct buf all = { 0 };
	uint64_t n;

	must(store_dataset_add(r->a, &d, &err));
	assert_int_equal(store_dataset(r->b, SPAN("0B4CF2B1-1111-4111-8111-0123456789AB"), &got, &err), 1);
	/* ASCII letters of either case, others as they are. */
	assert_int_equal(store_dataset(r->b, SPAN("\xc3\x89TAT oRDERS"), &got, &err), 1);
	assert_string_equal(got.table, "orders");
	assert_int_equal(store_dataset(r->b, SPAN("\xc3\xa9tat orders"), &got, &err), 0);
	other.id[0] = '1';
	memcpy(other.table, "lines", 6);
	memcpy(other.name, "\xc3\x89tat ORDERS", 12);
	assert_int_equal(store_dataset_add(r->b, &other, &err), -1); /* the name is taken */

	must(store_dataset_end(r->a, d.id, false, &err));
	assert_int_equal(store_dataset(r->b, span_str(d.id), &got, &err), 0);
	assert_int_equal(store_dataset_of(r->b, &d, &got, &err), 1);
	assert_false(got.published);
	must(store_dataset_add(r->b, &other, &err)); /* and is free again */
	memcpy(d.name, "Sales", 6);
	d.since_ms = 30;
	must(store_dataset_again(r->a, &d, &err));
	d.since_ms = 40; /* it is published: as before */
	must(store_dataset_again(r->a, &d, &err));

	other = (struct store_dataset){ .id = "2b4cf2b1-1111-4111-8111-0123456789ab", .type = "csv",
		.connection = "files",
		.table = "plan" };
	must(store_dataset_imported(r->a, &other, &err));
	memcpy(other.type, "xlsx", 5);
	other.id[0] = '3';
	must(store_dataset_imported(r->a, &other, &err));
	assert_int_equal(store_dataset_of(r->b, &other, &got, &err), 1);
	assert_string_equal(got.type, "xlsx");
	assert_int_equal(got.id[0], '2');
	must(store_datasets_count(r->b, &n, &err));
	assert_int_equal(n, 2);
	must(store_datasets(r->b, put_dataset, &all, &err));
	assert_buf(&all, "Sales:table:30 \xc3\x89tat ORDERS:table:10 ");
	must(store_dataset_end(r->a, d.id, true, &err));
	assert_int_equal(store_dataset_of(r->b, &d, &got, &err), 0);
	buf_fini(&all);
}

static void
test_transactions(void **state)
{
	struct store_pair *r = *state;
	struct store_token t = token_of("AAAAAAAA", "one", 1), got;
	struct buf out = { 0 };

	/* As a whole or not at all, also after a refused statement. */
	must(store_begin(r->a, &err));
	assert_int_equal(store_begin(r->a, &err), -1);
	assert_int_equal(err.code, ERR_INTERNAL);
	must(store_set_setting(r->a, "a", SPAN("1"), &err));
	must(store_token_add(r->a, &t, &err));
	assert_int_equal(store_token(r->b, span_str(t.id), &got, &err), 0);
	assert_int_equal(store_token_add(r->a, &t, &err), -1);
	store_rollback(r->a);
	assert_int_equal(store_setting(r->a, "a", &out, &err), 0);
	store_rollback(r->a);

	must(store_begin(r->a, &err));
	must(store_set_setting(r->a, "a", SPAN("2"), &err));
	must(store_commit(r->a, &err));
	assert_int_equal(store_setting(r->b, "a", &out, &err), 1);

	/* One moment, whatever others write. */
	must(store_begin_look(r->b, &err));
	assert_int_equal(store_setting(r->b, "b", &out, &err), 0);
	must(store_begin(r->a, &err));
	must(store_set_setting(r->a, "b", SPAN("3"), &err));
	must(store_commit(r->a, &err));
	assert_int_equal(store_setting(r->b, "b", &out, &err), 0);
	must(store_commit(r->b, &err));
	assert_int_equal(store_setting(r->b, "b", &out, &err), 1);
	assert_buf(&out, "23");
	buf_fini(&out);
}

static void
test_changed_elsewhere(void **state)
{
	struct store_pair *r = *state;

	usleep(300000); /* PostgreSQL is asked four times a second */
	(void)store_changed_elsewhere(r->a);
	(void)store_changed_elsewhere(r->b);
	must(store_begin(r->a, &err));
	must(store_set_setting(r->a, "a", SPAN("2"), &err));
	must(store_commit(r->a, &err));
	usleep(300000);
	assert_false(store_changed_elsewhere(r->a));
	assert_true(store_changed_elsewhere(r->b));
	assert_false(store_changed_elsewhere(r->b));
	/* Another one's between two of ours. */
	must(store_begin(r->b, &err));
	must(store_set_setting(r->b, "b", SPAN("2"), &err));
	must(store_commit(r->b, &err));
	must(store_begin(r->a, &err));
	must(store_set_setting(r->a, "a", SPAN("3"), &err));
	must(store_commit(r->a, &err));
	usleep(300000);
	assert_true(store_changed_elsewhere(r->a));
	assert_true(store_changed_elsewhere(r->b));
	/* Uses are nothing that another node must hear of at once. */
	must(store_begin_uses(r->a, &err));
	must(store_token_used(r->a, "AAAAAAAA", 1, 1, &err));
	must(store_commit(r->a, &err));
	usleep(300000);
	if (pair_is_postgres())
		assert_false(store_changed_elsewhere(r->b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_settings),
		PAIR_TEST(test_tokens),
		PAIR_TEST(test_token_changes),
		PAIR_TEST(test_users),
		PAIR_TEST(test_datasets),
		PAIR_TEST(test_transactions),
		PAIR_TEST(test_changed_elsewhere),
	};
	int failed;

	cmocka_set_test_filter(getenv("CARREL_TEST")); /* a pattern; NULL: all */
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	failed += store_rows_oauth_tests() + store_nodes_tests() + store_copied_tests() + store_auth_tests() +
	    store_counts_tests() + store_audits_tests();
	return pair_is_postgres() ? failed + store_files_tests() + store_postgres_away_tests() : failed;
}
