/* tokens.c - see tokens.h: tokens in the store. */
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/system/log.h"
#include "workers/auth/change.h"
#include "workers/auth/oauth/oauth.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/tokens/uses.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"

#define LOOK_MS		10	/* between checks for writes of other processes, each as expensive as a call's entry */
#define WRITE_MS	5000	/* between writes of uses */
#define BEFORE_MS	3600000	/* at the start, fronts are told of tokens that ended within this time */

void
tokens_changed(struct auth *a)
{
	a->changes++;
	a->sweep_due_ms = 1; /* at once */
}

static enum ipc_verdict
verdict_of(const struct auth *a, const struct store_token *t, bool right, uint64_t now_ms)
{
	if (!right || !a->enabled)
		return IPC_VERDICT_INVALID;
	switch (token_state(t, now_ms)) {
	case TOKEN_ACTIVE:
		return IPC_VERDICT_GOOD;
	case TOKEN_REVOKED:
		return IPC_VERDICT_REVOKED;
	case TOKEN_EXPIRED:
		return IPC_VERDICT_EXPIRED;
	case TOKEN_PENDING:
		break;
	}
	return IPC_VERDICT_INVALID;
}

void
tokens_verify(struct auth *a, struct span text, uint64_t now_ms, struct ipc_verified *out, char principal[32])
{
	struct store_token t = { .has_secret = false };
	uint8_t mac[STORE_TOKEN_MAC];
	struct span id, secret;
	struct err err;
	bool same;
	int found;

	*out = (struct ipc_verified){ .verdict = IPC_VERDICT_INVALID };
	if (!token_split(text, a->conf.token_prefix, &id, &secret))
		return;
	token_mac(a->conf.token_key, secret, mac);
	if ((found = store_token(a->store, id, &t, &err)) < 0) {
		log_error("a token cannot be verified: %s", err.message);
		out->verdict = IPC_VERDICT_UNKNOWN;
		return;
	}
	same = sodium_memcmp(mac, t.mac, sizeof(mac)) == 0;
	sodium_memzero(mac, sizeof(mac));
	same = same && found && t.has_secret;
	out->verdict = verdict_of(a, &t, same, now_ms);
	if (same) {
		snprintf(principal, 32, "token:%s", t.id);
		out->principal = span_str(principal);
	}
	if (out->verdict == IPC_VERDICT_GOOD) {
		uses_verified(a, id, t.expires_ms, now_ms);
		out->scopes = t.scopes;
		memcpy(a->told_named.text, t.tools, sizeof(t.tools));
		out->tools = span_str(a->told_named.text);
		out->expires_unix_ms = t.expires_ms;
		out->keep_ms = fronts_keep_ms(store_lease_ms(a->store), t.expires_ms, now_ms);
	}
}

struct census {
	uint64_t	now_ms;
	size_t		open;	/* active or pending */
};

static bool
count_open(void *arg, const struct store_token *t)
{
	struct census *c = arg;
	enum token_state state = token_state(t, c->now_ms);

	c->open += state == TOKEN_ACTIVE || state == TOKEN_PENDING;
	return true;
}

static int
check_room(struct auth *a, uint64_t now_ms, struct err *err)
{
	struct census census = { .now_ms = now_ms };

	if (store_tokens(a->store, count_open, &census, err) != 0)
		return -1;
	return census.open < a->conf.max_tokens ?
	    0 :
	    err_set(err, ERR_INVALID_ARGUMENTS,
		"%zu tokens are active or pending, and connectivity.max_tokens is %u: revoke one first (`carrel token "
		"revoke ID`)",
		census.open, a->conf.max_tokens);
}

/* Draw the secret: append it to text after prefix and id; set the digest and the last characters in t. */
static void
draw_secret(struct auth *a, struct store_token *t, char text[TOKEN_TEXT])
{
	uint8_t raw[POLICY_TOKEN_SECRET / 2];
	char hex[POLICY_TOKEN_SECRET + 1];

	randombytes_buf(raw, sizeof(raw));
	sodium_bin2hex(hex, sizeof(hex), raw, sizeof(raw));
	token_mac(a->conf.token_key, span_of(hex, POLICY_TOKEN_SECRET), t->mac);
	t->has_secret = true;
	memcpy(t->last, hex + POLICY_TOKEN_SECRET - STORE_TOKEN_LAST, STORE_TOKEN_LAST + 1);
	snprintf(text, TOKEN_TEXT, "%s_%s_%s", a->conf.token_prefix, t->id, hex);
	sodium_memzero(raw, sizeof(raw));
	sodium_memzero(hex, sizeof(hex));
}

