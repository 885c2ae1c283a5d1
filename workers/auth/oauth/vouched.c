#include "workers/auth/oauth/vouched.h"

#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "workers/auth/oauth/oauth.h"

struct vouched {
	struct vouched_token	*v;
	size_t			 n, room;
};

struct vouched *
vouched_new(void)
{
	return mem_new(1, sizeof(struct vouched));
}

void
vouched_free(struct vouched *v)
{
	if (v == NULL)
		return;
	free(v->v);
	free(v);
}

void
vouched_describe(struct vouched_token *t, const struct ipc_vouch *m, uint64_t may, const char *named)
{
	crypto_generichash_state h;

	crypto_generichash(t->client, sizeof(t->client), m->client.p, m->client.len, NULL, 0);
	crypto_generichash_init(&h, NULL, 0, sizeof(t->digest));
	crypto_generichash_update(&h, (const uint8_t *)&may, sizeof(may));
	crypto_generichash_update(&h, (const uint8_t *)named, strlen(named) + 1);
	crypto_generichash_update(&h, m->claims.p, m->claims.len);
	crypto_generichash_final(&h, t->digest, sizeof(t->digest));
	t->issued_ms = m->issued_unix_ms;
	t->until_ms = m->expires_unix_ms;
}

/* The entry of the token's subject and client; NULL: it is not known. */
static struct vouched_token *
vouched_find(const struct vouched *v, const struct vouched_token *t)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->v[i].grant, t->grant) == 0 && memcmp(v->v[i].client, t->client, sizeof(t->client)) == 0)
			return &v->v[i];
	return NULL;
}

enum vouched_verdict
vouched_weigh(const struct vouched *v, const struct vouched_token *t)
{
	const struct vouched_token *known = vouched_find(v, t);

	if (known == NULL)
		return VOUCHED_NEW;
	if (memcmp(known->digest, t->digest, sizeof(t->digest)) != 0)
		return t->issued_ms < known->issued_ms ? VOUCHED_OUTDATED : VOUCHED_OTHER;
	return known->until_ms < t->until_ms ? VOUCHED_NEW : VOUCHED_KNOWN;
}

/* What the entry's tokens opened ends, unless the subject has others. */
static void
vouched_drop(struct auth *a, struct vouched *v, size_t at)
{
	struct vouched_token gone = v->v[at];
	bool more = false;

	v->v[at] = v->v[--v->n];
	for (size_t i = 0; i < v->n; i++)
		more = more || (strcmp(v->v[i].grant, gone.grant) == 0 && strcmp(v->v[i].user, gone.user) == 0);
	if (!more)
		oauth_tell_end(a, gone.user, gone.grant);
}

/* Drop the subject's entries, but for those under this name (NULL: none). */
static void
vouched_end(struct auth *a, struct vouched *v, const char *grant, const char *user)
{
	for (size_t i = v->n; i-- > 0;)
		if (strcmp(v->v[i].grant, grant) == 0 && (user == NULL || strcmp(v->v[i].user, user) != 0))
			vouched_drop(a, v, i);
}

static void
vouched_add(struct auth *a, struct vouched *v, const struct vouched_token *t)
{
	size_t first = 0;

	for (size_t i = 1; i < v->n; i++)
		if (v->v[i].until_ms < v->v[first].until_ms)
			first = i;
	if (v->n == VOUCHED_MAX)
		vouched_drop(a, v, first);
	v->v = mem_grow(v->v, v->n, &v->room, sizeof(*v->v));
	v->v[v->n++] = *t;
}

void
vouched_keep(struct auth *a, struct vouched *v, const struct vouched_token *t)
{
	struct vouched_token *known;
	uint64_t until;

	vouched_end(a, v, t->grant, t->user);
	if ((known = vouched_find(v, t)) == NULL) {
		vouched_add(a, v, t);
		return;
	}
	until = known->until_ms > t->until_ms ? known->until_ms : t->until_ms;
	if (t->issued_ms >= known->issued_ms)
		*known = *t;
	known->until_ms = until;
}

void
vouched_refuse(struct auth *a, struct vouched *v, const struct vouched_token *t)
{
	const struct vouched_token *known = vouched_find(v, t);
	struct vouched_token refused = *t;

	if (known == NULL)
		return;
	/* As long as an older one could be presented. */
	if (known->until_ms > refused.until_ms)
		refused.until_ms = known->until_ms;
	vouched_end(a, v, t->grant, NULL);
	vouched_add(a, v, &refused);
}

void
vouched_tend(struct auth *a, struct vouched *v, uint64_t now_ms)
{
	for (size_t i = v->n; i-- > 0;)
		if (v->v[i].until_ms <= now_ms)
			vouched_drop(a, v, i);
}
