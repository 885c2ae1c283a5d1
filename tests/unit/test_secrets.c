// libs: carrel_policy carrel_base
/* test_secrets.c - what has the form of a secret is hidden, however it is encoded; what has not stays. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "policy/secrets.h"
#include "tests/unit/harness.h"

#define SECRET	"0123456789abcdef0123456789abcdef"
#define DRAWN	"q7Yb2LmX0aZ9-kPw_Rt5VhN3cJ8sD1fGuE6iOzT4yQB"
#define MAC	"Zk3vQ9xW1nB7rT5yU2iO8pA6sD4fG0hJ-lK_cVbN3mQ"

static const struct span none = { NULL, 0 };

static void
secrets_of_every_form_are_hidden(void **state)
{
	static const struct {
		const char *text, *shown; /* NULL: nothing is hidden */
	} rows[] = {
		/* connectivity tokens */
		{ "crlmcp_aaaaaaaa_" SECRET, "crlmcp_aaaaaaaa_***" },
		{ "select 'crlmcp_aaaaaaaa_" SECRET "', 1", "select 'crlmcp_aaaaaaaa_***', 1" },
		{ "shop2_Za9Za9Za_" SECRET " x_aaaaaaaa_" SECRET, "shop2_Za9Za9Za_*** x_aaaaaaaa_***" },
		{ "CRLMCP_AAAAAAAA_0123456789ABCDEF0123456789ABCDEF", "CRLMCP_AAAAAAAA_***" },
		{ "crlmcp_aaaaaaaa_" SECRET "00;", "crlmcp_aaaaaaaa_***;" },
		{ "crlmcp_aaaaaaaa_" SECRET "_aaaaaaaa_" SECRET, "crlmcp_aaaaaaaa_***_aaaaaaaa_***" },
		{ "a_crlmcp_aaaaaaaa_" SECRET, "a_crlmcp_aaaaaaaa_***" },
		{ "cut crlmcp_aaaaaaaa_01234567", "cut crlmcp_aaaaaaaa_***" },
		{ "crlmcp_aaaaaaaa_0123456", NULL },
		{ "crlmcp_aaaaaaaa_0123456789 abcdef", NULL },
		{ "select * from the_customer_face", NULL },
		{ "_aaaaaaaa_" SECRET, NULL },
		{ "crlmcp_aaaaaaa_" SECRET, NULL },
		{ "crlmcp_aaaa-aaa_" SECRET, NULL },
		{ SECRET, NULL },
		{ "a_", NULL },
		{ "a_aaaaaaaa", NULL },
		{ "a_aaaaaaaa_", NULL },
		{ "________________________", NULL },
		{ "", NULL },
		/* refresh tokens */
		{ "SELECT 'crlrt_AbCdEfGhIjKlMnOpQrStUvWx_12_" MAC "'", "SELECT 'crlrt_***'" },
		{ "crlrt_AbC, crlrt_AbCdEfGh", "crlrt_AbC, crlrt_***" },
		{ "crlmcp_aaaaaaaa_" SECRET "_crlrt_AbCdEfGhIjKlMnOpQrStUvWx_12_" MAC,
		    "crlmcp_aaaaaaaa_***_crlrt_***" },
		/* JWTs */
		{ "x=eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c2VyIn0.c2ln-_;", "x=***;" },
		{ "eyJhbGciOiJFZERTQSJ9", NULL },
		/* codes, links, sessions */
		{ "/api/oauth/setup?link=" DRAWN, "/api/oauth/setup?link=***" },
		{ "https://h/cb#" DRAWN, "https://h/cb#***" },
		{ "carrel_session_7878=" DRAWN "; x", "carrel_session_7878=***; x" },
		{ "code=abc&state=s", "code=***&state=s" },
		{ "select revenue_of_the_customers_in_the_month_of_may", NULL },
		{ "carrel://ontologies/3f2a9c01-9a52-4f0b-9a52-0d9e4b7c2f11", NULL },
		{ "sha256 3f2a9c019a524f0b9a520d9e4b7c2f113f2a9c019a524f0b9a520d9e4b7c2f11", NULL },
		{ "client AbCdEfGhIjKlMnOpQrStUvWx", NULL },
		/* URLs and named values */
		{ "postgres://u:p%40ss@h/db", "postgres://u:***@h/db" },
		{ "redis://:pw@h", "redis://:***@h" },
		{ "postgres://u:a@b:c/d@h:5432/db", "postgres://u:***@h:5432/db" },
		{ "http://127.0.0.1:7878/a@b", NULL },
		{ "http://h:80", NULL },
		{ "carrel://wiki/a:b", NULL },
		{ "dblink('host=x password=hunter2 dbname=y')", "dblink('host=x password=*** dbname=y')" },
		{ "WHERE u.password = 'hunter2'", "WHERE u.password = '***'" },
		{ "{\"password\": \"a b\", \"n\": 1}", "{\"password\": \"***\", \"n\": 1}" },
		{ "Client-Secret=x&grant_type=code", "Client-Secret=***&grant_type=code" },
		{ "authorization: Basic dTpw\nhost: x", "authorization: ***\nhost: x" },
		{ "Bearer abcdefghijklmnop/qr+s=", "Bearer ***" },
		{ "a bearer of news", NULL },
		{ "SELECT code, token FROM t WHERE code = 'DE' AND token=3", NULL },
		{ "SELECT password::text, f(secret => 1)", NULL },
		/* encoded */
		{ "carrel://wiki/crlmcp%5Faaaaaaaa%5F" SECRET, "carrel://wiki/crlmcp%5Faaaaaaaa%5F***" },
		{ "crlmcp%255Faaaaaaaa%25255f" SECRET " b", "crlmcp%255Faaaaaaaa%25255f*** b" },
		{ "{\"a\":\"crlmcp\\u005faaaaaaaa\\u005F" SECRET "\"}", "{\"a\":\"crlmcp\\u005faaaaaaaa\\u005F***\"}" },
		{ "{\\\"password\\\":\\\"hunter2\\\"}", "{\\\"password\\\":\\\"***\\\"}" },
		{ "U&'crlmcp\\005faaaaaaaa\\005f" SECRET "'", "U&'crlmcp\\005faaaaaaaa\\005f***'" },
		{ "next=%3Fcode%3Dabc%26x", "next=%3Fcode%3D***%26x" },
		{ "LIKE '%ab_aaaaaaaa_" SECRET "'", "LIKE '%ab_aaaaaaaa_***'" },
		{ "LIKE '%5' AND x LIKE 'a\\_%'", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *shown = rows[i].shown != NULL ? rows[i].shown : "";
		struct buf out = { .max = 0 };

		if (policy_secrets_hide(span_str(rows[i].text), none, &out) != (rows[i].shown != NULL) ||
		    strcmp(buf_cstr(&out), shown) != 0)
			fail_msg("%s\nis shown as %s\nand not as %s", rows[i].text, buf_cstr(&out), shown);
		buf_fini(&out);
	}
}

