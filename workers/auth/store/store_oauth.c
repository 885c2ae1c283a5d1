/* store_oauth.c - clients, grants, codes and signing keys. */
#include <string.h>

#include "ipc/messages.h"
#include "workers/auth/store/store_oauth.h"
#include "workers/auth/store/store_driver.h"

void
store_client_fini(struct store_client *c)
{
	buf_fini(&c->redirects);
}

/* Reads STORE_CLIENT_COLUMNS and the number of grants. */
static void
read_client(struct store_query *q, struct store_client *c)
{
	memset(c, 0, sizeof(*c));
	store_column_text(q, 0, c->id, sizeof(c->id));
	store_column_text(q, 1, c->name, sizeof(c->name));
	c->source = (unsigned)store_column_uint(q, 2);
	buf_span(&c->redirects, store_column(q, 3));
	c->created_ms = store_column_uint(q, 4);
	c->last_used_ms = store_column_uint(q, 5);
	c->grants = store_column_uint(q, 6);
}

int
store_client_add(struct store *s, const struct store_client *c, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CLIENT_ADD, err, STORE_T(c->id), STORE_T(c->name), STORE_N(c->source),
				STORE_S(buf_view(&c->redirects)), STORE_N(c->created_ms)),
	    NULL, err);
}

int
store_client(struct store *s, struct span id, struct store_client *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CLIENT, err, STORE_S(id));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	read_client(q, out);
	return store_found(q);
}

int
store_clients(struct store *s, uint64_t now_ms, bool (*fn)(void *arg, const struct store_client *c), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CLIENTS, err, STORE_N(now_ms));
	struct store_client c;
	bool more = true;
	int found = 0;

	while (more && (found = store_look(q, err)) == 1) {
		read_client(q, &c);
		more = fn(arg, &c);
		store_client_fini(&c);
	}
	if (!more)
		store_found(q);
	return found < 0 ? -1 : 0;
}

int
store_client_describe(struct store *s, const struct store_client *c, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CLIENT_DESCRIBE, err, STORE_T(c->id), STORE_T(c->name),
				STORE_S(buf_view(&c->redirects))),
	    NULL, err);
}

int
store_client_used(struct store *s, const char *id, uint64_t now_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CLIENT_USED, err, STORE_T(id), STORE_N(now_ms)), NULL, err);
}

int
store_client_remove(struct store *s, const char *id, struct err *err)
{
	if (store_change(STORE_GIVEN(s, STORE_CONSENTS_OF_CLIENT_REMOVE, err, STORE_T(id)), NULL, err) != 0)
		return -1;
	return store_change(STORE_GIVEN(s, STORE_CLIENT_REMOVE, err, STORE_T(id)), NULL, err);
}

int
store_clients_count(struct store *s, uint64_t *n, struct err *err)
{
	return store_count(store_statement(s, STORE_CLIENTS_COUNT, err), n, err);
}

int
store_clients_drop(struct store *s, uint64_t before_ms, uint64_t now_ms, unsigned most, struct err *err)
{
	int result = store_change(STORE_GIVEN(s, STORE_CLIENTS_DROP, err, STORE_N(IPC_CLIENT_REGISTERED),
				      STORE_N(before_ms), STORE_N(now_ms), STORE_N(most), STORE_N(IPC_CLIENT_DOCUMENT)),
	    NULL, err);

	return result == 0 ? store_change(store_statement(s, STORE_CONSENTS_SWEEP, err), NULL, err) : -1;
}

/* Reads STORE_GRANT_COLUMNS and the client's name. */
static void
read_grant(struct store_query *q, struct store_grant *g)
{
	memset(g, 0, sizeof(*g));
	store_column_text(q, 0, g->id, sizeof(g->id));
	store_column_text(q, 1, g->user, sizeof(g->user));
	store_column_text(q, 2, g->client, sizeof(g->client));
	g->scopes = (uint32_t)store_column_uint(q, 3);
	store_column_text(q, 4, g->resource, sizeof(g->resource));
	store_column_text(q, 5, g->issuer, sizeof(g->issuer));
	g->turn = store_column_uint(q, 6);
	g->turned_ms = store_column_uint(q, 7);
	store_column_text(q, 8, g->turned_for, sizeof(g->turned_for));
	g->created_ms = store_column_uint(q, 9);
	g->last_used_ms = store_column_uint(q, 10);
	g->expires_ms = store_column_uint(q, 11);
	g->ended_ms = store_column_uint(q, 12);
	store_column_named(q, 13, g->scopes, &g->named);
	store_column_text(q, 14, g->client_name, sizeof(g->client_name));
}

int
store_grant_add(struct store *s, const struct store_grant *g, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_GRANT_ADD, err, STORE_T(g->id), STORE_T(g->user), STORE_T(g->client),
				STORE_N(g->scopes), STORE_T(g->resource), STORE_T(g->issuer), STORE_N(g->turn),
				STORE_N(g->turned_ms), STORE_T(g->turned_for), STORE_N(g->created_ms),
				STORE_N(g->expires_ms), STORE_T(g->named.text)),
	    NULL, err);
}

int
store_grant(struct store *s, struct span id, struct store_grant *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_GRANT, err, STORE_S(id));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	read_grant(q, out);
	return store_found(q);
}

int
store_grant_turn(struct store *s, const char *id, uint64_t from, uint64_t now_ms, struct span address,
    uint64_t expires_ms, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_GRANT_TURN, err, STORE_T(id), STORE_N(from), STORE_N(now_ms),
				    STORE_S(address), STORE_N(expires_ms)),
	    err);
}

