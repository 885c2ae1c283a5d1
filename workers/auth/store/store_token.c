/* store_token.c - settings and connectivity tokens in the store. */
#include <stdio.h>
#include <string.h>

#include "workers/auth/store/store_claim.h"
#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_token.h"

int
store_setting(struct store *s, const char *key, struct buf *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_SETTING, err, STORE_T(key));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	buf_span(out, store_column(q, 0));
	return store_found(q);
}

int
store_set_setting(struct store *s, const char *key, struct span value, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_SET_SETTING, err, STORE_T(key), STORE_S(value)), NULL, err);
}

/* Reads STORE_TOKEN_COLUMNS. */
static void
read_token(struct store_query *q, struct store_token *t)
{
	memset(t, 0, sizeof(*t));
	store_column_text(q, 0, t->id, sizeof(t->id));
	store_column_text(q, 1, t->label, sizeof(t->label));
	t->has_secret = store_column_blob(q, 2, t->mac, STORE_TOKEN_MAC);
	store_column_text(q, 3, t->last, sizeof(t->last));
	t->scopes = (uint32_t)store_column_uint(q, 4);
	t->created_ms = store_column_uint(q, 5);
	t->expires_ms = store_column_uint(q, 6);
	t->last_used_ms = store_column_uint(q, 7);
	t->requests = store_column_uint(q, 8);
	t->revoked_ms = store_column_uint(q, 9);
	store_column_text(q, 10, t->tools, sizeof(t->tools));
}

int
store_token_add(struct store *s, const struct store_token *t, struct err *err)
{
	char principal[sizeof("token:") + STORE_TOKEN_ID];

	snprintf(principal, sizeof(principal), "token:%s", t->id);
	if (store_change(STORE_GIVEN(s, STORE_TOKEN_ADD, err, STORE_T(t->id), STORE_T(t->label),
			     STORE_B(t->has_secret ? t->mac : NULL, t->has_secret ? sizeof(t->mac) : 0),
			     STORE_T(t->last), STORE_N(t->scopes), STORE_N(t->created_ms), STORE_N(t->expires_ms),
			     STORE_T(t->tools)),
		NULL, err) != 0)
		return -1;
	return t->claims.len == 0 ? 0 : store_claims_set(s, principal, t->claims, err);
}

/* For an unknown id a neighbouring row is read, which takes the same time. */
int
store_token(struct store *s, struct span id, struct store_token *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_TOKEN_FROM, err, STORE_S(id));
	int found = store_look(q, err);

	if (found == 0) {
		q = STORE_GIVEN(s, STORE_TOKEN_UP_TO, err, STORE_S(id));
		found = store_look(q, err);
	}
	if (found != 1)
		return found;
	read_token(q, out);
	store_found(q);
	return span_is_str(id, out->id);
}

int
store_token_labelled(struct store *s, struct span label, char id[STORE_TOKEN_ID + 1], size_t *n, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_TOKEN_LABELLED, err, STORE_S(label));

	if (store_look(q, err) != 1)
		return -1;
	store_column_text(q, 0, id, STORE_TOKEN_ID + 1);
	*n = (size_t)store_column_uint(q, 1);
	store_found(q);
	return 0;
}

int
store_tokens(struct store *s, bool (*fn)(void *arg, const struct store_token *t), void *arg, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_TOKENS, err);
	struct store_token t;
	int found;

	while ((found = store_look(q, err)) == 1) {
		read_token(q, &t);
		if (!fn(arg, &t)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_token_reveal(struct store *s, const struct store_token *t, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TOKEN_REVEAL, err, STORE_T(t->id), STORE_B(t->mac, sizeof(t->mac)),
				STORE_T(t->last)),
	    NULL, err);
}

int
store_token_revoke(struct store *s, const char *id, uint64_t now_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TOKEN_REVOKE, err, STORE_T(id), STORE_N(now_ms)), NULL, err);
}

int
store_token_lapse(struct store *s, const char *id, uint64_t after_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TOKEN_LAPSE, err, STORE_T(id), STORE_N(after_ms)), NULL, err);
}

int
store_token_used(struct store *s, const char *id, uint64_t requests, uint64_t last_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TOKEN_USED, err, STORE_T(id), STORE_N(requests), STORE_N(last_ms)),
	    NULL, err);
}
