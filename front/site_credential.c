#include <stdio.h>

#include "base/system/clock.h"
#include "front/calls/metering.h"
#include "front/http/caller.h"
#include "front/http/conn_write.h"
#include "front/export/export_file.h"
#include "front/site.h"
#include "front/site_credential.h"
#include "front/who/auth_ask.h"
#include "front/who/credential.h"
#include "front/who/oauth_issuer.h"
#include "front/who/principal.h"

static enum gate
site_knows(struct passage *p, enum ipc_verdict what, struct principal *who)
{
	p->verdict = (struct verdict){ .what = what, .who = who };
	return GATE_PASS;
}

/* The request carries what cannot be a credential. */
static enum gate
site_guessed(struct passage *p)
{
	p->presented = true;
	p->verdict = (struct verdict){ .what = IPC_VERDICT_INVALID, .counts = true };
	return GATE_PASS;
}

enum gate
site_message(struct passage *p)
{
	p->presented = true;
	return credential_judge(p->front, &p->credential, &p->verdict) ? GATE_PASS : GATE_WAITS;
}

/* Whether the request is for a place of this kind. */
static bool
is_at(const struct passage *p, enum site_access access)
{
	return p->conn->place->access == access;
}

static bool
takes_access_tokens(const struct passage *p)
{
	return p->front->oauth->enabled && p->conn->place->resources[0] != NULL;
}

static enum gate
refuse_user(struct passage *p, enum access_peer peer, uint32_t uid)
{
	struct front *f = p->front;
	char message[256];

	if (peer == ACCESS_PEER_OTHER)
		snprintf(message, sizeof(message),
		    "this server serves user id %u without a token and you are "
		    "user id %u; ask its owner for a token (`carrel token create`) and send it as "
		    "Authorization: Bearer",
		    f->access.owner_uid, uid);
	else
		snprintf(message, sizeof(message),
		    "which user you are could not be found out; send a token as "
		    "Authorization: Bearer");
	metering_log_refusal(f, "refused with 403: user id %u without a token", uid);
	conn_refuse(p->conn, 403, message, NULL);
	return GATE_REFUSED;
}

/* Without a credential only the owner's own processes pass. */
static enum gate
site_none(struct passage *p)
{
	struct front *f = p->front;
	enum access_peer peer = ACCESS_PEER_REMOTE;
	uint32_t uid = 0;
	char id[64];

	if (f->access.loopback_open && !is_at(p, SITE_USER) && !is_at(p, SITE_TOKEN))
		peer = caller_peer(p->conn, p->request, &uid);
	if (peer == ACCESS_PEER_REMOTE)
		return site_knows(p, IPC_VERDICT_INVALID, NULL);
	if (peer != ACCESS_PEER_OWNER)
		return refuse_user(p, peer, uid);
	snprintf(id, sizeof(id), "local:%u", f->access.owner_uid);
	return site_knows(p, IPC_VERDICT_GOOD, principal_of(f, PRINCIPAL_LOCAL, id, POLICY_SCOPES_OPEN));
}

/* Whether the query carries an access token.  Targets are kept in logs and histories: such a token is refused. */
static bool
has_query_token(struct span query)
{
	static const char name[] = "access_token=";
	size_t n = sizeof(name) - 1;

	for (size_t i = 0; i + n <= query.len; i++)
		if ((i == 0 || query.p[i - 1] == '&') && memcmp(query.p + i, name, n) == 0)
			return true;
	return false;
}

/* Whether the place of the request needs no credential. */
static bool
is_open(const struct passage *p)
{
	return is_at(p, SITE_OPEN) || is_at(p, SITE_OPEN_WHILE_ON) ||
	    (is_at(p, SITE_OWNER) && p->request->field[HTTP_AUTHORIZATION].p == NULL &&
		caller_is_owner(p->conn, p->request));
}

enum gate
site_credential(struct passage *p)
{
	const struct site_place *place = p->conn->place;

	p->credential.users_only = place->access == SITE_USER;
	p->credential.address = caller_address(p->conn);
	if (takes_access_tokens(p)) {
		p->credential.resources = place->resources;
		p->credential.issuer = oauth_issuer(p->front, p->request->field[HTTP_HOST]);
	}
	if (is_open(p))
		return site_knows(p, IPC_VERDICT_GOOD, NULL);
	if (has_query_token(p->request->query))
		return site_guessed(p);
	switch (access_bearer(p->request->field[HTTP_AUTHORIZATION], &p->credential.secret)) {
	case ACCESS_BEARER:
		return site_message(p);
	case ACCESS_UNUSABLE:
		return site_guessed(p);
	default:
		/* The handler finds out who is signed in. */
		if (site_has(place, SITE_EXPORT) && export_file_by_session(p->conn, p->request))
			return site_knows(p, IPC_VERDICT_GOOD, NULL);
		return site_none(p);
	}
}

