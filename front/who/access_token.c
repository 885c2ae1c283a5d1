#include "base/system/clock.h"
#include "front/who/access_token.h"
#include "front/front.h"
#include "front/who/oauth_issuer.h"
#include "policy/scopes.h"

bool
access_token_is_ours(const struct front *f, struct span text, struct jws *t)
{
	const struct document_key *key;

	if (jws_read(text, t) != JWS_OK)
		return false;
	key = oauth_key(f, t->kid, lease_unix_ms(f));
	return key != NULL && jws_is_signed_by(t, key->x);
}

uint32_t
access_token_scopes(struct span text)
{
	uint32_t scopes = 0;

	while (text.len > 0) {
		size_t n = 0;

		while (n < text.len && text.p[n] != ' ')
			n++;
		scopes |= policy_scope_named(span_of(text.p, n));
		n += n < text.len;
		text = span_of(text.p + n, text.len - n);
	}
	return scopes & POLICY_SCOPES_ALL;
}

/* The path of the resource that the token is for; NULL: it is for another one. */
static const char *
path_of(const struct jws *t, struct span issuer, const char *const paths[], struct buf *room)
{
	for (; *paths != NULL; paths++) {
		buf_reset(room, SIZE_MAX);
		buf_span(room, issuer);
		buf_str(room, *paths);
		if (jws_is_for(t, buf_view(room)))
			return *paths;
	}
	return NULL;
}

enum access_token
access_token_judge(const struct front *f, struct span text, struct span issuer, const char *const paths[],
    struct jws *t, struct buf *room, struct verify_subject *subject)
{
	uint64_t now = lease_unix_ms(f) / 1000;
	const char *path;
	size_t len;

	if (!access_token_is_ours(f, text, t))
		return ACCESS_TOKEN_FORGED;
	path = path_of(t, issuer, paths, room);
	if (path == NULL || !span_is(t->issuer, issuer) || t->issued > now + ACCESS_TOKEN_AHEAD_S ||
	    t->not_before > now + ACCESS_TOKEN_AHEAD_S || t->grant.len >= sizeof(((struct user_grant *)0)->id))
		return ACCESS_TOKEN_FOREIGN;
	if (t->expires <= now)
		return ACCESS_TOKEN_EXPIRED;
	len = room->len;
	document_put_place(room, issuer, path);
	*subject = (struct verify_subject){
		.secret = text, .client = t->client, .grant = t->grant, .resource = span_of(room->p, len),
		.metadata = span_of(room->p + len, room->len - len), .scopes = access_token_scopes(t->scope),
		.expires_unix_ms = t->expires * 1000,
	};
	policy_named_read(&subject->named, t->scope);
	return ACCESS_TOKEN_SOUND;
}
