// libs: carrel_policy carrel_base
/* test_identity.c - as whom statements run: templates, their values, and callers that lack one. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mp.h"
#include "base/text/identity_text.h"
#include "policy/identity.h"
#include "tests/unit/harness.h"

static struct arena *arena;
static struct err err;

static int
set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static void
templates(void **state)
{
	static const char *const good[] = { "plain", "{user.name}", "{claims.tenant}", "a{user.name}b{claims.x}c",
		"{claims.https://acme.example/tenant}", "{claims.realm.tenant}{claims.realm.tenant}" };
	static const char *const bad[] = { "", "{", "}", "{}", "{user}", "{user.name", "user.name}", "{user.names}",
		"{claims.}", "{claims.a b}", "{claims.a}}", "{{claims.a}}", "{claims.{user.name}}", "{ user.name }",
		"{claims.a\"b}", "{claims.a'b}", "\xff", "{USER.NAME}" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (identity_text_fault(span_str(good[i])) != NULL)
			fail_msg("%s: %s", good[i], identity_text_fault(span_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (identity_text_fault(span_str(bad[i])) == NULL)
			fail_msg("%s is taken", bad[i]);
	assert_non_null(identity_text_fault(span_of("a\0b", 3)));
}

static void
parts(void **state)
{
	struct span rest = SPAN("a{user.name}-{claims.x}");
	static const struct {
		enum identity_piece kind;
		const char *text;
	} want[] = { { IDENTITY_LITERAL, "a" }, { IDENTITY_USER, "user.name" }, { IDENTITY_LITERAL, "-" },
		{ IDENTITY_CLAIM, "x" } };
	struct identity_part p;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(identity_text_next(&rest, &p));
		assert_int_equal(p.kind, want[i].kind);
		assert_true(span_is_str(p.text, want[i].text));
	}
	assert_false(identity_text_next(&rest, &p));
}

/* Pairs of texts, up to a NULL, as a map. */
static struct span
map_of(const char *const *pairs)
{
	struct buf b = { 0 };
	size_t mark = mp_open_map(&b);
	struct span copy;

	for (size_t i = 0; pairs != NULL && pairs[i] != NULL; i += 2)
		mp_pair_cstr(&b, pairs[i], pairs[i + 1]);
	mp_end(&b, mark);
	copy = arena_span(arena, buf_view(&b));
	buf_fini(&b);
	return copy;
}

struct given {
	const char *const *settings;	/* pairs */
	const char *role, *roles[3];
	const char *owner, *neutral;	/* their names; NULL: not set */
	const char *const *claims;	/* of both */
};

static struct identity *
identity_of(const struct given *g)
{
	struct identity *id;
	struct buf b = { 0 };
	size_t n = 0, mark;

	while (n < 3 && g->roles[n] != NULL)
		n++;
	mark = mp_open_pairs(&b, mp_cstr("role", g->role), mp_cstrs("roles", g->roles, n),
	    mp_raw("settings", map_of(g->settings)));
	for (int i = 0; i < 2; i++) {
		const char *name = i == 0 ? g->owner : g->neutral;

		mp_put_cstr(&b, i == 0 ? "owner" : "neutral");
		if (name == NULL)
			mp_put_nil(&b);
		else
			mp_put_pairs(&b, mp_cstr("name", name), mp_raw("claims", map_of(g->claims)));
	}
	mp_end(&b, mark);
	if (identity_new(&id, "shop", buf_view(&b), &err) != 0)
		fail_msg("%s", err.message);
	buf_fini(&b);
	return id;
}

#define PAIRS(...)	((const char *const[]){ __VA_ARGS__, NULL })

static const char *const usual_settings[] = { "app.user", "{user.name}", "app.tenant", "t-{claims.tenant}", NULL };
static const struct given usual = { .settings = usual_settings,
	.role = "{claims.db_role}", .roles = { "eu", "us" } };

static int
resolve(const struct identity *id, const char *principal, const char *const *claims, struct identity_as *as)
{
	return identity_resolve(id, span_str(principal), claims == NULL ? SPAN("") : map_of(claims), arena, as, &err);
}

static void
values(void **state)
{
	static const char odd[] = "O'Brien\n\"; DROP TABLE x; -- \\ {user.name} $1";
	struct identity *id = identity_of(&usual);
	struct identity_as as;
	char text[IDENTITY_TEXT];

	(void)state;
	assert_int_equal(resolve(id, "user:ada", PAIRS("tenant", odd, "db_role", "us"), &as), 0);
	assert_int_equal(as.n, 2);
	assert_string_equal(as.names[0], "app.user");
	assert_string_equal(as.values[0], "ada");
	assert_string_equal(as.names[1], "app.tenant");
	assert_memory_equal(as.values[1], "t-", 2);
	assert_string_equal(as.values[1] + 2, odd); /* a value is text, never a template */
	assert_string_equal(as.role, "us");
	assert_int_equal(resolve(id, "token:12345678", PAIRS("user.name", "bot", "tenant", "x", "db_role", "eu"), &as),
	    0);
	identity_text(&as, text);
	assert_string_equal(text, "role=\"eu\" app.user=\"bot\" app.tenant=\"t-x\"");
	/* A value does not look like another setting. */
	assert_int_equal(resolve(id, "user:x", PAIRS("tenant", "y role=us\" app.user=\"ada\n", "db_role", "eu"), &as),
	    0);
	identity_text(&as, text);
	assert_string_equal(text, "role=\"eu\" app.user=\"x\" app.tenant=\"t-y role=us\\\" app.user=\\\"ada\\n\"");
	identity_free(id);
}

