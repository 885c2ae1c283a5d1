#include <string.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "policy/scopes.h"
#include "policy/token.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/store/store_token.h"

enum token_state
token_state(const struct store_token *t, uint64_t now_ms)
{
	if (t->revoked_ms != 0)
		return TOKEN_REVOKED;
	if (t->expires_ms != 0 && t->expires_ms <= now_ms)
		return TOKEN_EXPIRED;
	if (t->has_secret)
		return TOKEN_ACTIVE;
	return t->created_ms + TOKEN_LAPSE_MS <= now_ms ? TOKEN_EXPIRED : TOKEN_PENDING;
}

const char *
token_state_name(enum token_state state)
{
	static const char *const names[] = { "pending", "active", "expired", "revoked" };

	return names[state];
}

bool
token_split(struct span text, const char *prefix, struct span *id, struct span *secret)
{
	if (!policy_token_is(prefix, text))
		return false;
	*secret = span_of(text.p + text.len - POLICY_TOKEN_SECRET, POLICY_TOKEN_SECRET);
	*id = span_of(secret->p - 1 - POLICY_TOKEN_ID, POLICY_TOKEN_ID);
	return true;
}

void
token_mac(const uint8_t key[AUTH_KEY], struct span secret, uint8_t mac[STORE_TOKEN_MAC])
{
	crypto_auth_hmacsha256(mac, secret.p, secret.len, key);
}

void
token_put_time(struct buf *out, uint64_t unix_ms)
{
	char at[25];

	if (unix_ms == 0) {
		mp_put_nil(out);
		return;
	}
	clock_iso8601(unix_ms, at);
	mp_put_cstr(out, at);
}

void
token_put_scopes(struct buf *out, uint32_t scopes, const char *tools)
{
	size_t mark = mp_open_array(out);

	for (unsigned bit = 0; bit < 32; bit++) {
		struct buf name = { 0 };

		policy_scopes_text(scopes & UINT32_C(1) << bit, &name);
		if (name.len > 0)
			mp_put_str(out, buf_view(&name));
		buf_fini(&name);
	}
	for (size_t n; *(tools += strspn(tools, " ")) != '\0'; tools += n) {
		size_t text = mp_open_str(out);

		n = strcspn(tools, " ");
		buf_printf(out, POLICY_TOOL_SCOPE "%.*s", (int)n, tools);
		mp_close_str(out, text);
	}
	mp_end(out, mark);
}

static const struct token_use *
unwritten(const struct auth *a, const char *id)
{
	static const struct token_use none;

	for (size_t i = 0; i < a->nuses; i++)
		if (strcmp(a->uses[i].id, id) == 0)
			return &a->uses[i];
	return &none;
}

void
token_put(const struct auth *a, const struct store_token *t, uint64_t now_ms, struct buf *out)
{
	const struct token_use *use = unwritten(a, t->id);
	enum token_state state = token_state(t, now_ms);
	size_t map = mp_open_pairs(out, mp_cstr("id", t->id), mp_cstr("label", t->label));

	mp_put_cstr(out, "scopes");
	token_put_scopes(out, t->scopes, t->tools);
	mp_put_cstr(out, "created_at");
	token_put_time(out, t->created_ms);
	mp_put_cstr(out, "expires_at");
	token_put_time(out, t->expires_ms);
	mp_put_cstr(out, "last_used_at");
	token_put_time(out, use->last_ms > t->last_used_ms ? use->last_ms : t->last_used_ms);
	mp_add_pairs(out, mp_uint("request_count", t->requests + use->requests),
	    mp_cstr("secret_last4", t->has_secret ? t->last : NULL), mp_cstr("state", token_state_name(state)),
	    mp_bool("revoked", t->revoked_ms != 0));
	mp_put_cstr(out, "revoked_at");
	token_put_time(out, t->revoked_ms);
	mp_end(out, map);
}
