#include <sodium.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/admin.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/audit/audit_serve.h"
#include "workers/auth/limits_shared.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/auth/oauth/metadata.h"
#include "workers/auth/oauth/authorize.h"
#include "workers/auth/oauth/device.h"
#include "workers/auth/oauth/issuers.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/provider.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/oauth/register.h"
#include "workers/auth/oauth/revoke.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/tokens/tokens.h"
#include "workers/auth/claims.h"
#include "workers/auth/conversation.h"
#include "workers/auth/elsewhere.h"
#include "workers/auth/lease.h"
#include "workers/auth/preferences_tools.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/serve.h"

static void
tell_block(void *arg, const char *address, unsigned seconds)
{
	struct ipc_block msg = { .address = span_str(address), .seconds = seconds };

	(void)serve_send(*(const uint64_t *)arg, IPC_MSG_BLOCK, 0, &msg);
}

void
conversation_begin(void *state, uint64_t peer, enum ipc_role role)
{
	struct auth *a = state;

	if (role != IPC_FRONT) {
		hashing_attached(a, peer);
		return;
	}
	fronts_add(&a->fronts, peer);
	elsewhere_greet(a, peer);
	lease_greet(a, peer);
	/* Keys first: with the greeting the front begins to judge tokens. */
	oauth_greet(a, peer);
	issuers_greet(a, peer);
	connectivity_greet(a, peer);
	limits_each_block(a->limits, clock_ns(), tell_block, &peer);
	/* A credential may have ended while no front was attached. */
	a->swept_ms = 0;
	tokens_changed(a);
}

void
conversation_end(void *state, uint64_t peer)
{
	struct auth *a = state;

	hashing_detached(a, peer);
	fronts_remove(&a->fronts, peer);
	limits_gone(a->limits, peer);
	limits_shared_gone(a, peer);
	revoke_gone(a, peer);
	audit_journal_gone(a->audit, peer);
}

static void
take_verify(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_verify *msg)
{
	struct ipc_verified answer = { .verdict = IPC_VERDICT_UNKNOWN };
	/* Without a lease this node may not know that the credential was ended on another: UNKNOWN. */
	bool known = store_lease_ms(a->store) != 0;
	char principal[80];

	if (known && msg->kind == IPC_CREDENTIAL_TOKEN)
		tokens_verify(a, msg->secret, store_now_ms(a->store), &answer, principal);
	else if (known)
		redeem_verify(a, msg->secret, store_now_ms(a->store), &answer, principal);
	claims_tell(a, principal, &answer);
	(void)serve_send(peer, IPC_MSG_VERIFIED, id, &answer);
}

static enum ipc_fault
take_admit(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg)
{
	struct ipc_admitted answer;

	if (store_is_shared(a->store))
		return limits_shared_admit(a, peer, id, msg);
	if (!limits_admit(a->limits, peer, id, msg, clock_ns(), &answer))
		return IPC_OUT_OF_STATE;
	if (msg->held != 0)
		return IPC_OK;
	limits_shared_answer(a, peer, id, msg->principal, &answer);
	return IPC_OK;
}

static void
take_failure(struct auth *a, const struct ipc_failure *msg)
{
	struct ipc_block block = { .address = msg->address };

	a->failures++;
	if ((block.seconds = limits_shared_failure(a, msg->address, clock_ns())) == 0)
		return;
	log_warn("%.*s is blocked for %llu s: too many wrong credentials came from there", SPAN_FMT(msg->address),
	    (unsigned long long)block.seconds);
	fronts_tell(&a->fronts, IPC_MSG_BLOCK, 0, &block);
}

static void
decide_authorization(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *msg)
{
	struct authorize_said said;
	struct ipc_authorized answer;

	authorize_answer(a, msg, store_now_ms(a->store), clock_ns(), &said, &answer);
	(void)serve_send(peer, IPC_MSG_AUTHORIZED, id, &answer);
}

static void
take_redeem(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_redeem *msg)
{
	struct redeem_said said;
	struct ipc_redeemed answer;

	redeem_answer(a, msg, store_now_ms(a->store), &said, &answer);
	(void)serve_send(peer, IPC_MSG_REDEEMED, id, &answer);
	redeem_said_fini(&said);
}

static void
begin_device(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_device_begin *msg)
{
	struct device_said said;
	struct ipc_device_begun answer;

	device_begin(a, msg, store_now_ms(a->store), clock_ns(), &said, &answer);
	(void)serve_send(peer, IPC_MSG_DEVICE_BEGUN, id, &answer);
	sodium_memzero(&said, sizeof(said));
}

static void
look_at_device(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_device_look *msg)
{
	struct device_said said;
	struct ipc_device_shown answer;

	device_look(a, msg, store_now_ms(a->store), clock_ns(), &said, &answer);
	(void)serve_send(peer, IPC_MSG_DEVICE_SHOWN, id, &answer);
}

static void
take_register(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_register_client *msg)
{
	struct register_said said;
	struct ipc_registered answer;

	register_answer(a, msg, store_now_ms(a->store), clock_ns(), &said, &answer);
	(void)serve_send(peer, IPC_MSG_REGISTERED, id, &answer);
}

