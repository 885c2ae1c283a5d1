// libs: carrel_auth carrel_project carrel_policy carrel_base sodium
/* test_audit_entry.c - the text of an audit's entry: all members, to the byte, within its bound. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_read.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "tests/unit/harness.h"
#include "workers/auth/audit/audit_entry.h"
#include "workers/auth/audit/audit_memo.h"

static const struct span none = { NULL, 0 };

static void
an_entry_has_all_its_members_in_their_order(void **state)
{
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
	struct buf out = { .max = 0 }, policy = { .max = 0 };

	(void)state;
	e.seq = 42;
	e.at_unix_ms = UINT64_C(1763847256789);
	audit_entry_put(&out, &e);
	assert_buf(&out,
	    "{\"seq\":42,\"at\":\"2025-11-22T21:34:16.789Z\",\"receipt\":null,\"principal\":{\"kind\":\"none\",\"id\":"
	    "null},"
	    "\"surface\":\"daemon\",\"action\":\"mcp.tool.call\",\"target\":null,\"outcome\":\"ok\",\"code\":null,"
	    "\"duration_ms\":0,\"rows\":null,\"truncated\":null,\"statement\":null,\"connection\":null,\"snapshot\":"
	    "null,"
	    "\"policy\":null,\"client\":null,\"address\":null,\"trace_id\":null,"
	    "\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\"}");
	buf_reset(&out, SIZE_MAX);
	mp_put_map(&policy, 1);
	mp_pair_cstr(&policy, "scope", "research:query");
	e = (struct audit_entry){
		.seq = 1, .receipt = SPAN("r-3f2a9c01-1b4"), .kind = AUDIT_KIND_TOKEN, .id = SPAN("token:7fKq2LmX"),
		.surface = AUDIT_SURFACE_MCP, .action = AUDIT_ACTION_TOOL_CALL, .target = SPAN("sql_execution"),
		.outcome = AUDIT_OUTCOME_REFUSED, .code = SPAN("forbidden_sql"), .duration_ms = 12,
		.rows = 3, .truncated = 1,
		.statement = SPAN("SELECT \"a\"\n"), .connection = SPAN("main"), .snapshot = SPAN("s1"),
		.policy = buf_view(&policy), .client = SPAN("x 1.0"), .address = SPAN("127.0.0.1"),
		.trace_id = SPAN("4bf92f3577b34da6a3ce929d0e0e4736"), .prev = { 0xab, 1 },
	};
	audit_entry_put(&out, &e);
	assert_buf(&out,
	    "{\"seq\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"receipt\":\"r-3f2a9c01-1b4\","
	    "\"principal\":{\"kind\":\"token\",\"id\":\"token:7fKq2LmX\"},\"surface\":\"mcp\",\"action\":\"mcp.tool."
	    "call\","
	    "\"target\":\"sql_execution\",\"outcome\":\"refused\",\"code\":\"forbidden_sql\",\"duration_ms\":12,"
	    "\"rows\":3,"
	    "\"truncated\":true,\"statement\":\"SELECT \\\"a\\\"\\n\",\"connection\":\"main\",\"snapshot\":\"s1\","
	    "\"policy\":{\"scope\":\"research:query\"},\"client\":\"x 1.0\",\"address\":\"127.0.0.1\","
	    "\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\","
	    "\"prev\":\"ab01000000000000000000000000000000000000000000000000000000000000\"}");
	buf_fini(&out);
	buf_fini(&policy);
}

/* The text of s, repeated to n bytes. */
static struct span
repeated(const char *s, size_t n)
{
	size_t len = strlen(s);
	char *p = malloc(n);

	for (size_t i = 0; i + len <= n; i += len)
		memcpy(p + i, s, len);
	return span_of(p, n / len * len);
}

static void
read_back(const struct buf *out, struct buf *packed, struct mp_value *v)
{
	size_t at;

	assert_true(out->len <= AUDIT_ENTRY_MAX);
	assert_true(utf8_valid(out->p, out->len));
	buf_reset(packed, SIZE_MAX);
	assert_int_equal(json_read(buf_view(out), packed, &at), JSON_OK);
	assert_true(mp_value(buf_view(packed), v));
}