static void
a_known_secret_is_hidden_wherever_it_stands(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	assert_true(policy_secrets_hide(SPAN("a%20b s3cr%65t-w0rd, s3cret-w0rds"), SPAN("s3cret-w0rd"), &out));
	assert_string_equal(buf_cstr(&out), "a%20b ***, ***s");
	buf_reset(&out, SIZE_MAX);
	/* Also before one that is found by its form in the same word, and within one. */
	assert_true(policy_secrets_hide(SPAN("cs3cret-w0rdrlmcp_aaaaaaaa_" SECRET), SPAN("s3cret-w0rd"), &out));
	assert_string_equal(buf_cstr(&out), "c***");
	buf_reset(&out, SIZE_MAX);
	assert_true(policy_secrets_hide(SPAN("x://s3cret-w0rd:pass@h"), SPAN("s3cret-w0rd"), &out));
	assert_string_equal(buf_cstr(&out), "x://***@h");
	buf_reset(&out, SIZE_MAX);
	assert_true(policy_secrets_hide(SPAN("Bearer 0123456789abcdef-s3cret-w0rd!"), SPAN("s3cret-w0rd!"), &out));
	assert_string_equal(buf_cstr(&out), "Bearer ***");
	buf_reset(&out, SIZE_MAX);
	assert_false(policy_secrets_hide(SPAN("a short one"), SPAN("short"), &out));
	buf_fini(&out);
}

/* --- drawn --------------------------------------------------------------------------------------- */

static uint64_t seed = 12345;

static unsigned
draw(unsigned n)
{
	return (unsigned)(test_random(&seed) % n);
}

static void
put_drawn(struct buf *out, size_t n, const char *letters)
{
	while (n-- > 0)
		buf_byte(out, (uint8_t)letters[draw((unsigned)strlen(letters))]);
}

#define HEX	"0123456789abcdef"
#define ALNUM	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define B64	ALNUM "-_"

