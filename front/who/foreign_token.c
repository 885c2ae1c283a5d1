#include "front/who/foreign_token.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "front/front.h"
#include "front/who/auth_ask.h"
#include "front/who/oauth_issuer.h"
#include "front/wire/documents.h"
#include "policy/scopes.h"
#include "workers/jose/foreign.h"
#include "workers/jose/id_token.h"

#define MISSING_AGAIN_NS	(60 * CLOCK_SECOND)	/* until carrel-auth is told again that a key is missing */
#define MISSING_WAIT_NS		(10 * CLOCK_SECOND)	/* the keys may still come */
#define GROUPS_MAX		16384u	/* bytes of VOUCH */
#define NIL			SPAN("\xc0")	/* as msgpack */

struct foreign_issuer {
	char			*issuer, *audience, *typ, *scope_claim, *role_claim;
	uint64_t		 max_age_s;
	struct buf		 claims;	/* msgpack: the names of those that it may assert */
	struct buf		 keys;		/* msgpack; empty: not known */
	uint64_t		 missed_ns;	/* when carrel-auth was told that a key is missing; 0: never */
};

struct foreign_tokens {
	size_t			 n;
	struct foreign_issuer	*v;
};

struct foreign_tokens *
foreign_token_new(struct span issuers, struct span claims)
{
	struct foreign_tokens *t = mem_new(1, sizeof(*t));
	struct mp_value all, each, own;
	struct mp_iter it;

	if (!mp_value(issuers, &all) || all.class != MP_ARRAY || all.n == 0)
		return t;
	t->v = mem_new(all.n, sizeof(*t->v));
	for (it = mp_iter(&all); mp_next(&it, &each); t->n++) {
		t->v[t->n] = (struct foreign_issuer){
			.issuer = mem_text(mp_get_str(&each, "issuer", SPAN(""))),
			.audience = mem_text(mp_get_str(&each, "audience", SPAN(""))),
			.typ = mem_text(mp_get_str(&each, "typ", SPAN(""))),
			.scope_claim = mem_text(mp_get_str(&each, "scopes", SPAN(""))),
			.role_claim = mem_text(mp_get_str(&each, "roles", SPAN(""))),
			.max_age_s = mp_get_uint(&each, "maxAge", 0),
		};
		buf_span(&t->v[t->n].claims, mp_get(&each, "claims", &own) ? own.raw : claims);
	}
	jose_warm(); /* the front confines itself afterwards */
	return t;
}

void
foreign_token_free(struct foreign_tokens *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].issuer);
		free(t->v[i].audience);
		free(t->v[i].typ);
		free(t->v[i].scope_claim);
		free(t->v[i].role_claim);
		buf_fini(&t->v[i].claims);
		buf_fini(&t->v[i].keys);
	}
	free(t->v);
	free(t);
}

static struct foreign_issuer *
foreign_named(const struct foreign_tokens *t, struct span issuer)
{
	for (size_t i = 0; i < t->n; i++)
		if (span_is_str(issuer, t->v[i].issuer))
			return &t->v[i];
	return NULL;
}

bool
foreign_token_take_keys(struct front *f, const struct ipc_issuer_keys *m)
{
	struct foreign_issuer *of = foreign_named(f->foreign, m->issuer);
	struct mp_value keys;

	if (of == NULL || !mp_value(m->keys, &keys))
		return false;
	buf_reset(&of->keys, SIZE_MAX);
	if (keys.class == MP_MAP)
		buf_span(&of->keys, m->keys);
	return true;
}

bool
foreign_token_meant(const struct front *f, struct span text, struct jose *t, struct foreign_issuer **of)
{
	*t = (struct jose){ .room = { 0 } };
	*of = NULL;
	if (f->foreign->n > 0 && jose_read(text, t) == SIGN_IN_DONE)
		*of = foreign_named(f->foreign, mp_get_str(&t->claims, "iss", SPAN("")));
	return *of != NULL;
}

/* Have the keys fetched again; until they may have come, the token is neither good nor wrong. */
static enum access_token
key_missing(struct front *f, struct foreign_issuer *of)
{
	uint64_t now = clock_boot_ns();

	if (of->missed_ns == 0 || now - of->missed_ns >= MISSING_AGAIN_NS) {
		of->missed_ns = now;
		auth_say(f, IPC_MSG_KEY_MISSING, 0, &(struct ipc_key_missing){ .issuer = span_str(of->issuer) });
	}
	/* A key may be newer than those that were fetched within the minute: nothing was guessed. */
	return now - of->missed_ns < MISSING_WAIT_NS ? ACCESS_TOKEN_UNKNOWN : ACCESS_TOKEN_FOREIGN;
}