static void
a_statement_is_cut_at_500_characters_between_characters(void **state)
{
	static const char *const alphabets[] = { "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		"a\xf0\x9f\x98\x80" };
	struct buf out = { .max = 0 }, packed = { .max = 0 };
	struct mp_value v;

	(void)state;
	for (unsigned i = 0; i < sizeof(alphabets) / sizeof(alphabets[0]); i++) {
		struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
		struct span kept;

		e.statement = repeated(alphabets[i], 100000);
		buf_reset(&out, SIZE_MAX);
		audit_entry_put(&out, &e);
		read_back(&out, &packed, &v);
		kept = mp_get_str(&v, "statement", none);
		assert_int_equal(utf8_count(kept), AUDIT_STATEMENT_CHARACTERS);
		assert_memory_equal(kept.p, e.statement.p, kept.len);
		free((void *)(uintptr_t)e.statement.p);
	}
	buf_fini(&out);
	buf_fini(&packed);
}

/* Everything as long as a frame can bring it, of what takes most room in JSON. */
static void
an_entry_is_bounded_whatever_comes_in(void **state)
{
	static const char *const alphabets[] = { "x", "\x01", "\"", "\xe2\x80\xae", "\xf3\xa0\x81\x81", "\\" };
	struct buf out = { .max = 0 }, packed = { .max = 0 }, policy = { .max = 0 };
	struct mp_value v;

	(void)state;
	for (unsigned i = 0; i < sizeof(alphabets) / sizeof(alphabets[0]); i++) {
		struct span much = repeated(alphabets[i], 8000);
		struct audit_entry e = {
			.seq = UINT64_MAX, .at_unix_ms = UINT64_C(1763847256789), .receipt = much, .id = much,
			.target = much,
			.action = AUDIT_ACTION_OAUTH_REFRESH_REUSE, .outcome = AUDIT_OUTCOME_CANCELLED, .code = much,
			.duration_ms = UINT64_MAX, .rows = UINT64_MAX - 1, .truncated = 0, .statement = much,
			.connection = much, .snapshot = much, .client = much, .address = much, .trace_id = much,
		};

		buf_reset(&policy, SIZE_MAX);
		mp_put_map(&policy, 1);
		mp_pair_str(&policy, "statement_sha256", much);
		for (unsigned with = 0; with < 2; with++) {
			e.policy = with ? buf_view(&policy) : none;
			buf_reset(&out, SIZE_MAX);
			audit_entry_put(&out, &e);
			read_back(&out, &packed, &v);
			assert_true(mp_get_str(&v, "statement", none).len > 0);
		}
		free((void *)(uintptr_t)much.p);
	}
	buf_fini(&out);
	buf_fini(&packed);
	buf_fini(&policy);
}

static void
what_a_front_sends_is_read_and_nothing_else_is_believed(void **state)
{
	struct buf map = { .max = 0 };
	struct audit_entry e;

	(void)state;
	mp_put_map(&map, 9);
	mp_pair_cstr(&map, "action", "mcp.resource.read");
	mp_pair_cstr(&map, "outcome", "error");
	mp_pair_cstr(&map, "surface", "stdio");
	mp_pair_cstr(&map, "principal", "local:1000");
	mp_pair_cstr(&map, "receipt", "r-00000001-2");
	mp_pair_uint(&map, "duration_ms", 5);
	mp_pair_uint(&map, "target", 7); /* not text */
	mp_pair_bool(&map, "truncated", true);
	mp_pair_cstr(&map, "prev", "ff"); /* not theirs */
	assert_true(audit_entry_read(buf_view(&map), AUDIT_BY_FRONT, &e));
	assert_int_equal(e.action, AUDIT_ACTION_RESOURCE_READ);
	assert_int_equal(e.outcome, AUDIT_OUTCOME_ERROR);
	assert_int_equal(e.surface, AUDIT_SURFACE_STDIO);
	assert_int_equal(e.kind, AUDIT_KIND_LOCAL);
	assert_int_equal(e.duration_ms, 5);
	assert_int_equal(e.target.len, 0);
	assert_int_equal(e.truncated, 1);
	assert_true(e.rows == AUDIT_NO_FIGURE);
	assert_int_equal(e.prev[0], 0);
	assert_false(audit_entry_read(buf_view(&map), AUDIT_BY_SUPERVISOR, &e));
	buf_reset(&map, SIZE_MAX);
	mp_put_map(&map, 1);
	mp_pair_cstr(&map, "action", "checkpoint");
	assert_false(audit_entry_read(buf_view(&map), AUDIT_BY_FRONT | AUDIT_BY_SUPERVISOR, &e));
	buf_reset(&map, SIZE_MAX);
	mp_put_cstr(&map, "checkpoint");
	assert_false(audit_entry_read(buf_view(&map), AUDIT_BY_FRONT, &e));
	buf_fini(&map);
}

static void
a_receipt_is_a_number(void **state)
{
	static const char *const wrong[] = { "", "r-", "r-3f2a9c01-", "r-3f2a9c01", "r-3f2a9c0-1b4", "x-3f2a9c01-1b4",
		"r-3f2a9c01-1b4x", "r-3f2a9c01-123456789", "r-3f2a9c011-1" };

	(void)state;
	assert_true(audit_receipt_number(SPAN("r-3f2a9c01-1b4")) == UINT64_C(0x3f2a9c01000001b4));
	assert_true(audit_receipt_number(SPAN("r-ffffffff-ffffffff")) == UINT64_MAX);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_true(audit_receipt_number(span_str(wrong[i])) == 0);
}

static void
principals_tell_their_kind(void **state)
{
	(void)state;
	assert_int_equal(audit_kind_of_id(SPAN("local:1000")), AUDIT_KIND_LOCAL);
	assert_int_equal(audit_kind_of_id(SPAN("static")), AUDIT_KIND_STATIC);
	assert_int_equal(audit_kind_of_id(SPAN("token:7fKq2LmX")), AUDIT_KIND_TOKEN);
	assert_int_equal(audit_kind_of_id(SPAN("user:anna")), AUDIT_KIND_USER);
	assert_int_equal(audit_kind_of_id(none), AUDIT_KIND_NONE);
	assert_int_equal(audit_kind_of_id(SPAN("robot:1")), AUDIT_KINDS);
	for (unsigned i = 0; i < AUDIT_ACTIONS; i++)
		assert_int_equal(audit_action_of(span_str(audit_action_name((enum audit_action)i))), i);
}

static void
the_secret_of_a_token_is_kept_of_no_member(void **state)
{
	static const char token[] = "crlmcp_7fKq2LmX_0123456789abcdef0123456789abcdef";
	static const char statement[] = "SELECT 'crlmcp_7fKq2LmX_0123456789abcdef0123456789abcdef', 1";
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_REFUSED);
	struct buf out = { .max = 0 };
	size_t hidden = 0;

	(void)state;
	e.target = e.connection = e.snapshot = e.client = e.trace_id = span_str(token);
	e.statement = span_str(statement);
	audit_entry_put(&out, &e);
	assert_null(strstr(buf_cstr(&out), "0123456789abcdef0123456789abcdef"));
	for (const char *p = buf_cstr(&out); (p = strstr(p, "crlmcp_7fKq2LmX_***")) != NULL; p++)
		hidden++;
	assert_int_equal(hidden, 6);
	assert_non_null(strstr(buf_cstr(&out), "\"SELECT 'crlmcp_7fKq2LmX_***', 1\""));
	buf_fini(&out);
}