static int
draw_id(struct auth *a, struct store_token *t, struct err *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	struct store_token other;
	int found;

	do {
		for (size_t i = 0; i < STORE_TOKEN_ID; i++)
			t->id[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
		t->id[STORE_TOKEN_ID] = '\0';
		found = store_token(a->store, span_str(t->id), &other, err);
	} while (found == 1);
	return found;
}

static int
create_within(struct auth *a, struct store_token *t, bool reveal, char text[TOKEN_TEXT], struct err *err)
{
	if (check_room(a, t->created_ms, err) != 0 || draw_id(a, t, err) != 0)
		return -1;
	if (reveal)
		draw_secret(a, t, text);
	return store_token_add(a->store, t, err);
}

int
tokens_create(struct auth *a, const struct call *c, struct store_token *t, bool reveal, char text[TOKEN_TEXT],
    struct err *err)
{
	int result;

	t->created_ms = store_now_ms(a->store);
	if (store_begin(a->store, err) != 0)
		return -1;
	if ((result = create_within(a, t, reveal, text, err)) == 0)
		result = change_record_grant(a, c, AUDIT_ACTION_TOKEN_CREATE, t->id, t->scopes, t->tools, err);
	return change_end(a, result, err);
}

int
tokens_find(struct auth *a, struct span name, struct store_token *out, struct err *err)
{
	char id[STORE_TOKEN_ID + 1] = "";
	int found = store_token(a->store, name, out, err);
	size_t n = 0;

	if (found != 0)
		return found < 0 ? -1 : 0;
	if (store_token_labelled(a->store, name, id, &n, err) != 0)
		return -1;
	if (n > 1)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%zu tokens have that label; name one by its id (`carrel token list --all`)", n);
	if (n == 1 && (found = store_token(a->store, span_str(id), out, err)) != 0)
		return found < 0 ? -1 : 0;
	return err_set(err, ERR_INVALID_ARGUMENTS, "there is no such token; `carrel token list --all` shows them");
}

static int
reveal_within(struct auth *a, struct store_token *t, char text[TOKEN_TEXT], struct err *err)
{
	uint64_t now = store_now_ms(a->store);
	int found = store_token(a->store, span_str(t->id), t, err);

	if (found < 0)
		return -1;
	if (found == 0 || token_state(t, now) != TOKEN_PENDING)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the token is %s, not pending: a secret is shown only once; revoke it and create another one",
		    found == 0                              ? "gone" :
			t->has_secret || t->revoked_ms != 0 ? token_state_name(token_state(t, now)) :
							      "lapsed");
	draw_secret(a, t, text);
	return store_token_reveal(a->store, t, err);
}

int
tokens_reveal(struct auth *a, const struct call *c, struct store_token *t, char text[TOKEN_TEXT], struct err *err)
{
	int result;

	if (store_begin(a->store, err) != 0)
		return -1;
	if ((result = reveal_within(a, t, text, err)) == 0)
		result = change_record(a, c, AUDIT_ACTION_TOKEN_REVEAL, t->id, err);
	return change_end(a, result, err);
}

int
tokens_revoke(struct auth *a, const struct call *c, struct store_token *t, struct err *err)
{
	uint64_t now = store_now_ms(a->store);
	int result;

	if (t->revoked_ms != 0)
		return 0;
	if (store_begin(a->store, err) != 0)
		return -1;
	if ((result = store_token_revoke(a->store, t->id, now, err)) == 0)
		result = change_record(a, c, AUDIT_ACTION_TOKEN_REVOKE, t->id, err);
	if (change_end(a, result, err) != 0)
		return -1;
	t->revoked_ms = now;
	return 0;
}

#define LAPSES_MAX	64	/* at one time; the rest next time */

struct sweep {
	struct auth	*a;
	uint64_t	 since_ms, now_ms, due_ms;
	char		 lapsed[LAPSES_MAX][STORE_TOKEN_ID + 1];
	size_t		 nlapsed;
};