int
store_grant_used(struct store *s, const char *id, uint64_t now_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_GRANT_USED, err, STORE_T(id), STORE_N(now_ms)), NULL, err);
}

int
store_grant_end(struct store *s, const char *id, uint64_t now_ms, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_GRANT_END, err, STORE_T(id), STORE_N(now_ms)), err);
}

int
store_grants_end_user(struct store *s, const char *user, uint64_t now_ms, uint64_t *n, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_GRANTS_END_OF_USER, err, STORE_T(user), STORE_N(now_ms)), n, err);
}

int
store_grants_end_client(struct store *s, const char *client, uint64_t now_ms, uint64_t *n, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_GRANTS_END_OF_CLIENT, err, STORE_T(client), STORE_N(now_ms)), n, err);
}

int
store_grants(struct store *s, struct span user, struct span client, uint64_t since_ms, uint64_t now_ms,
    bool (*fn)(void *arg, const struct store_grant *g), void *arg, struct err *err)
{
	struct store_query *q =
	    STORE_GIVEN(s, STORE_GRANTS, err, STORE_S(user), STORE_S(client), STORE_N(since_ms), STORE_N(now_ms));
	struct store_grant g;
	int found;

	while ((found = store_look(q, err)) == 1) {
		read_grant(q, &g);
		if (!fn(arg, &g)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_code_add(struct store *s, const struct store_code *c, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CODE_ADD, err, STORE_B(c->digest, STORE_DIGEST), STORE_T(c->user),
				STORE_T(c->client), STORE_T(c->redirect), STORE_T(c->resource), STORE_T(c->issuer),
				STORE_T(c->challenge), STORE_N(c->scopes), STORE_N(c->created_ms),
				STORE_N(c->expires_ms), STORE_T(c->named.text)),
	    NULL, err);
}

static int
read_code(struct store *s, const uint8_t digest[STORE_DIGEST], struct store_code *c, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CODE, err, STORE_B(digest, STORE_DIGEST));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	memset(c, 0, sizeof(*c));
	memcpy(c->digest, digest, STORE_DIGEST);
	store_column_text(q, 0, c->user, sizeof(c->user));
	store_column_text(q, 1, c->client, sizeof(c->client));
	store_column_text(q, 2, c->redirect, sizeof(c->redirect));
	store_column_text(q, 3, c->resource, sizeof(c->resource));
	store_column_text(q, 4, c->issuer, sizeof(c->issuer));
	store_column_text(q, 5, c->challenge, sizeof(c->challenge));
	c->scopes = (uint32_t)store_column_uint(q, 6);
	c->created_ms = store_column_uint(q, 7);
	c->expires_ms = store_column_uint(q, 8);
	store_column_text(q, 9, c->grant, sizeof(c->grant));
	store_column_named(q, 10, c->scopes, &c->named);
	return store_found(q);
}

int
store_code_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t now_ms, struct store_code *out,
    struct err *err)
{
	int first =
	    store_change_one(STORE_GIVEN(s, STORE_CODE_TAKE, err, STORE_B(digest, STORE_DIGEST), STORE_N(now_ms)), err);
	int found = first < 0 ? -1 : read_code(s, digest, out, err);

	if (found < 0)
		return -1;
	return found == 0 ? STORE_TAKE_UNKNOWN : first == 1 ? STORE_TAKE_FIRST : STORE_TAKE_AGAIN;
}

int
store_code_granted(struct store *s, const uint8_t digest[STORE_DIGEST], const char *grant, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CODE_GRANTED, err, STORE_B(digest, STORE_DIGEST), STORE_T(grant)),
	    NULL, err);
}

int
store_key_add(struct store *s, const struct store_key *k, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_KEY_ADD, err, STORE_T(k->kid), STORE_B(k->sealed, STORE_SEALED),
				STORE_B(k->public, sizeof(k->public)), STORE_N(k->created_ms), STORE_N(k->until_ms)),
	    NULL, err);
}

int
store_keys(struct store *s, bool (*fn)(void *arg, const struct store_key *k), void *arg, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_KEYS, err);
	struct store_key k;
	int found;

	while ((found = store_look(q, err)) == 1) {
		store_column_text(q, 0, k.kid, sizeof(k.kid));
		(void)store_column_blob(q, 1, k.sealed, STORE_SEALED);
		(void)store_column_blob(q, 2, k.public, sizeof(k.public));
		k.created_ms = store_column_uint(q, 3);
		k.until_ms = store_column_uint(q, 4);
		if (!fn(arg, &k)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_keys_retire(struct store *s, uint64_t until_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_KEYS_RETIRE, err, STORE_N(until_ms)), NULL, err);
}

int
store_nonce_take(struct store *s, const uint8_t digest[STORE_DIGEST], uint64_t until_ms, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_NONCE_TAKE, err, STORE_B(digest, STORE_DIGEST), STORE_N(until_ms)),
	    err);
}

int
store_oauth_sweep(struct store *s, uint64_t now_ms, uint64_t before_ms, struct err *err)
{
	const struct {
		enum store_statement which;
		uint64_t before;
	} all[] = {
		{ STORE_SWEEP_CODES, now_ms },
		{ STORE_SWEEP_DEVICES, now_ms },
		{ STORE_SWEEP_LOGINS, now_ms },
		{ STORE_SWEEP_NONCES, now_ms },
		{ STORE_SWEEP_KEYS, before_ms },
		{ STORE_SWEEP_GRANTS, before_ms },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (store_change(STORE_GIVEN(s, all[i].which, err, STORE_N(all[i].before)), NULL, err) != 0)
			return -1;
	return 0;
}