/* Whether the credential is genuine but of a kind that this place does not take: refused, and no wrong guess. */
static bool
is_of_another_place(const struct passage *p)
{
	return p->conn != NULL && is_at(p, SITE_TOKEN) && p->verdict.who != NULL &&
	    p->verdict.who->kind != PRINCIPAL_TOKEN;
}

enum gate
site_stands(struct passage *p)
{
	struct gate_refusal r = { .presented = p->presented, .code = credential_code(p->verdict.what) };

	if (p->verdict.what == IPC_VERDICT_GOOD && is_of_another_place(p)) {
		p->verdict.counts = false;
		r.code = ERR_AUTH_INVALID;
		r.message =
		    "connectivity tokens are taken here, and no other credential; `carrel token create` makes one";
		return p->refuse(p, &r);
	}

	switch (p->verdict.what) {
	case IPC_VERDICT_GOOD:
		return GATE_PASS;
	case IPC_VERDICT_REVOKED:
		r.message = "this token was revoked; ask for another one";
		break;
	case IPC_VERDICT_EXPIRED:
		r.message = "this token has expired; ask for another one";
		break;
	case IPC_VERDICT_UNKNOWN:
		r.message = "whose token this is cannot be found out at the moment; try again";
		r.retry_after = 1;
		break;
	default:
		r.message = p->presented ? "the token is not valid here" : "a token is needed: Authorization: Bearer";
		break;
	}
	return p->refuse(p, &r);
}

/*
 * Count a wrong credential: over all fronts by carrel-auth, and here, so that the next one is refused even if it
 * comes before carrel-auth says so, or when that cannot be asked.
 */
static void
count_failure(struct front *f, struct address *from)
{
	char name[ADDRESS_TEXT_MAX];

	address_name(from, name);
	auth_say(f, IPC_MSG_FAILURE, 0, &(struct ipc_failure){ .address = span_str(name) });
	address_failed(conns_addresses(f->conns), from, clock_ns());
}

/* Whether it came with a credential of unknown origin. */
static bool
is_guess(const struct passage *p, const struct gate_refusal *r)
{
	return p->verdict.counts && r->code == ERR_AUTH_INVALID;
}

/* Where a client finds out how its user signs in. */
static void
put_metadata(const struct passage *p, struct buf *out)
{
	if (!takes_access_tokens(p))
		return;
	buf_str(out, "resource_metadata=\"");
	document_put_place(out, oauth_issuer(p->front, p->request->field[HTTP_HOST]), p->conn->place->resources[0]);
	buf_str(out, "\", ");
}

static void
put_challenge(const struct passage *p, const struct gate_refusal *r, struct buf *out)
{
	const struct tool_entry *tool;

	buf_str(out, "Bearer ");
	if (r->presented)
		buf_printf(out, "error=\"invalid_token\", error_description=\"%s\", ", r->message);
	put_metadata(p, out);
	buf_str(out, "scope=\"");
	policy_scopes_text(POLICY_SCOPES_ALL, out);
	for (size_t i = 0; i < POLICY_NAMED_MAX && (tool = tools_team(p->front->tools, i)) != NULL; i++)
		buf_printf(out, " " POLICY_TOOL_SCOPE "%.*s", SPAN_FMT(tool->name));
	buf_byte(out, '"');
}

enum gate
site_refuse(struct passage *p, const struct gate_refusal *r)
{
	struct conn *c = p->conn;
	struct front *f = c->front;
	struct address *from;
	struct http_reply reply = { .refusal = r->code, .retry_after = r->retry_after };
	unsigned blocked = address_blocked(caller_address(c), clock_ns());
	struct buf challenge = { .max = 0 };

	if (r->presented)
		metering_log_refusal(f, "refused: %s", r->message);
	if (r->code == ERR_SERVICE_UNAVAILABLE) {
		conn_refuse(c, 503, r->message, &reply);
		return GATE_REFUSED;
	}
	/* Others may be behind the address: who does not guess is told where to sign in. */
	if (blocked > 0 && is_guess(p, r)) {
		reply.refusal = ERR_IP_BLOCKED;
		reply.retry_after = blocked;
		conn_refuse(c, 429, "too many wrong credentials came from this address; wait", &reply);
		return GATE_REFUSED;
	}
	put_challenge(p, r, &challenge);
	reply.challenge = buf_cstr(&challenge);
	from = address_share(caller_address(c));
	conn_refuse(c, 401, r->message, &reply);
	buf_fini(&challenge);
	/* After the answer: the time of the answer must not tell whether the failure is counted. */
	if (is_guess(p, r))
		count_failure(f, from);
	address_close(conns_addresses(f->conns), from);
	return GATE_REFUSED;
}
