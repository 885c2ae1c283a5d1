/* tokens_form - the form of a token, its states and how it is shown. */
#pragma once

#include "workers/auth/tokens/tokens.h"
#include "workers/auth/store/store_token.h"

enum token_state token_state(const struct store_token *t, uint64_t now_ms);
const char *token_state_name(enum token_state state);

/* Split a token with this prefix; false: it has another form. */
bool token_split(struct span text, const char *prefix, struct span *id, struct span *secret);

/* The keyed digest of a secret. */
void token_mac(const uint8_t key[AUTH_KEY], struct span secret, uint8_t mac[STORE_TOKEN_MAC]);

/* Append the object `token` of cli-admin, including uses that are not written yet. */
void token_put(const struct auth *a, const struct store_token *t, uint64_t now_ms, struct buf *out);

/* Append the names of scopes as an array; tools as of struct store_token, or "". */
void token_put_scopes(struct buf *out, uint32_t scopes, const char *tools);


/* Append a time as text, or nil for 0. */
void token_put_time(struct buf *out, uint64_t unix_ms);
