#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "project/platforms.h"
#include "workers/auth/tokens/concierge.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/store/store_dataset.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tools.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/call.h"

/*
 * Check in the store that the caller is an administrator: the front says who asks and with which scopes, but it also
 * parses input of strangers.
 */
static int
check_user(struct call *c, struct err *err)
{
	static const char prefix[] = "user:";
	struct auth *a = call_state(c);
	struct span name = call_principal(c);
	struct store_user user;
	int found = 0;

	if (span_begins(name, prefix)) {
		name = span_of(name.p + strlen(prefix), name.len - strlen(prefix));
		if ((found = oauth_user(a, name, &user, err)) < 0)
			return -1;
	}
	if (found == 1 && (oauth_user_scopes(a, &user) & POLICY_SCOPE_CONNECTIVITY_ADMIN) != 0)
		return 0;
	return err_set(err, ERR_SCOPE_DENIED,
	    "the connectivity tools are for users who sign in as administrators; the server's owner has `carrel "
	    "connectivity` and `carrel token` at the command line");
}

int
concierge_status(struct call *c, const struct mp_value *args, struct err *err)
{
	return check_user(c, err) != 0 ? -1 : connectivity_state(c, args, err);
}

int
concierge_enable(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	return check_user(c, err) != 0 ? -1 : connectivity_switch(c, true, err);
}

int
concierge_disable(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args;
	return check_user(c, err) != 0 ? -1 : connectivity_switch(c, false, err);
}

