#include <stdio.h>
#include <string.h>

#include "base/system/log.h"
#include "policy/scopes.h"
#include "workers/auth/oauth/metadata.h"
#include "workers/auth/oauth/authorize.h"
#include "workers/auth/oauth/events.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_user.h"

#define DAY_MS	(UINT64_C(24) * 3600 * 1000)

/* An authorization request while it is decided. */
struct authorization {
	struct auth			*a;
	const struct ipc_authorize	*m;
	uint64_t			 now_ms, now_ns;
	struct store_client		 client;
	struct store_user		 user;
	const char			*resource;	/* the path after the issuer; NULL: both resources */
	struct role_share		 offered;
	struct store_consent		 before;	/* the last consent; not exact: it fills the page */
	bool				 remembered;	/* the last consent is still valid */
	bool				 counted;	/* as one of those that the address may make */
	struct authorize_said		*said;
	struct ipc_authorized		*out;
	struct err			 err;
};

/* Set the outcome.  Always false, so that checks can return it. */
static bool
authorize_say(struct authorization *z, enum ipc_oauth outcome, const char *message)
{
	z->out->outcome = outcome;
	z->out->message = span_str(message);
	return false;
}

/* Show the error to the user instead of redirecting: the client or its redirect cannot be trusted. */
static bool
show(struct authorization *z, enum ipc_oauth outcome, const char *message)
{
	z->out->shown = 1;
	return authorize_say(z, outcome, message);
}

static bool
authorize_unavailable(struct authorization *z)
{
	log_error("an authorization cannot be decided: %s", z->err.message);
	return show(z, IPC_OAUTH_UNAVAILABLE, "the server cannot decide this now; try again in a moment");
}

static bool
has_redirect(const struct store_client *c, struct span asked)
{
	struct span rest = buf_view(&c->redirects), line;

	while (span_line(&rest, &line))
		if (oauth_redirect_same(line, asked))
			return true;
	return false;
}

static bool
check_client(struct authorization *z)
{
	const struct ipc_authorize *m = z->m;
	unsigned wait_s;
	const char *failure = metadata_failure(z->a, m->client_id, z->now_ms, &wait_s);
	int found;

	if (m->client_id.len == 0)
		return show(z, IPC_OAUTH_INVALID_REQUEST, "client_id is missing");
	if ((found = oauth_client(z->a, m->client_id, m->redirect_uri, &z->client, &z->err)) < 0)
		return authorize_unavailable(z);
	if (metadata_is_undecided(z->a)) {
		err_set(&z->err, ERR_SERVICE_UNAVAILABLE, "the state store failed for the client's document");
		return authorize_unavailable(z);
	}
	/* The client's document is no longer available, or must not be fetched. */
	if (found == 1 && z->client.source == IPC_CLIENT_DOCUMENT && (failure != NULL || !z->a->conf.client_metadata))
		found = 0;
	if (found == 0 && failure != NULL && wait_s > 0) {
		z->out->retry_after_s = wait_s;
		return show(z, IPC_OAUTH_UNAVAILABLE, failure);
	}
	if (found == 0)
		return show(z, IPC_OAUTH_INVALID_CLIENT,
		    failure != NULL ?
			failure :
			"this client is not known here any more; remove this server from the client and add it again");
	if (m->redirect_uri.len == 0)
		return show(z, IPC_OAUTH_INVALID_REQUEST, "redirect_uri is missing");
	if (z->client.source != IPC_CLIENT_UNKNOWN ? !has_redirect(&z->client, m->redirect_uri) :
						     !oauth_redirect_loopback(m->redirect_uri))
		return show(z, IPC_OAUTH_INVALID_REQUEST, "redirect_uri is not one that the client registered");
	snprintf(z->said->client, sizeof(z->said->client), "%s", z->client.name);
	z->out->client_name = span_str(z->said->client);
	z->out->client_source = z->client.source;
	return true;
}

static struct event
authorize_event(const struct authorization *z)
{
	return (struct event){ "authorize", z->m->address, SPAN(""), z->a->conf.authorize_per_min, 60,
		z->a->oauth->authorized };
}

/*
 * Requests that show a page, be it the login's, or give a code count; the answer from a page that was counted does not.
 * What is counted here and does neither is taken back.
 */
static bool
check_rate(struct authorization *z)
{
	const struct event e = authorize_event(z);
	int wait;

	if (z->m->look || z->m->decision != IPC_DECISION_NONE)
		return true;
	if ((wait = events_take(z->a, &e, z->now_ns, &z->err)) == 0) {
		z->counted = true;
		return true;
	}
	if (wait < 0)
		return show(z, IPC_OAUTH_UNAVAILABLE, "the server cannot decide this now; try again in a moment");
	z->out->retry_after_s = (unsigned)wait;
	return show(z, IPC_OAUTH_TOO_MANY, "too many authorizations come from this address; wait a moment");
}