static void
sweep_due(struct sweep *s, uint64_t at_ms)
{
	if (at_ms > s->now_ms && (s->due_ms == 0 || at_ms < s->due_ms))
		s->due_ms = at_ms;
}

/* A pending token older than a day: its end is recorded. */
static void
sweep_pending(struct sweep *s, const struct store_token *t)
{
	uint64_t end = t->created_ms + TOKEN_LAPSE_MS;

	if (t->has_secret || t->revoked_ms != 0 || (t->expires_ms != 0 && t->expires_ms <= end))
		return;
	sweep_due(s, end);
	if (end <= s->now_ms && s->nlapsed < LAPSES_MAX)
		memcpy(s->lapsed[s->nlapsed++], t->id, sizeof(t->id));
}

/* Handle a token that ended since the last look, and find the next end. */
static bool
sweep_one(void *arg, const struct store_token *t)
{
	struct sweep *s = arg;
	char principal[32];

	snprintf(principal, sizeof(principal), "token:%s", t->id);
	if (t->revoked_ms >= s->since_ms && t->revoked_ms != 0)
		fronts_end(&s->a->fronts, principal, IPC_VERDICT_REVOKED);
	else if (t->expires_ms >= s->since_ms && t->expires_ms != 0 && t->expires_ms <= s->now_ms)
		fronts_end(&s->a->fronts, principal, IPC_VERDICT_EXPIRED);
	if (t->revoked_ms == 0 && t->expires_ms != 0)
		sweep_due(s, t->expires_ms);
	sweep_pending(s, t);
	return true;
}

static int
lapse_within(struct auth *a, const struct sweep *s, struct err *err)
{
	for (size_t i = 0; i < s->nlapsed; i++)
		if (store_token_lapse(a->store, s->lapsed[i], TOKEN_LAPSE_MS, err) != 0 ||
		    change_record(a, NULL, AUDIT_ACTION_TOKEN_LAPSE, s->lapsed[i], err) != 0)
			return -1;
	return 0;
}

static int
tokens_lapse(struct auth *a, const struct sweep *s, struct err *err)
{
	return s->nlapsed == 0 ? 0 : store_begin(a->store, err) != 0 ? -1 : change_end(a, lapse_within(a, s, err), err);
}

static void
tokens_sweep(struct auth *a, uint64_t now_ms)
{
	/* All processes share a clock, but a commit becomes visible a moment later. */
	uint64_t margin = a->swept_ms == 0 ? BEFORE_MS : 2 * WRITE_MS;
	uint64_t last = a->swept_ms == 0 ? now_ms : a->swept_ms;
	struct sweep s = { .a = a, .since_ms = last > margin ? last - margin : 0, .now_ms = now_ms };
	struct err err;

	if (store_tokens(a->store, sweep_one, &s, &err) != 0) {
		log_warn("the tokens cannot be looked through: %s", err.message);
		a->sweep_due_ms = now_ms + WRITE_MS;
		return;
	}
	a->swept_ms = now_ms;
	a->sweep_due_ms = s.due_ms;
	if (tokens_lapse(a, &s, &err) != 0) {
		log_warn("pending tokens have lapsed, which was not written and is tried again: %s", err.message);
		a->sweep_due_ms = now_ms + WRITE_MS;
	}
}

static void
look_elsewhere(struct auth *a, uint64_t now_ms)
{
	struct err err;

	a->look_due |= store_changed_elsewhere(a->store);
	if (!a->look_due)
		return;
	tokens_changed(a);
	oauth_changed_elsewhere(a);
	if (connectivity_read(a, &err) != 0) {
		log_warn("whether connectivity is enabled cannot be read: %s", err.message);
		return;
	}
	a->look_due = false;
	a->acts_on = store_revision(a->store);
	a->acts_since_ms = now_ms;
}

void
tokens_tend(struct auth *a, uint64_t now_ms)
{
	if (now_ms - a->looked_ms >= LOOK_MS) {
		a->looked_ms = now_ms;
		look_elsewhere(a, now_ms);
	}
	if (a->sweep_due_ms != 0 && a->sweep_due_ms <= now_ms)
		tokens_sweep(a, now_ms);
	if (now_ms - a->written_ms >= WRITE_MS)
		uses_write(a, now_ms);
}