/* Create a token without a secret: agents must not read secrets, so the owner reveals it. */
int
concierge_create(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct store_token t = { .has_secret = false };
	char unused[TOKEN_TEXT], reveal[64];
	struct buf out = { 0 };
	size_t map;

	if (check_user(c, err) != 0 || auth_read_label(args, &t, err) != 0 || auth_read_grant(a, args, &t, err) != 0 ||
	    tokens_create(a, c, &t, false, unused, err) != 0)
		return -1;
	snprintf(reveal, sizeof(reveal), "carrel token reveal %s", t.id);
	map = mp_open_pairs(&out, mp_cstr("token_id", t.id), mp_cstr("label", t.label));
	mp_put_cstr(&out, "scopes");
	token_put_scopes(&out, t.scopes, t.tools);
	mp_add_pairs(&out, mp_cstr("state", token_state_name(token_state(&t, store_now_ms(a->store)))),
	    mp_cstr("reveal", reveal));
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

int
concierge_revoke(struct call *c, const struct mp_value *args, struct err *err)
{
	struct store_token t;

	if (check_user(c, err) != 0 || tokens_find(call_state(c), mp_get_str(args, "token_id", SPAN("")), &t, err) != 0)
		return -1;
	return auth_revoke_and_tell(c, &t, err);
}

static int
unknown_platform(struct span name, struct err *err)
{
	struct buf names = { 0 };

	platform_names(&names);
	err_set(err, ERR_INVALID_ARGUMENTS, "\"%.*s\" is no platform; there are %s",
	    (int)(name.len < 64 ? name.len : 64), (const char *)name.p, buf_cstr(&names));
	buf_fini(&names);
	return -1;
}

/* The token to set up a client with; an ended one is refused. */
static int
find_usable(struct auth *a, struct span name, struct store_token *t, struct err *err)
{
	enum token_state state;

	if (tokens_find(a, name, t, err) != 0)
		return -1;
	state = token_state(t, store_now_ms(a->store));
	if (state == TOKEN_ACTIVE || state == TOKEN_PENDING)
		return 0;
	return err_set(err, ERR_INVALID_ARGUMENTS, "token %s is %s; make another one, or leave token_id out", t->id,
	    token_state_name(state));
}

/* Answer with the result, naming the dataset tools as clients see them. */
static void
call_result_named(struct call *c, const char *prefix, struct span map)
{
	struct buf named = { 0 };
	struct mp_value v;

	if (mp_value(map, &v))
		tool_names_value(prefix, &v, &named);
	call_result(c, buf_view(&named));
	buf_fini(&named);
}

/* makes: without a token_id a token is made, without a secret, for a program that needs one. */
static int
guide_to(struct call *c, const struct mp_value *args, bool makes, struct err *err)
{
	struct auth *a = call_state(c);
	struct span name = mp_get_str(args, "platform", SPAN("")), id = mp_get_str(args, "token_id", SPAN(""));
	const struct platform *p = platform_named(name);
	struct platform_server s = {
		.project_dir = a->conf.project_dir, .enabled = a->enabled, .oauth = a->conf.oauth
	};
	struct buf origin = { 0 }, out = { 0 };
	struct store_token t = { .has_secret = false };
	char unused[TOKEN_TEXT];

	if (p == NULL)
		return unknown_platform(name, err);
	makes = makes && id.len == 0 && p->way != PLATFORM_APP;
	if (makes) {
		snprintf(t.label, sizeof(t.label), "%s", p->name);
		if (auth_read_grant(a, args, &t, err) != 0 || tokens_create(a, c, &t, false, unused, err) != 0)
			return -1;
	} else if (id.len > 0 && find_usable(a, id, &t, err) != 0)
		return -1;
	if (makes || id.len > 0) {
		s.token_id = t.id;
		s.token_state = token_state_name(token_state(&t, store_now_ms(a->store)));
	}
	platform_origin(a->conf.public_url, a->conf.bind_host, a->conf.port, &origin);
	s.url = buf_cstr(&origin);
	platform_guide(p, &s, &out);
	call_result_named(c, a->conf.tool_prefix, buf_view(&out));
	buf_fini(&out);
	buf_fini(&origin);
	return 0;
}

int
concierge_guide(struct call *c, const struct mp_value *args, struct err *err)
{
	return guide_to(c, args, false, err);
}

int
concierge_setup(struct call *c, const struct mp_value *args, struct err *err)
{
	return check_user(c, err) != 0 ? -1 : guide_to(c, args, true, err);
}

#define EXPIRES_SOON_MS	(UINT64_C(7) * 24 * 3600 * 1000)
#define FINDINGS_MAX	8

/* Errors and advice; either list may be empty. */
struct concierge_findings {
	const char	*errors[FINDINGS_MAX], *advice[FINDINGS_MAX];
	size_t		 nerrors, nadvice;
	char		 texts[FINDINGS_MAX][160];
	size_t		 ntexts;
};

static void
find_wrong(struct concierge_findings *f, const char *error, const char *advice)
{
	if (error != NULL)
		f->errors[f->nerrors++] = error;
	if (advice != NULL)
		f->advice[f->nadvice++] = advice;
}

/* Format a text with a token's id in the middle. */
static const char *
text_of(struct concierge_findings *f, const char *before, const char *id, const char *after)
{
	char *text = f->texts[f->ntexts++];

	snprintf(text, sizeof(f->texts[0]), "%s%s%s", before, id, after);
	return text;
}

static void
find_state(struct concierge_findings *f, const struct store_token *t, enum token_state state, uint64_t now)
{
	switch (state) {
	case TOKEN_PENDING:
		find_wrong(f, "the token is pending: it has no secret yet and is refused everywhere",
		    text_of(f, "reveal it within a day of its making: `carrel token reveal ", t->id, "`"));
		break;
	case TOKEN_EXPIRED:
		find_wrong(f, "the token has expired", "make another one: `carrel token create --label TEXT`");
		break;
	case TOKEN_REVOKED:
		find_wrong(f, "the token was revoked", "make another one: `carrel token create --label TEXT`");
		break;
	case TOKEN_ACTIVE:
		if (t->expires_ms != 0 && t->expires_ms < now + EXPIRES_SOON_MS)
			find_wrong(f, NULL, "the token expires within a week; make the next one in time");
		if (t->last_used_ms == 0)
			find_wrong(f, NULL,
			    text_of(f,
				"the token was never used; set a program up with `carrel connectivity setup PLATFORM "
				"--token ",
				t->id, "`"));
		break;
	}
}

static void
find_scopes(struct concierge_findings *f, uint32_t scopes, const char *tools)
{
	if ((scopes & POLICY_SCOPES_EXT) == 0 && tools[0] != '\0')
		return;
	if ((scopes & POLICY_SCOPES_EXT) == 0)
		find_wrong(f, NULL, "the token has none of the scopes ext:*, so published datasets are closed to it");
	else if ((scopes & POLICY_SCOPE_EXT_DATASETS) == 0)
		find_wrong(f, NULL, "the token lacks ext:datasets, so its holder must know the datasets' ids");
}

/* The number of datasets that the token can list. */
static int
count_datasets(struct auth *a, uint32_t scopes, struct concierge_findings *f, uint64_t *n, struct err *err)
{
	if (store_datasets_count(a->store, n, err) != 0)
		return -1;
	if (*n == 0)
		find_wrong(f, NULL, "nothing is published yet: `carrel dataset publish CONNECTION TABLE`");
	if ((scopes & POLICY_SCOPE_EXT_DATASETS) == 0)
		*n = 0;
	return 0;
}

/* queried: the caller runs the test query. */
static int
check_and_tell(struct call *c, const struct mp_value *args, bool queried, struct err *err)
{
	struct auth *a = call_state(c);
	struct concierge_findings f = { .nerrors = 0 };
	struct buf out = { 0 };
	struct store_token t;
	enum token_state state;
	uint64_t began = clock_ns(), now = store_now_ms(a->store), datasets;
	size_t map;

	if (tokens_find(a, mp_get_str(args, "token_id", SPAN("")), &t, err) != 0)
		return -1;
	state = token_state(&t, now);
	if (!a->enabled)
		find_wrong(&f, "connectivity is off: no token is taken", "turn it on: `carrel connectivity enable`");
	find_state(&f, &t, state, now);
	find_scopes(&f, t.scopes, t.tools);
	if (count_datasets(a, t.scopes, &f, &datasets, err) != 0)
		return -1;
	if (!queried && datasets > 0)
		find_wrong(&f, NULL,
		    text_of(&f, "no query is run from here; `carrel connectivity test ", t.id, "` runs one"));
	map = mp_open_pairs(&out, mp_bool("token_valid", a->enabled && state == TOKEN_ACTIVE));
	mp_put_cstr(&out, "scopes");
	token_put_scopes(&out, t.scopes, t.tools);
	mp_add_pairs(&out, mp_uint("datasets_accessible", datasets), mp_bool("sample_query_ok", false),
	    mp_uint("latency_ms", (clock_ns() - began) / CLOCK_MS), mp_cstrs("errors", f.errors, f.nerrors),
	    mp_cstrs("recommendations", f.advice, f.nadvice));
	mp_end(&out, map);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

int
concierge_check(struct call *c, const struct mp_value *args, struct err *err)
{
	return check_and_tell(c, args, true, err);
}

int
concierge_test(struct call *c, const struct mp_value *args, struct err *err)
{
	return check_user(c, err) != 0 ? -1 : check_and_tell(c, args, false, err);
}
