#include <stdio.h>
#include <string.h>

#include "workers/auth/store/store_sqlite.h"
#include "workers/auth/store/store_token.h"

int
store_setting(struct store *s, const char *key, struct buf *out, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_SETTING, err);
	int code;

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(key));
	if ((code = sqlite3_step(q)) == SQLITE_ROW)
		buf_append(out, sqlite3_column_text(q, 0), (size_t)sqlite3_column_bytes(q, 0));
	sqlite3_reset(q);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

int
store_set_setting(struct store *s, const char *key, struct span value, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_SET_SETTING, err);

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(key));
	store_bind(q, 2, value);
	return store_run(s, q, err);
}

/* Reads STORE_TOKEN_COLUMNS. */
static void
read_token(sqlite3_stmt *q, struct store_token *t)
{
	const void *mac = sqlite3_column_blob(q, 2);

	memset(t, 0, sizeof(*t));
	store_column_text(q, 0, t->id, sizeof(t->id));
	store_column_text(q, 1, t->label, sizeof(t->label));
	t->has_secret = mac != NULL && sqlite3_column_bytes(q, 2) == STORE_TOKEN_MAC;
	if (t->has_secret)
		memcpy(t->mac, mac, STORE_TOKEN_MAC);
	store_column_text(q, 3, t->last, sizeof(t->last));
	t->scopes = (uint32_t)sqlite3_column_int64(q, 4);
	t->created_ms = store_column_uint(q, 5);
	t->expires_ms = store_column_uint(q, 6);
	t->last_used_ms = store_column_uint(q, 7);
	t->requests = store_column_uint(q, 8);
	t->revoked_ms = store_column_uint(q, 9);
}

int
store_token_add(struct store *s, const struct store_token *t, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKEN_ADD, err);

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(t->id));
	store_bind(q, 2, span_str(t->label));
	if (t->has_secret) {
		sqlite3_bind_blob(q, 3, t->mac, sizeof(t->mac), SQLITE_STATIC);
		store_bind(q, 4, span_str(t->last));
	}
	sqlite3_bind_int64(q, 5, t->scopes);
	sqlite3_bind_int64(q, 6, (sqlite3_int64)t->created_ms);
	sqlite3_bind_int64(q, 7, (sqlite3_int64)t->expires_ms);
	return store_run(s, q, err);
}

/* For an unknown id a neighbouring row is read, which takes the same time. */
int
store_token(struct store *s, struct span id, struct store_token *out, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKEN_FROM, err);
	int code, found = 0;

	if (q == NULL)
		return -1;
	store_bind(q, 1, id);
	if ((code = sqlite3_step(q)) == SQLITE_DONE) {
		sqlite3_reset(q);
		if ((q = store_statement(s, STORE_TOKEN_UP_TO, err)) == NULL)
			return -1;
		store_bind(q, 1, id);
		code = sqlite3_step(q);
	}
	if (code == SQLITE_ROW) {
		read_token(q, out);
		found = span_is_str(id, out->id);
	}
	sqlite3_reset(q);
	return code == SQLITE_ROW || code == SQLITE_DONE ? found : store_fail(s, code, err);
}

int
store_token_labelled(struct store *s, struct span label, char id[STORE_TOKEN_ID + 1], size_t *n, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKEN_LABELLED, err);
	int code;

	if (q == NULL)
		return -1;
	store_bind(q, 1, label);
	if ((code = sqlite3_step(q)) == SQLITE_ROW) {
		store_column_text(q, 0, id, STORE_TOKEN_ID + 1);
		*n = (size_t)store_column_uint(q, 1);
	}
	sqlite3_reset(q);
	return code == SQLITE_ROW ? 0 : store_fail(s, code, err);
}

int
store_tokens(struct store *s, bool (*fn)(void *arg, const struct store_token *t), void *arg, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKENS, err);
	struct store_token t;
	int code;

	if (q == NULL)
		return -1;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		read_token(q, &t);
		if (!fn(arg, &t))
			break;
	}
	sqlite3_reset(q);
	return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_fail(s, code, err);
}

int
store_token_reveal(struct store *s, const struct store_token *t, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKEN_REVEAL, err);

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(t->id));
	sqlite3_bind_blob(q, 2, t->mac, sizeof(t->mac), SQLITE_STATIC);
	store_bind(q, 3, span_str(t->last));
	return store_run(s, q, err);
}

/* Change one number of the token id. */
static int
change_token(struct store *s, enum store_statement which, const char *id, uint64_t number, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, which, err);

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(id));
	sqlite3_bind_int64(q, 2, (sqlite3_int64)number);
	return store_run(s, q, err);
}

int
store_token_revoke(struct store *s, const char *id, uint64_t now_ms, struct err *err)
{
	return change_token(s, STORE_TOKEN_REVOKE, id, now_ms, err);
}

int
store_token_lapse(struct store *s, const char *id, uint64_t after_ms, struct err *err)
{
	return change_token(s, STORE_TOKEN_LAPSE, id, after_ms, err);
}

int
store_token_used(struct store *s, const char *id, uint64_t requests, uint64_t last_ms, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_TOKEN_USED, err);

	if (q == NULL)
		return -1;
	store_bind(q, 1, span_str(id));
	sqlite3_bind_int64(q, 2, (sqlite3_int64)requests);
	sqlite3_bind_int64(q, 3, (sqlite3_int64)last_ms);
	return store_run(s, q, err);
}