static enum access_token
check_signature(struct front *f, struct foreign_issuer *of, const struct jose *t)
{
	struct mp_value keys;

	if (of->keys.len == 0)
		return ACCESS_TOKEN_UNKNOWN;
	if (t->kid.len == 0 || !mp_value(buf_view(&of->keys), &keys))
		return ACCESS_TOKEN_FORGED;
	switch (jose_verify(t, &keys)) {
	case SIGN_IN_DONE:
		return ACCESS_TOKEN_SOUND;
	case SIGN_IN_KEY_UNKNOWN:
		return key_missing(f, of);
	default:
		return ACCESS_TOKEN_FORGED;
	}
}

/* A text of scopes, or a list of such texts; the tools among them into *named. */
static uint32_t
scopes_of_claim(const struct foreign_issuer *of, const struct mp_value *claim, struct policy_named *named)
{
	struct mp_value each;
	struct mp_iter it;
	uint32_t scopes = 0;

	if (of->scope_claim[0] == '\0')
		return POLICY_SCOPES_ALL | POLICY_SCOPE_NAMED;
	if (claim->class == MP_STR) {
		policy_named_read(named, claim->s);
		return access_token_scopes(claim->s);
	}
	for (it = mp_iter(claim); claim->class == MP_ARRAY && mp_next(&it, &each);)
		if (each.class == MP_STR) {
			scopes |= access_token_scopes(each.s);
			policy_named_read(named, each.s);
		}
	return scopes;
}

/* These tokens are good at /mcp and nowhere else: their audience names no other place. */
static bool
is_for_mcp(const struct credential *c)
{
	for (size_t i = 0; c->resources[i] != NULL; i++)
		if (strcmp(c->resources[i], DOCUMENTS_MCP) == 0)
			return true;
	return false;
}

enum access_token
foreign_token_judge(struct front *f, struct foreign_issuer *of, const struct credential *c, struct jose *t,
    struct ipc_vouch *vouch, struct buf *room, struct verify_subject *subject)
{
	const struct foreign_terms terms = { .issuer = span_str(of->issuer), .audience = span_str(of->audience),
		.typ = span_str(of->typ), .scope_claim = span_str(of->scope_claim),
		.role_claim = span_str(of->role_claim), .max_age_s = of->max_age_s };
	enum access_token found = check_signature(f, of, t);
	struct mp_value names;
	struct policy_named named = { "" };
	struct foreign claims;
	size_t len, kept;

	if (found != ACCESS_TOKEN_SOUND)
		return found;
	if (!is_for_mcp(c))
		return ACCESS_TOKEN_FOREIGN;
	switch (foreign_check(t, &terms, lease_unix_ms(f) / 1000, &claims)) {
	case SIGN_IN_DONE:
		break;
	case SIGN_IN_EXPIRED:
		return ACCESS_TOKEN_EXPIRED;
	default:
		return ACCESS_TOKEN_FOREIGN;
	}
	buf_span(room, c->issuer);
	buf_str(room, c->resources[0]);
	len = room->len;
	document_put_place(room, c->issuer, c->resources[0]);
	kept = room->len;
	if (mp_value(buf_view(&of->claims), &names) && names.class == MP_ARRAY)
		id_token_keep(&t->claims, &names, room);
	*vouch = (struct ipc_vouch){ .issuer = span_str(of->issuer), .subject = claims.subject, .client = claims.client,
		.scopes = scopes_of_claim(of, &claims.scopes, &named),
		.groups = claims.groups.class != MP_NIL && claims.groups.raw.len <= GROUPS_MAX ?
		    claims.groups.raw :
		    NIL,
		.claims = span_of(room->p + kept, room->len - kept), .issued_unix_ms = claims.issued_s * 1000,
		.expires_unix_ms = claims.until_s * 1000 };
	*subject = (struct verify_subject){ .secret = c->secret, .client = claims.client,
		.resource = span_of(room->p, len), .metadata = span_of(room->p + len, kept - len),
		.scopes = (uint32_t)vouch->scopes, .named = named,
		.expires_unix_ms = vouch->expires_unix_ms, .vouch = vouch };
	vouch->tools = span_str(subject->named.text);
	return ACCESS_TOKEN_SOUND;
}
