/* store_copied.c - a store that is moved from one database to another, and back: the same rows, and no audit. */
#include <sqlite3.h>

#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_copy.h"
#include "workers/auth/store/store_dataset.h"
#include "workers/auth/store/store_device.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/store/store_user.h"

static struct err err;

/* A row of each kind, the odd ones too: NULL, empty, the largest number, bytes of any value. */
static void
fill(struct store *s)
{
	struct store_token pending = { .id = "AAAAAAAA", .label = "p\xc3\xa4nding", .scopes = 1, .created_ms = 1 },
			   good = { .id = "BBBBBBBB", .has_secret = true, .last = "cdef", .tools = " one two ",
				.scopes = UINT32_MAX,
				.expires_ms = INT64_MAX };
	struct store_user u = { .name = "ada", .role = "admin", .created_ms = 1 };
	struct store_client c = { .id = "c", .name = "Client", .source = 1, .created_ms = 2 };
	struct store_grant g = { .id = "a000000000000000", .user = "ada", .client = "c", .turn = 3, .expires_ms = 9 };
	struct store_code code = { .user = "ada", .client = "c", .challenge = "x", .expires_ms = 9 }, got;
	struct store_device device = { .client = "c", .expires_ms = INT64_MAX, .created_ms = 1 };
	struct store_session session = { .user = "ada", .created_ms = 1, .expires_ms = 9 };
	struct store_key k = { .kid = "kid", .created_ms = 1 };
	struct store_dataset d = { .id = "0b4cf2b1-1111-4111-8111-0123456789ab", .type = "table", .name = "Orders",
		.connection = "shop", .table = "orders", .created_ms = 10, .since_ms = 11 };

	for (size_t i = 0; i < sizeof(k.sealed); i++)
		k.sealed[i] = (uint8_t)(i * 7);
	buf_str(&c.redirects, "http://127.0.0.1/cb\ncursor://x");
	memset(code.digest, 0x80, sizeof(code.digest));
	must(store_set_setting(s, "connectivity", SPAN("on"), &err));
	must(store_set_setting(s, "audit.begun", SPAN("this node's"), &err));
	must(store_token_add(s, &pending, &err));
	must(store_token_add(s, &good, &err));
	must(store_token_used(s, good.id, 5, 6, &err));
	must(store_user_add(s, &u, &err));
	must(store_client_add(s, &c, &err));
	must(store_grant_add(s, &g, &err));
	must(store_code_add(s, &code, &err));
	assert_int_equal(store_code_take(s, code.digest, 5, &got, &err), STORE_TAKE_FIRST);
	must(store_code_granted(s, code.digest, g.id, &err));
	memset(device.word, 0xff, sizeof(device.word));
	must(store_device_add(s, &device, &err));
	must(store_session_add(s, &session, &err));
	assert_int_equal(store_nonce_take(s, code.digest, 9, &err), 1);
	must(store_consent_set(s, "ada", "c", "http://127.0.0.1/cb", 3, " stock ", 4, &err));
	must(store_preferences_set(s, SPAN("local:0"), SPAN("{}"), &err));
	must(store_key_add(s, &k, &err));
	must(store_dataset_add(s, &d, &err));
	must(store_dataset_end(s, d.id, false, &err));
	buf_fini(&c.redirects);
}

/* Copy, as a whole or not at all; local: one of them is the other's own store. */
static int
copy(struct store *from, struct store *to, bool local, uint64_t *rows)
{
	int result;

	must(store_begin(to, &err));
	if (!local)
		must(store_begin_look(from, &err));
	if ((result = store_copy(from, to, rows, &err)) == 0)
		must(store_commit(to, &err));
	else
		store_rollback(to);
	if (!local)
		store_rollback(from);
	return result;
}

/* The rows of a table in a file that are not, exactly as they are, in another. */
static int
count_others(const struct store_pair *r, int in, int not_in, const char *table)
{
	char sql[512];
	sqlite3_stmt *q = NULL;
	sqlite3 *db;
	int n = -1;

	snprintf(sql, sizeof(sql), "ATTACH '%s/%d.db' AS one; ATTACH '%s/%d.db' AS other", r->dir, in, r->dir, not_in);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	snprintf(sql, sizeof(sql),
	    "SELECT (SELECT count(*) = 0 FROM one.%s) + count(*) FROM"
	    " (SELECT * FROM one.%s EXCEPT SELECT * FROM other.%s)",
	    table, table, table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	if (sqlite3_step(q) == SQLITE_ROW)
		n = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return n;
}

static void
test_there_and_back(void **state)
{
	static const char *const tables[] = { "setting", "token", "account", "client", "client_grant", "code", "login",
		"nonce", 		"consent", "preference", "signing_key", "dataset" };
	struct store_pair *r = *state;
	struct store *first = pair_local(r, 7), *second = pair_local(r, 8);
	struct buf value = { 0 };
	uint64_t rows, last;

	fill(first);
	must(store_audit_add(first, 1, SPAN("{}"), SPAN("00"), &err));
	/* Into the store of a node: of its own file, for PostgreSQL; and out of it again. */
	must(copy(first, r->a, false, &rows));
	assert_int_equal(rows, 14);
	assert_int_equal(copy(first, r->b, false, &rows), -1);
	assert_int_equal(err.code, ERR_INVALID_ARGUMENTS);
	assert_holds(err.message, "has rows already (in setting)");
	must(copy(r->b, second, false, &rows));
	assert_int_equal(rows, 14);
	/* Into a file that has them from before, once it is cleared. */
	must(store_begin(second, &err));
	must(store_copy_clear(second, &err));
	must(store_commit(second, &err));
	must(copy(r->b, second, false, &rows));
	assert_int_equal(rows, 14);

	/* The audit and its marks are the node's. */
	assert_int_equal(store_setting(second, "audit.begun", &value, &err), 0);
	must(store_audit_bounds(second, &rows, &last, &err));
	assert_int_equal(last, 0);
	must(store_set_setting(second, "audit.begun", SPAN("this node's"), &err));
	store_close(first);
	store_close(second);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		assert_int_equal(count_others(r, 7, 8, tables[i]), 0);
		assert_int_equal(count_others(r, 8, 7, tables[i]), 0);
	}
	buf_fini(&value);
}

/* A node's own file becomes the store of all: the file is within the transaction of the other. */
static void
test_own_file(void **state)
{
	struct store_pair *r = *state;
	struct store_token t;
	uint64_t rows;

	fill(r->local[0]);
	must(copy(r->local[0], r->a, true, &rows));
	assert_int_equal(store_token(r->b, SPAN("AAAAAAAA"), &t, &err), 1);
	assert_false(t.has_secret);
}

int
store_copied_tests(void)
{
	const struct CMUnitTest both[] = { PAIR_TEST(test_there_and_back) }, shared[] = { PAIR_TEST(test_own_file) };
	int failed = cmocka_run_group_tests(both, NULL, NULL);

	return pair_is_postgres() ? failed + cmocka_run_group_tests(shared, NULL, NULL) : failed;
}
