#include "front/front.h"
#include "front/wire/address.h"
#include "front/who/access_token.h"
#include "front/who/credential.h"
#include "front/who/foreign_token.h"
#include "front/who/oauth_issuer.h"
#include "policy/token.h"

/* The verdict is known.  counts: a credential that is not good was guessed. */
static bool
judged(struct verdict *v, enum ipc_verdict what, struct principal *who, bool counts)
{
	*v = (struct verdict){ .what = what, .who = who, .counts = counts };
	return true;
}

static bool
credential_ask(struct front *f, const struct credential *c, const struct verify_subject *subject, struct verdict *v)
{
	char room[ADDRESS_TEXT_MAX];
	struct span address = SPAN_NONE;

	if (c->address != NULL) {
		address_name(c->address, room);
		address = span_str(room);
	}
	*c->wait = verify_ask(f, subject, address, c->told, c->arg);
	return *c->wait == NULL && judged(v, IPC_VERDICT_UNKNOWN, NULL, true);
}

/* The remembered verdict on the token, for one of the resources. */
static bool
recall_access_token(struct front *f, const struct credential *c, struct verdict *v)
{
	struct buf resource = { .max = 0 };
	bool known = false;

	for (const char *const *path = c->resources; *path != NULL && !known; path++) {
		buf_reset(&resource, SIZE_MAX);
		buf_span(&resource, c->issuer);
		buf_str(&resource, *path);
		known = verify_recall(f, c->secret, buf_view(&resource), v);
	}
	buf_fini(&resource);
	return known;
}

static bool
judge_access_token(struct front *f, const struct credential *c, struct verdict *v)
{
	struct verify_subject subject;
	struct buf room = { .max = 0 };
	struct jws token = { .expires = 0 };
	struct jose other;
	struct ipc_vouch vouch;
	struct foreign_issuer *of;
	enum access_token found;
	bool known;

	if (foreign_token_meant(f, c->secret, &other, &of))
		found = foreign_token_judge(f, of, c, &other, &vouch, &room, &subject);
	else if (f->oauth->nkeys == 0)
		/* carrel-auth has sent no keys yet, because it cannot read its store: no token can be judged. */
		found = ACCESS_TOKEN_UNKNOWN;
	else
		found = access_token_judge(f, c->secret, c->issuer, c->resources, &token, &room, &subject);
	switch (found) {
	case ACCESS_TOKEN_SOUND:
		known = credential_ask(f, c, &subject, v);
		break;
	case ACCESS_TOKEN_UNKNOWN:
		known = judged(v, IPC_VERDICT_UNKNOWN, NULL, false);
		break;
	case ACCESS_TOKEN_EXPIRED:
		known = judged(v, IPC_VERDICT_EXPIRED, NULL, false);
		break;
	case ACCESS_TOKEN_FOREIGN: /* genuine, so not counted as a guess */
		known = judged(v, IPC_VERDICT_INVALID, NULL, false);
		break;
	default:
		known = judged(v, IPC_VERDICT_INVALID, NULL, true);
		break;
	}
	jws_fini(&token);
	jose_fini(&other);
	buf_fini(&room);
	return known;
}

bool
credential_judge(struct front *f, const struct credential *c, struct verdict *v)
{
	if (lease_is_over(f))
		return judged(v, IPC_VERDICT_UNKNOWN, NULL, false);
	if (access_token_matches(&f->access, c->secret))
		return c->users_only ?
		    judged(v, IPC_VERDICT_INVALID, NULL, false) :
		    judged(v, IPC_VERDICT_GOOD,
			principal_of(f, PRINCIPAL_STATIC, PRINCIPAL_STATIC_ID, POLICY_SCOPES_OPEN), false);
	/* An access token is good for one resource, so places without a resource take none. */
	if (c->resources != NULL && jws_is_meant(c->secret))
		return recall_access_token(f, c, v) || judge_access_token(f, c, v);
	if (!policy_token_is(f->access.token_prefix, c->secret))
		return judged(v, IPC_VERDICT_INVALID, NULL, true);
	/*
	 * Not a wrong guess: the token may be good at another place.  And while connectivity is off no token is looked
	 * up: the answer must not tell a genuine one from a wrong one.
	 */
	if (c->users_only || (f->auth.heard && !f->auth.connectivity))
		return judged(v, IPC_VERDICT_INVALID, NULL, false);
	if (!verify_recall(f, c->secret, SPAN_NONE, v))
		return credential_ask(f, c, &(struct verify_subject){ .secret = c->secret }, v);
	v->counts = true;
	return true;
}

enum err_code
credential_code(enum ipc_verdict verdict)
{
	switch (verdict) {
	case IPC_VERDICT_REVOKED:
		return ERR_AUTH_REVOKED;
	case IPC_VERDICT_EXPIRED:
		return ERR_AUTH_EXPIRED;
	case IPC_VERDICT_UNKNOWN:
		return ERR_SERVICE_UNAVAILABLE;
	default:
		return ERR_AUTH_INVALID;
	}
}