/* One secret in its form; the part of it that must not be seen stands alone in core. */
static void
draw_secret(unsigned form, struct buf *out, struct buf *core)
{
	switch (form) {
	case 0:
		put_drawn(out, 1, "abcdefghijklmnopqrstuvwxyz");
		put_drawn(out, 1 + draw(15), "abcdefghijklmnopqrstuvwxyz0123456789");
		buf_byte(out, '_');
		put_drawn(out, 8, ALNUM);
		buf_byte(out, '_');
		put_drawn(core, 32, HEX);
		break;
	case 1:
		buf_str(out, "crlrt_");
		put_drawn(out, 24, ALNUM);
		buf_printf(out, "_%u_", draw(1000));
		put_drawn(core, 43, B64);
		break;
	case 2:
		buf_str(out, "eyJ");
		put_drawn(core, 40, ALNUM);
		buf_byte(core, '.');
		put_drawn(core, 60, B64);
		buf_byte(core, '.');
		put_drawn(core, 86, B64);
		break;
	case 3:
		put_drawn(core, 43, ALNUM);
		break;
	case 4:
		buf_str(out, "postgres://reader:");
		put_drawn(core, 12, ALNUM);
		break;
	default:
		buf_str(out, draw(2) == 0 ? "password=" : "?code=");
		put_drawn(core, 12, ALNUM);
		break;
	}
	buf_span(out, buf_view(core));
	if (form == 4)
		buf_str(out, "@host/db");
}

/* Encode some bytes of text, or all that need it. */
static void
encode(struct buf *text)
{
	static const char *const forms[] = { "%", "\\u00", "\\x" };
	const char *form = forms[draw(3)];
	unsigned share = 1 + draw(4);
	struct buf out = { .max = 0 };

	for (size_t i = 0; i < text->len; i++)
		if (text->p[i] == '%' || text->p[i] == '\\' || draw(share) == 0)
			buf_printf(&out, draw(2) == 0 ? "%s%02X" : "%s%02x", form, text->p[i]);
		else
			buf_byte(&out, text->p[i]);
	buf_reset(text, SIZE_MAX);
	buf_span(text, buf_view(&out));
	buf_fini(&out);
}

/* Decode once; false: there was nothing to decode. */
static bool
decode_once(struct buf *text)
{
	struct buf out = { .max = 0 };
	bool any = false;

	for (size_t i = 0; i < text->len; i++) {
		const char *rest = buf_cstr(text) + i;
		size_t at = rest[0] == '%' ? 1 : rest[0] == '\\' && (rest[1] == 'u' || rest[1] == 'x') ? 2 : 0;
		size_t digits = at == 2 && rest[1] == 'u' ? 4 : 2, k = 0;
		unsigned value = 0;

		while (at > 0 && k < digits && ascii_hex((uint8_t)rest[at + k]) >= 0)
			value = value << 4 | (unsigned)ascii_hex((uint8_t)rest[at + k++]);
		if (at > 0 && k == digits) {
			buf_byte(&out, (uint8_t)value);
			i += at + digits - 1;
			any = true;
		} else
			buf_byte(&out, (uint8_t)rest[0]);
	}
	buf_reset(text, SIZE_MAX);
	buf_span(text, buf_view(&out));
	buf_fini(&out);
	return any;
}

static void
drawn_secrets_are_hidden_in_every_encoding(void **state)
{
	static const char *const before[] = { "", "SELECT '", "carrel://wiki/", "{\"a\":\"", "a=b&x=", "note: " };
	static const char *const after[] = { "", "'", "/x", "\"}", "&y=1", " and more" };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct buf text = { .max = 0 }, secret = { .max = 0 }, core = { .max = 0 }, out = { .max = 0 };
		unsigned form = i % 6, context = draw(6), times = draw(4);

		draw_secret(form, &secret, &core);
		for (unsigned k = 0; k < times; k++)
			encode(&secret);
		buf_printf(&text, "%s%s%s", before[context], buf_cstr(&secret), after[context]);
		if (!policy_secrets_hide(buf_view(&text), none, &out))
			fail_msg("not hidden: %s", buf_cstr(&text));
		do {
			if (memmem(out.p, out.len, core.p, core.len < 8 ? core.len : 8) != NULL ||
			    memmem(out.p, out.len, core.p + core.len - 8, 8) != NULL)
				fail_msg("%s\nis shown in %s", buf_cstr(&text), buf_cstr(&out));
		} while (decode_once(&out));
		buf_fini(&text);
		buf_fini(&secret);
		buf_fini(&core);
		buf_fini(&out);
	}
}

/* Honest statements stay as they are. */
static void
statements_of_the_corpora_stay(void **state)
{
	static const char *const texts[] = {
#define HOSTILE(...)
#define HONEST(group, sql) sql,
#include "workers/sql/postgres/guard/attacks_postgres.def"
#include "workers/sql/sqlite/attacks_sqlite.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf out = { .max = 0 };

		if (policy_secrets_hide(span_str(texts[i]), none, &out))
			fail_msg("%s\nis shown as %s", texts[i], buf_cstr(&out));
		buf_fini(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_of_every_form_are_hidden),
		cmocka_unit_test(a_known_secret_is_hidden_wherever_it_stands),
		cmocka_unit_test(drawn_secrets_are_hidden_in_every_encoding),
		cmocka_unit_test(statements_of_the_corpora_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