/* The server's own token, in whatever a caller says. */
static void
the_static_token_is_not_kept(void **state)
{
	static const char secret[] = "a static \"token\" of somebody";
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
	struct buf out = { .max = 0 };

	(void)state;
	e.statement =
	    SPAN("SELECT 'a static \"token\" of somebody', 'a static \"token\" of somebody' -- a static \"token\"");
	e.target = e.client = span_str(secret);
	e.secret = span_str(secret);
	audit_entry_put(&out, &e);
	assert_null(memmem(out.p, out.len, "of somebody", 11));
	assert_non_null(memmem(out.p, out.len, "\"statement\":\"SELECT '***', '***' -- a static", 44));
	assert_non_null(memmem(out.p, out.len, "\"target\":\"***\"", 14));
	/* What is so short stands in ordinary texts. */
	e.secret = SPAN("SELECT");
	buf_reset(&out, SIZE_MAX);
	audit_entry_put(&out, &e);
	assert_non_null(memmem(out.p, out.len, "\"statement\":\"SELECT 'a static", 28));
	buf_fini(&out);
}

/* A text of these, which differ in length, escapes, secrets, what fits, and in one byte of the middle. */
static struct span
draw_text(uint64_t *random)
{
	static char texts[12][400 * sizeof("a\xc3\xa4\"x ")];
	static const char *const kinds[] = { "", "warehouse", "12345678-1-12345678", "12345678-2-12345678", "\"\\\n",
		"password=hunter2hunter2", "crlmcp_7fKq2LmX_0123456789abcdef0123456789abcdef", "\xf0\x9f\x98\x80",
		"%70assword%3dhunter2hunter2" };
	unsigned i = (unsigned)(test_random(random) % 12), n = i < 9 ? 1 : i == 9 ? 60 : i == 10 ? 130 : 400;

	if (texts[i][0] == '\0')
		for (unsigned k = 0; k < n; k++)
			strcat(texts[i], i < 9 ? kinds[i] : "a\xc3\xa4\"x ");
	return span_str(texts[i]);
}