static bool
check_request(struct authorization *z)
{
	const struct ipc_authorize *m = z->m;
	bool any;

	if (m->response_type.len == 0)
		return authorize_say(z, IPC_OAUTH_INVALID_REQUEST, "response_type is missing");
	if (!span_is(m->response_type, SPAN("code")))
		return authorize_say(z, IPC_OAUTH_UNSUPPORTED_RESPONSE_TYPE, "response_type must be code");
	if (m->challenge.len == 0)
		return authorize_say(z, IPC_OAUTH_INVALID_REQUEST, "code_challenge is missing: PKCE is required");
	if (!span_is(m->challenge_method, SPAN("S256")))
		return authorize_say(z, IPC_OAUTH_INVALID_REQUEST, "code_challenge_method must be S256");
	if (!oauth_challenge_fine(m->challenge))
		return authorize_say(z, IPC_OAUTH_INVALID_REQUEST, "code_challenge must be 43 characters of base64url");
	if (m->resource.len > 0 && !oauth_resource(m->issuer, m->resource, &z->resource))
		return authorize_say(z, IPC_OAUTH_INVALID_TARGET, "resource is not one of this server");
	if (z->resource != NULL) {
		snprintf(z->said->resource, sizeof(z->said->resource), "%.*s%s", SPAN_FMT(m->issuer), z->resource);
		z->out->resource = span_str(z->said->resource);
	}
	roles_read(m->scope, &z->offered, &any);
	if (any && z->offered.scopes == 0)
		return authorize_say(z, IPC_OAUTH_INVALID_SCOPE, "none of these scopes is known here");
	return true;
}

static bool
check_user(struct authorization *z)
{
	uint64_t expires;
	int found = login_user(z->a, z->m->session, z->m->asserted, z->now_ms, &z->user, &expires, &z->err);

	if (found < 0)
		return authorize_unavailable(z);
	if (found == 0)
		return authorize_say(z, IPC_OAUTH_LOGIN, "");
	snprintf(z->said->user, sizeof(z->said->user), "%s", z->user.name);
	z->out->user = span_str(z->said->user);
	roles_offer(z->a, span_str(z->user.role), z->m->scope, &z->offered);
	if (z->offered.scopes == 0 || z->user.disabled)
		return authorize_say(z, IPC_OAUTH_ACCESS_DENIED,
		    "the user's role has none of the scopes that were asked for");
	return true;
}

static bool
consent_recall(struct authorization *z)
{
	struct store_consent *b = &z->before;

	if (store_consent(z->a->store, z->user.name, z->m->client_id, z->m->redirect_uri, b, &z->err) < 0)
		return authorize_unavailable(z);
	/* A client's id is no secret, and any program can have a port or a scheme: RFC 8252, 8.6. */
	z->remembered = b->exact && b->at_ms + z->a->conf.consent_days * DAY_MS > z->now_ms &&
	    roles_within(&z->offered, b->scopes, b->named.text) && z->client.source != IPC_CLIENT_UNKNOWN &&
	    !oauth_has_word(z->m->prompt, SPAN("consent"));
	return true;
}

static bool
ask(struct authorization *z)
{
	z->out->offered = z->offered.scopes;
	z->out->ticked = z->offered.scopes & (~OAUTH_UNTICKED | z->before.scopes);
	z->said->offered = z->offered.named;
	z->out->tools = span_str(z->said->offered.text);
	return authorize_say(z, IPC_OAUTH_CONSENT, "");
}

/* granted: NULL, if nothing was. */
static int
note(struct authorization *z, enum ipc_oauth outcome, const struct role_share *granted)
{
	return oauth_note(z->a,
	    &(struct oauth_note){ .action = AUDIT_ACTION_OAUTH_AUTHORIZE,
		.surface = AUDIT_SURFACE_PAGE,
		.outcome = outcome,
		.user = z->user.name,
		.target = span_str(z->client.id),
		.client = span_str(z->client.name),
		.address = z->m->address,
		.receipt = z->m->receipt,
		.scopes = granted != NULL ? granted->scopes : 0,
		.named = granted != NULL ? granted->named.text : NULL },
	    &z->err);
}

/* Record a refusal before consent.  A failure to record changes nothing: the request is refused anyway. */
static void
note_refused(struct authorization *z)
{
	struct err err;
	struct oauth_note n = { .action = AUDIT_ACTION_OAUTH_AUTHORIZE,
		.surface = AUDIT_SURFACE_PAGE,
		.outcome = (enum ipc_oauth)z->out->outcome,
		.user = z->user.name,
		.target = z->m->client_id,
		.client = span_str(z->client.name),
		.address = z->m->address,
		.receipt = z->m->receipt };
	int result = store_begin(z->a->store, &err);

	if (result == 0)
		result = oauth_commit(z->a, oauth_note_refusal(z->a, &n, &err), &err);
	if (result != 0)
		log_warn("a refused authorization is not on record: %s", err.message);
}

