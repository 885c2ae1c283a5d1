// libs: carrel_policy carrel_base
/* test_oauth.c - redirects, scopes, resources and issuers, by their text alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policy/oauth_texts.h"
#include "policy/scopes.h"

static struct buf packed;
static struct mp_value schemes;

static int
pack_schemes(void **state)
{
	(void)state;
	mp_put_array(&packed, 3);
	mp_put_cstr(&packed, "cursor");
	mp_put_cstr(&packed, "vscode-insiders");
	mp_put_cstr(&packed, "javascript"); /* as somebody may configure it */
	return mp_value(buf_view(&packed), &schemes) ? 0 : -1;
}

static int
drop_schemes(void **state)
{
	(void)state;
	buf_fini(&packed);
	return 0;
}

/* What the programs of the world register. */
static void
redirects_that_clients_have_are_fine(void **state)
{
	static const char *const good[] = {
		"http://localhost:3118/callback", "http://localhost/callback", "http://127.0.0.1/callback",
		"http://127.0.0.1:19876/mcp/oauth/callback", 
		"http://localhost:49150/oauth/callback", "http://127.0.0.1/",
		"http://127.0.0.1", "http://[::1]:80/", "http://[::1]", "https://vscode.dev/redirect",
		"https://insiders.vscode.dev/redirect", "cursor://anysphere.cursor-mcp/oauth/callback",
		"vscode-insiders://ms/x?y=1", "https://claude.ai/api/mcp/auth_callback",
		"https://chatgpt.com/connector/oauth/abc_DEF", 
		"https://host.example:8443/a?b=c&d=%20", "https://10.0.0.1/",
		"https://[2001:db8::1]/cb", "http://localhost:0/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!oauth_redirect_fine(span_str(good[i]), &schemes))
			fail_msg("%s", good[i]);
}

static void
other_redirects_are_not(void **state)
{
	static const char *const bad[] = {
		"", "http://evil.example/", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
		"http://localhost@evil.example/", "http://127.0.0.1:80@evil.example/", "http://user@127.0.0.1/",
		"http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://127.0.0.2/", "http://LOCALHOST/",
		"HTTP://localhost/", "https://", "https:///path", "https://a@b/", 
		"https://host#frag", "http://localhost/#x",
		"https://host\\@evil/", "http://localhost:99999/", "http://localhost:/", "http://localhost:8x/",
		"http://localhost:123456/", "https://host/a b", "https://host/\xc3\xa4", 
		"https://host/\n", "javascript:alert(1)",
		"javascript://host/%0aalert(1)", "data:text/html,x", 
		"file:///etc/passwd", "cursor:", "cursor:///x", "cursor:x",
		"cursor://", "cursor://a@b/", "windsurf://host/", "//host/", 
		"/path", "localhost:80/", "http:localhost/",
		"https:/host/", "https://[::1", "https://[]/", "https://host:/", 
		"http://[::1].evil/", "https://\x7f/",
		"https://ho<st/", "https://host/\"", "http://[0:0:0:0:0:0:0:1]/",
	};
	char longest[OAUTH_URI_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (oauth_redirect_fine(span_str(bad[i]), &schemes))
			fail_msg("%s", bad[i]);
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "https://", 8);
	assert_true(oauth_redirect_fine(span_of(longest, OAUTH_URI_MAX), &schemes));
	assert_false(oauth_redirect_fine(span_of(longest, OAUTH_URI_MAX + 1), &schemes));
}

static void
only_the_port_of_this_machine_may_differ(void **state)
{
	static const struct {
		const char *registered, *asked;
		bool same;
	} rows[] = {
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711/cb", true },
		{ "http://127.0.0.1:1/cb", "http://127.0.0.1/cb", true },
		{ "http://localhost:3118/callback", "http://localhost:9/callback", true },
		{ "http://[::1]:1/", "http://[::1]:2/", true },
		{ "https://a.example/cb", "https://a.example/cb", true },
		{ "http://127.0.0.1/cb", "http://localhost/cb", false },
		{ "http://localhost/cb", "http://127.0.0.1/cb", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711/cb/", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711/%63b", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711/cb?x=1", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711@evil.example/cb", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:/cb", false },
		{ "http://127.0.0.1/cb", "http://127.0.0.1:4711/cb#f", false },
		{ "http://127.0.0.1", "http://127.0.0.1/", false },
		{ "https://a.example/cb", "https://a.example:443/cb", false },
		{ "https://a.example/cb", "https://A.example/cb", false },
		{ "https://127.0.0.1/cb", "https://127.0.0.1:4/cb", false },
		{ "cursor://h/cb", "cursor://h:1/cb", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (oauth_redirect_same(span_str(rows[i].registered), span_str(rows[i].asked)) != rows[i].same)
			fail_msg("%s and %s", rows[i].registered, rows[i].asked);
}

static void
scopes_are_words(void **state)
{
	bool any;

	(void)state;
	assert_int_equal(oauth_scopes(SPAN(""), &any), 0);
	assert_false(any);
	assert_int_equal(oauth_scopes(SPAN("   "), &any), 0);
	assert_false(any);
	assert_int_equal(oauth_scopes(SPAN("research:read  ext:sql nothing"), &any),
	    POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL);
	assert_true(any);
	assert_int_equal(oauth_scopes(SPAN("local openid"), &any), 0);
	assert_true(any);
	assert_true(oauth_has_word(SPAN("login consent"), SPAN("consent")));
	assert_false(oauth_has_word(SPAN("consents"), SPAN("consent")));
}

static void
resources_are_the_issuers_own(void **state)
{
	static const struct {
		const char *asked, *part;
	} rows[] = {
		{ "https://h.example/mcp", "/mcp" },
		{ "https://h.example/mcp/", "/mcp" },
		{ "https://h.example/api/data-agent/mcp", "/api/data-agent/mcp" },
		{ "https://h.example", NULL },
		{ "https://h.example/", NULL },
		{ "https://h.example/mcp//", NULL },
		{ "https://h.example/mcp2", NULL },
		{ "https://h.example.evil/mcp", NULL },
		{ "http://h.example/mcp", NULL },
		{ "https://H.example/mcp", NULL },
		{ "https://h.example/MCP", NULL },
		{ "https://h.example:443/mcp", NULL },
		{ "https://h.example/mcp#x", NULL },
		{ "", NULL },
	};
	const char *part;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool found = oauth_resource(SPAN("https://h.example"), span_str(rows[i].asked), &part);

		if (found != (rows[i].part != NULL) || (found && strcmp(part, rows[i].part) != 0))
			fail_msg("%s", rows[i].asked);
	}
}

static void
the_issuer_is_configured_or_this_machine(void **state)
{
	(void)state;
	assert_true(oauth_issuer_fine(SPAN("https://h.example/carrel"), "https://h.example/carrel", 7878));
	assert_false(oauth_issuer_fine(SPAN("http://localhost:7878"), "https://h.example", 7878));
	assert_true(oauth_issuer_fine(SPAN("http://localhost:7878"), "", 7878));
	assert_true(oauth_issuer_fine(SPAN("http://127.0.0.1:7878"), "", 7878));
	assert_true(oauth_issuer_fine(SPAN("http://[::1]:7878"), "", 7878));
	assert_true(oauth_issuer_fine(SPAN("http://localhost"), "", 80));
	assert_false(oauth_issuer_fine(SPAN("http://localhost:7879"), "", 7878));
	assert_false(oauth_issuer_fine(SPAN("https://localhost:7878"), "", 7878));
	assert_false(oauth_issuer_fine(SPAN("http://evil.example:7878"), "", 7878));
	assert_false(oauth_issuer_fine(SPAN("http://localhost"), "", 7878));
	assert_false(oauth_issuer_fine(SPAN(""), "", 7878));
}

static void
forms_have_their_lengths_and_letters(void **state)
{
	static const char letters[] =
	    "0123456789012345678901234567890123456789-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789012345678901234567890123456789";

	(void)state;
	assert_true(oauth_challenge_fine(SPAN("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")));
	assert_false(oauth_challenge_fine(SPAN("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c")));
	assert_false(oauth_challenge_fine(SPAN("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c=")));
	assert_false(oauth_challenge_fine(SPAN("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c~")));
	assert_false(oauth_verifier_fine(span_of(letters, 42)));
	assert_true(oauth_verifier_fine(span_of(letters, 43)));
	assert_true(oauth_verifier_fine(span_of(letters, 128)));
	assert_false(oauth_verifier_fine(span_of(letters, 129)));
	assert_false(oauth_verifier_fine(SPAN("012345678901234567890123456789012345678901234+")));
	assert_true(oauth_user_fine(SPAN("ada.l_2-x")));
	assert_true(oauth_user_fine(SPAN("9")));
	assert_false(oauth_user_fine(SPAN("")));
	assert_false(oauth_user_fine(SPAN(".ada")));
	assert_false(oauth_user_fine(SPAN("Ada")));
	assert_true(oauth_user_fine(SPAN("ada@example.org")) && !oauth_user_fine(SPAN("@ada")));
	assert_true(oauth_user_fine(span_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 64)));
	assert_false(oauth_user_fine(span_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 65)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(redirects_that_clients_have_are_fine),
		cmocka_unit_test(other_redirects_are_not),
		cmocka_unit_test(only_the_port_of_this_machine_may_differ),
		cmocka_unit_test(scopes_are_words),
		cmocka_unit_test(resources_are_the_issuers_own),
		cmocka_unit_test(the_issuer_is_configured_or_this_machine),
		cmocka_unit_test(forms_have_their_lengths_and_letters),
	};

	return cmocka_run_group_tests(tests, pack_schemes, drop_schemes);
}