static void
a_memo_changes_no_text(void **state)
{
	struct buf without = { .max = 0 }, with = { .max = 0 }, policy = { .max = 0 };
	struct audit_memo *memo = audit_memo_new();
	uint64_t random = 46;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct audit_entry e = { .seq = i, .at_unix_ms = i, .receipt = draw_text(&random),
			.id = draw_text(&random), .target = draw_text(&random), .code = draw_text(&random),
			.action = i % 7 == 0 ? AUDIT_ACTION_CHECKPOINT : AUDIT_ACTION_TOOL_CALL,
			.statement = draw_text(&random), .connection = draw_text(&random),
			.snapshot = draw_text(&random), .client = draw_text(&random), .address = draw_text(&random),
			.trace_id = draw_text(&random) };

		buf_reset(&policy, SIZE_MAX);
		mp_put_map(&policy, 1);
		mp_pair_str(&policy, "artifacts_sha256", draw_text(&random));
		e.policy = buf_view(&policy);
		buf_reset(&without, SIZE_MAX);
		audit_entry_put(&without, &e);
		e.memo = memo;
		for (unsigned k = 0; k < 2; k++) {
			buf_reset(&with, SIZE_MAX);
			audit_entry_put(&with, &e);
			assert_true(span_is(buf_view(&with), buf_view(&without)));
		}
	}
	audit_memo_free(memo);
	buf_fini(&without);
	buf_fini(&with);
	buf_fini(&policy);
}

static void
a_memo_has_short_texts_without_a_secret_alone(void **state)
{
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_TOOL_CALL, AUDIT_OUTCOME_OK);
	struct audit_memo *memo = audit_memo_new();
	struct span clean = SPAN("SELECT 1"), secret = SPAN("SELECT 'password=hunter2hunter2'");
	struct span longer = repeated("SELECT 1 ", AUDIT_MEMO_TEXT + 9);
	const struct span texts[] = { clean, secret, longer };
	struct buf out = { .max = 0 };

	(void)state;
	e.memo = memo;
	for (unsigned i = 0; i < 3; i++) {
		e.statement = texts[i];
		buf_reset(&out, SIZE_MAX);
		audit_entry_put(&out, &e);
	}
	for (unsigned member = 0; member < AUDIT_MEMO_MEMBERS; member++) {
		assert_null(audit_memo_find(memo, member, secret).p);
		assert_null(audit_memo_find(memo, member, longer).p);
	}
	e.statement = clean;
	buf_reset(&out, SIZE_MAX);
	audit_entry_put(&out, &e);
	assert_non_null(memmem(out.p, out.len, ",\"statement\":\"SELECT 1\",", 24));
	audit_memo_free(memo);
	free((void *)(uintptr_t)longer.p);
	buf_fini(&out);
}

/* As a front tells it; what but its receipt. */
static struct span
tell(struct buf *out, const char *receipt, struct span statement, uint64_t rows)
{
	buf_reset(out, SIZE_MAX);
	mp_put_map(out, 6);
	mp_pair_cstr(out, "receipt", receipt);
	mp_pair_cstr(out, "principal", "local:1000");
	mp_pair_cstr(out, "action", "mcp.tool.call");
	mp_pair_cstr(out, "outcome", "ok");
	mp_pair_uint(out, "rows", rows);
	mp_pair_str(out, "statement", statement);
	return buf_view(out);
}

/* Read it as a journal's record is read, and compose it.  True: it was known. */
static bool
compose_told(struct audit_memo *memo, struct span bytes, uint64_t seq, struct buf *text)
{
	struct audit_entry e;
	struct span receipt = SPAN(""), told = audit_entry_told(bytes, &receipt);
	bool known = audit_memo_find_entry(memo, told, &e);

	if (known)
		e.receipt = receipt;
	else {
		assert_true(audit_entry_read(bytes, AUDIT_BY_FRONT, &e));
		e.told = told;
	}
	e.seq = seq;
	e.at_unix_ms = 1000 + seq;
	e.memo = memo;
	buf_reset(text, SIZE_MAX);
	audit_entry_put(text, &e);
	return known;
}