static bool
deny(struct authorization *z, const char *message)
{
	int result = store_begin(z->a->store, &z->err);

	if (result == 0)
		result = oauth_commit(z->a, note(z, IPC_OAUTH_ACCESS_DENIED, NULL), &z->err);
	return result != 0 ? authorize_unavailable(z) : authorize_say(z, IPC_OAUTH_ACCESS_DENIED, message);
}

/* Remember what the user granted; what was not offered this time keeps its earlier consent. */
static int
keep_consent(struct authorization *z, const struct store_code *c, const struct role_share *granted)
{
	struct role_share kept = { .scopes = 0 };

	if (z->before.exact) {
		kept = (struct role_share){ .scopes = z->before.scopes & ~z->offered.scopes, .named = z->before.named };
		policy_named_drop(&kept.named, z->offered.named.text);
	}
	policy_named_join(&kept.named, granted->named.text);
	kept.scopes |= granted->scopes;
	roles_mark(&kept);
	return store_consent_set(z->a->store, z->user.name, c->client, c->redirect, kept.scopes, kept.named.text,
	    z->now_ms, &z->err);
}

static int
write_code(struct authorization *z, const struct role_share *granted)
{
	const struct ipc_authorize *m = z->m;
	struct store_code c = { .scopes = granted->scopes, .named = granted->named, .created_ms = z->now_ms,
		.expires_ms = z->now_ms + z->a->conf.code_ttl_s * UINT64_C(1000) };

	oauth_draw(z->said->code);
	oauth_digest(span_str(z->said->code), c.digest);
	auth_text(c.user, sizeof(c.user), span_str(z->user.name));
	auth_text(c.client, sizeof(c.client), m->client_id);
	auth_text(c.redirect, sizeof(c.redirect), m->redirect_uri);
	auth_text(c.resource, sizeof(c.resource), span_str(z->resource != NULL ? z->said->resource : ""));
	auth_text(c.issuer, sizeof(c.issuer), m->issuer);
	auth_text(c.challenge, sizeof(c.challenge), m->challenge);
	if (store_code_add(z->a->store, &c, &z->err) != 0 ||
	    store_client_used(z->a->store, z->client.id, z->now_ms, &z->err) != 0)
		return -1;
	if (m->decision == IPC_DECISION_ALLOW && z->client.source != IPC_CLIENT_UNKNOWN &&
	    keep_consent(z, &c, granted) != 0)
		return -1;
	return note(z, IPC_OAUTH_DONE, granted);
}

static bool
give_code(struct authorization *z, const struct role_share *granted)
{
	if (store_begin(z->a->store, &z->err) != 0 || oauth_commit(z->a, write_code(z, granted), &z->err) != 0)
		return authorize_unavailable(z);
	z->out->code = span_str(z->said->code);
	return authorize_say(z, IPC_OAUTH_DONE, "");
}

static void
authorize_decide(struct authorization *z)
{
	struct role_share granted = { .scopes = (uint32_t)z->m->ticked };

	auth_text(granted.named.text, sizeof(granted.named.text), z->m->ticked_tools);
	roles_both(&granted, z->offered.scopes, z->offered.named.text);
	if (!consent_recall(z))
		return;
	if (z->m->look)
		ask(z);
	else if (z->m->decision == IPC_DECISION_DENY)
		deny(z, "the user did not allow it");
	else if (z->m->decision == IPC_DECISION_ALLOW && granted.scopes == 0)
		deny(z, "the user allowed nothing of what was asked for");
	else if (z->m->decision == IPC_DECISION_ALLOW)
		give_code(z, &granted);
	else if (z->remembered)
		give_code(z, &z->offered);
	else
		ask(z);
}

void
authorize_answer(struct auth *a, const struct ipc_authorize *m, uint64_t now_ms, uint64_t now_ns,
    struct authorize_said *said, struct ipc_authorized *out)
{
	struct authorization z = { .a = a, .m = m, .now_ms = now_ms, .now_ns = now_ns, .said = said, .out = out };
	struct event e;

	memset(said, 0, sizeof(*said));
	*out = (struct ipc_authorized){ .client_source = IPC_CLIENT_UNKNOWN };
	if (!a->conf.oauth || !oauth_issuer_fine(m->issuer, a->conf.public_url, a->conf.port))
		show(&z, IPC_OAUTH_UNAVAILABLE, "OAuth is off, or this is not where clients find the server");
	else if (check_rate(&z) && check_client(&z) && check_request(&z) && check_user(&z))
		authorize_decide(&z);
	else if (!m->look && out->outcome != IPC_OAUTH_LOGIN && out->outcome != IPC_OAUTH_UNAVAILABLE)
		note_refused(&z);
	/* An error that is not shown goes back to the client: no page, no code. */
	e = authorize_event(&z);
	if (z.counted && !out->shown && out->outcome != IPC_OAUTH_DONE && out->outcome != IPC_OAUTH_CONSENT &&
	    out->outcome != IPC_OAUTH_LOGIN)
		events_back(a, &e, now_ns);
	store_client_fini(&z.client);
}