static void
refusals(void **state)
{
	static const struct {
		const char *principal, *claims[7], *says;
	} cases[] = {
		{ "user:ada", { NULL }, "no claim \"tenant\": an administrator can set it with `carrel user" },
		{ "user:ada", { "tenant", "x" }, "no claim \"db_role\"" },
		{ "user:ada", { "tenant", "x", "db_role", "postgres" }, "not listed in identity.roles" },
		{ "user:ada", { "tenant", "x", "db_role", "EU" }, "not listed in identity.roles" },
		{ "user:ada", { "tenant", "x", "db_role", "none" }, "not listed in identity.roles" },
		{ "token:12345678", { "tenant", "x", "db_role", "eu" }, "no name: create a token that has it" },
		{ "static", { NULL }, "does not identify a person" },
		{ "static", { "user.name", "ada", "tenant", "x", "db_role", "eu" }, "does not identify a person" },
		{ "check", { NULL }, "does not identify a person" },
		{ "", { NULL }, "does not identify a person" },
		{ "local:1000", { "user.name", "ada", "tenant", "x", "db_role", "eu" }, "identity.owner" },
		{ "cli:0", { NULL }, "identity.owner" },
		{ "page:local:0", { NULL }, "identity.owner" },
	};
	struct identity *id = identity_of(&usual);
	struct identity_as as;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(resolve(id, cases[i].principal, cases[i].claims, &as), -1);
		assert_int_equal(err.code, ERR_SCOPE_DENIED);
		if (strstr(err.message, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].principal, err.message);
	}
	assert_int_equal(identity_resolve_neutral(id, arena, &as, &err), -1);
	assert_non_null(strstr(err.message, "identity.neutral"));
	assert_false(identity_has_neutral(id));
	identity_free(id);
}

static void
owner_and_neutral(void **state)
{
	struct given g = usual;
	struct identity *id;
	struct identity_as as;

	(void)state;
	g.owner = "ops";
	g.neutral = "scanner";
	g.claims = PAIRS("tenant", "demo", "db_role", "eu");
	id = identity_of(&g);
	assert_int_equal(resolve(id, "cli:0", PAIRS("tenant", "other"), &as), 0);
	assert_string_equal(as.values[0], "ops");
	assert_string_equal(as.values[1], "t-demo");
	assert_int_equal(resolve(id, "local:7", NULL, &as), 0);
	assert_int_equal(resolve(id, "page:local:7", NULL, &as), 0);
	assert_int_equal(resolve(id, "user:local:7", NULL, &as), -1); /* no name of a user is the owner's */
	assert_int_equal(resolve(id, "static", NULL, &as), -1);
	assert_int_equal(identity_resolve_neutral(id, arena, &as, &err), 0);
	assert_string_equal(as.values[0], "scanner");
	assert_true(identity_has_neutral(id));
	identity_free(id);
}

/* What is no map of texts is refused as a whole: nothing of it is guessed. */
static void
bad_claims(void **state)
{
	const struct given g = { .settings = PAIRS("a.b", "{user.name}") };
	struct identity *id = identity_of(&g);
	struct identity_as as;
	struct buf b = { 0 };
	char large[IDENTITY_VALUE_MAX + 2];

	(void)state;
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), SPAN("\xc1"), arena, &as, &err), -1);
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), SPAN("\x81\xa1x"), arena, &as, &err), -1);
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), SPAN("\x81\xa1x\x01"), arena, &as, &err), -1);
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), SPAN("\x81\xa1x\xa1\x00"), arena, &as, &err), -1);
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), SPAN("\x80\x80"), arena, &as, &err), -1);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(resolve(id, "user:ada", PAIRS("x", large), &as), -1);
	large[IDENTITY_VALUE_MAX] = '\0';
	assert_int_equal(resolve(id, "user:ada", PAIRS("x", large), &as), 0);
	mp_put_map(&b, IDENTITY_CLAIMS_MAX + 1);
	for (unsigned i = 0; i <= IDENTITY_CLAIMS_MAX; i++) {
		char name[8];

		snprintf(name, sizeof(name), "c%u", i);
		mp_pair_cstr(&b, name, "v");
	}
	assert_int_equal(identity_resolve(id, SPAN("user:ada"), buf_view(&b), arena, &as, &err), -1);
	buf_fini(&b);
	identity_free(id);
}

/* A value that a template makes too long is refused, never cut. */
static void
too_long(void **state)
{
	const struct given g = { .settings = PAIRS("a.b", "{claims.x}{claims.x}") };
	struct identity *id = identity_of(&g);
	struct identity_as as;
	char half[IDENTITY_VALUE_MAX / 2 + 2];
	char text[IDENTITY_TEXT];

	(void)state;
	memset(half, 'x', sizeof(half) - 1);
	half[sizeof(half) - 1] = '\0';
	assert_int_equal(resolve(id, "user:ada", PAIRS("x", half), &as), -1);
	half[IDENTITY_VALUE_MAX / 2] = '\0';
	assert_int_equal(resolve(id, "user:ada", PAIRS("x", half), &as), 0);
	assert_int_equal(strlen(as.values[0]), IDENTITY_VALUE_MAX);
	identity_text(&as, text);
	assert_int_equal(strlen(text), strlen("a.b=\"\"") + 64 + strlen("…"));
	assert_string_equal(text + strlen(text) - strlen("x\"…"), "x\"…");
	identity_free(id);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates),
		cmocka_unit_test(parts),
		cmocka_unit_test_setup_teardown(values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(owner_and_neutral, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_claims, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_long, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