static void
an_entry_told_again_is_known_and_has_the_same_text(void **state)
{
	struct buf bytes = { .max = 0 }, with = { .max = 0 }, without = { .max = 0 };
	struct audit_memo *memo = audit_memo_new();
	uint64_t random = 46;
	unsigned known = 0;
	char receipt[32], statement[200];

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		/* From a few statements, some of them beyond a member's bound. */
		unsigned drawn = (unsigned)(test_random(&random) % 40);

		snprintf(receipt, sizeof(receipt), "r-%08x-%x", (unsigned)test_random(&random), i + 1);
		snprintf(statement, sizeof(statement), "SELECT \"%0*u\" FROM t", (int)drawn * 4, drawn);
		tell(&bytes, receipt, span_str(statement), drawn % 3);
		known += compose_told(memo, buf_view(&bytes), i, &with);
		compose_told(NULL, buf_view(&bytes), i, &without);
		assert_true(span_is(buf_view(&with), buf_view(&without)));
	}
	assert_true(known > 5000);
	audit_memo_free(memo);
	buf_fini(&bytes);
	buf_fini(&with);
	buf_fini(&without);
}

static void
what_may_not_be_kept_is_never_known(void **state)
{
	struct span longer = repeated("SELECT 1 ", AUDIT_MEMO_ENTRY + 9);
	const struct {
		const char *receipt;
		struct span statement;
		bool kept;
	} calls[] = {
		{ "r-0badcafe-1", SPAN("SELECT 1"), true },
		{ "r-0badcafe-2", SPAN("SELECT 'password=hunter2hunter2'"), false },
		{ "r-0badcafe-3", longer, false },
		{ "no receipt", SPAN("SELECT 2"), false },
	};
	struct buf bytes = { .max = 0 }, text = { .max = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct audit_memo *memo = audit_memo_new();

		for (unsigned k = 0; k < 2; k++)
			assert_false(compose_told(memo, tell(&bytes, calls[i].receipt, calls[i].statement, 1), k,
			    &text));
		assert_int_equal(compose_told(memo, tell(&bytes, calls[i].receipt, calls[i].statement, 1), 3, &text),
		    calls[i].kept);
		assert_null(memmem(text.p, text.len, "hunter2", 7));
		audit_memo_free(memo);
	}
	free((void *)(uintptr_t)longer.p);
	buf_fini(&bytes);
	buf_fini(&text);
}

/* The bytes are a journal's: their front may be anybody. */
static void
what_is_told_is_found_in_whole_maps_alone(void **state)
{
	static const char sound[] = "\x82\xa7receipt\xacr-0badcafe-1\xa1x\xc0";
	struct span receipt, told = audit_entry_told(span_of((const uint8_t *)sound, sizeof(sound) - 1), &receipt);
	char changed[sizeof(sound)];
	uint64_t random = 7;

	(void)state;
	assert_true(span_is_str(told, "\xa1x\xc0"));
	assert_true(span_is_str(receipt, "r-0badcafe-1"));
	for (size_t n = 0; n < sizeof(sound) - 4; n++) {
		uint8_t *cut = malloc(n + 1); /* the sanitizer sees a read behind its end */

		memcpy(cut, sound, n);
		assert_int_equal(audit_entry_told(span_of(cut, n), &receipt).len, 0);
		free(cut);
	}
	for (unsigned i = 0; i < 20000; i++) {
		memcpy(changed, sound, sizeof(sound));
		changed[test_random(&random) % (sizeof(sound) - 1)] = (char)test_random(&random);
		told = audit_entry_told(span_of((const uint8_t *)changed, sizeof(sound) - 1), &receipt);
		assert_true(told.len == 0 || told.p + told.len == (const uint8_t *)changed + sizeof(sound) - 1);
		assert_true(told.len == 0 || audit_receipt_number(receipt) != 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memo_changes_no_text),
		cmocka_unit_test(an_entry_told_again_is_known_and_has_the_same_text),
		cmocka_unit_test(what_may_not_be_kept_is_never_known),
		cmocka_unit_test(what_is_told_is_found_in_whole_maps_alone),
		cmocka_unit_test(a_memo_has_short_texts_without_a_secret_alone),
		cmocka_unit_test(the_static_token_is_not_kept),
		cmocka_unit_test(an_entry_has_all_its_members_in_their_order),
		cmocka_unit_test(a_statement_is_cut_at_500_characters_between_characters),
		cmocka_unit_test(an_entry_is_bounded_whatever_comes_in),
		cmocka_unit_test(what_a_front_sends_is_read_and_nothing_else_is_believed),
		cmocka_unit_test(the_secret_of_a_token_is_kept_of_no_member),
		cmocka_unit_test(a_receipt_is_a_number),
		cmocka_unit_test(principals_tell_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