static void
take_page_session(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_page_session *msg)
{
	struct ipc_page_user answer = { .outcome = IPC_OAUTH_LOGIN };
	struct store_user u;
	struct err err;
	int found = !a->conf.oauth ?
	    0 :
	    login_user(a, msg->session, msg->asserted, store_now_ms(a->store), &u, &answer.expires_unix_ms, &err);

	if (found == 1) {
		answer.outcome = IPC_OAUTH_DONE;
		answer.user = span_str(u.name);
	} else
		answer.expires_unix_ms = 0;
	if (found < 0) {
		log_error("a login session cannot be looked up: %s", err.message);
		answer.outcome = IPC_OAUTH_UNAVAILABLE;
	}
	(void)serve_send(peer, IPC_MSG_PAGE_USER, id, &answer);
}

static void
take_preferences(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_preferences *msg)
{
	struct ipc_preferred answer = { .outcome = IPC_OAUTH_DONE, .preferences = MP_EMPTY_MAP };
	struct buf out = { 0 };
	struct err err;

	if (preferences_serve(a, NULL, msg->principal, msg->change, &out, &err) == 0)
		answer.preferences = buf_view(&out);
	else {
		answer.outcome = err.code == ERR_INVALID_ARGUMENTS ? IPC_OAUTH_INVALID_REQUEST : IPC_OAUTH_UNAVAILABLE;
		answer.message = span_str(err.message);
	}
	(void)serve_send(peer, IPC_MSG_PREFERRED, id, &answer);
	buf_fini(&out);
}

static enum ipc_fault
hear_of_oauth(struct auth *a, uint64_t peer, uint64_t id, unsigned type, const union ipc_any *msg)
{
	struct ipc_signed_out out;

	switch (type) {
	case IPC_MSG_AUTHORIZE:
		if (!metadata_wait(a, peer, id, &msg->authorize, decide_authorization))
			decide_authorization(a, peer, id, &msg->authorize);
		return IPC_OK;
	case IPC_MSG_LOGIN:
		login_take(a, peer, id, &msg->login);
		return IPC_OK;
	case IPC_MSG_DEPART:
		provider_depart(a, peer, id, &msg->depart);
		return IPC_OK;
	case IPC_MSG_ARRIVE:
		provider_arrive(a, peer, id, &msg->arrive);
		return IPC_OK;
	case IPC_MSG_SETUP:
		login_setup(a, peer, id, &msg->setup);
		return IPC_OK;
	case IPC_MSG_LOGOUT:
		login_out(a, &msg->logout, &out);
		(void)serve_send(peer, IPC_MSG_SIGNED_OUT, id, &out);
		return IPC_OK;
	case IPC_MSG_PAGE_SESSION:
		take_page_session(a, peer, id, &msg->page_session);
		return IPC_OK;
	case IPC_MSG_ENTER:
		admin_enter(a, peer, id, &msg->enter);
		return IPC_OK;
	case IPC_MSG_PROVE:
		admin_prove(a, peer, id, &msg->prove);
		return IPC_OK;
	case IPC_MSG_REDEEM:
		take_redeem(a, peer, id, &msg->redeem);
		return IPC_OK;
	case IPC_MSG_DEVICE_BEGIN:
		begin_device(a, peer, id, &msg->device_begin);
		return IPC_OK;
	case IPC_MSG_DEVICE_LOOK:
		look_at_device(a, peer, id, &msg->device_look);
		return IPC_OK;
	case IPC_MSG_REGISTER:
		take_register(a, peer, id, &msg->register_client);
		return IPC_OK;
	case IPC_MSG_REVOKE:
		revoke_take(a, peer, id, &msg->revoke);
		return IPC_OK;
	case IPC_MSG_PREFERENCES:
		take_preferences(a, peer, id, &msg->preferences);
		return IPC_OK;
	case IPC_MSG_HASHED:
		return hashing_take(a, id, &msg->hashed) ? IPC_OK : IPC_OUT_OF_STATE;
	default:
		return IPC_NOT_ALLOWED;
	}
}

enum ipc_fault
conversation_hear(void *state, uint64_t peer, uint64_t id, unsigned type, const union ipc_any *msg)
{
	struct auth *a = state;

	switch (type) {
	case IPC_MSG_AUDIT:
		return audit_hear(state, peer, id, &msg->audit);
	case IPC_MSG_VERIFY:
		take_verify(a, peer, id, &msg->verify);
		return IPC_OK;
	case IPC_MSG_VOUCH:
		issuers_vouch(a, peer, id, &msg->vouch);
		return IPC_OK;
	case IPC_MSG_KEY_MISSING:
		issuers_miss(a, msg->key_missing.issuer);
		return IPC_OK;
	case IPC_MSG_ADMIT:
		return take_admit(a, peer, id, &msg->admit);
	case IPC_MSG_RELEASE:
		limits_release(a->limits, peer, id);
		return IPC_OK;
	case IPC_MSG_FAILURE:
		take_failure(a, &msg->failure);
		return IPC_OK;
	case IPC_MSG_SESSION_OVER:
		elsewhere_session(a, peer, &msg->session_over);
		return IPC_OK;
	case IPC_MSG_TASK_KEEP:
		elsewhere_task(a, &msg->task_keep);
		return IPC_OK;
	case IPC_MSG_TASK_LOOK:
		elsewhere_look(a, peer, id, &msg->task_look);
		return IPC_OK;
	case IPC_MSG_ENDED:
		fronts_ended(&a->fronts, peer, id, &msg->ended);
		return IPC_OK;
	default:
		return hear_of_oauth(a, peer, id, type, msg);
	}
}
