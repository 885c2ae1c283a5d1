/* store_token - settings and connectivity tokens in the store. */
#pragma once

#include "workers/auth/store/store.h"

/* The value of key into out.  1: found, 0: not set, -1. */
int store_setting(struct store *s, const char *key, struct buf *out, struct err *err);
int store_set_setting(struct store *s, const char *key, struct span value, struct err *err);

int store_token_add(struct store *s, const struct store_token *t, struct err *err);

/* 1: found, 0: no token with this id, -1.  Takes the same time for both. */
int store_token(struct store *s, struct span id, struct store_token *out, struct err *err);

/* The number of tokens with this label; *id: one of them. */
int store_token_labelled(struct store *s, struct span label, char id[STORE_TOKEN_ID + 1], size_t *n, struct err *err);

/* Call fn for each token, oldest first, until it returns false. */
int store_tokens(struct store *s, bool (*fn)(void *arg, const struct store_token *t), void *arg, struct err *err);

/* Store the secret of a pending token. */
int store_token_reveal(struct store *s, const struct store_token *t, struct err *err);
int store_token_revoke(struct store *s, const char *id, uint64_t now_ms, struct err *err);

/* End a pending token after_ms after its creation. */
int store_token_lapse(struct store *s, const char *id, uint64_t after_ms, struct err *err);

/* Add to the number of uses, and set the last use. */
int store_token_used(struct store *s, const char *id, uint64_t requests, uint64_t last_ms, struct err *err);
