/* conversation.c - what fronts say beside calls, and what they are answered. */
#include "base/clock.h"
#include "base/log.h"
#include "workers/auth/audit.h"
#include "workers/auth/audit_serve.h"
#include "workers/auth/tokens.h"

static void
tell_block(void *arg, const char *address, unsigned seconds)
{
	struct ipc_block msg = { .address = span_str(address), .seconds = seconds };

	(void)child_send(*(const uint64_t *)arg, IPC_MSG_BLOCK, 0, &msg);
}

void
conversation_begin(void *state, uint64_t peer)
{
	struct auth *a = state;
	struct ipc_connectivity msg = { .enabled = a->enabled };

	fronts_add(&a->fronts, peer);
	(void)child_send(peer, IPC_MSG_CONNECTIVITY, 0, &msg);
	limits_each_block(a->limits, clock_ns(), tell_block, &peer);
	/* A credential may have ended while no front was told. */
	a->swept_ms = 0;
	tokens_changed(a);
}

void
conversation_end(void *state, uint64_t peer)
{
	struct auth *a = state;

	fronts_remove(&a->fronts, peer);
	limits_gone(a->limits, peer);
	audit_journal_gone(a->audit, peer);
}

static void
take_verify(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_verify *msg)
{
	struct ipc_verified answer;
	char principal[32];

	answer = (struct ipc_verified){ .verdict = IPC_VERDICT_INVALID };
	if (msg->kind == IPC_CREDENTIAL_TOKEN)
		tokens_verify(a, msg->secret, clock_unix_ms(), &answer, principal);
	(void)child_send(peer, IPC_MSG_VERIFIED, id, &answer);
}

static enum ipc_fault
take_admit(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_admit *msg)
{
	struct ipc_admitted answer;

	if (!limits_admit(a->limits, peer, id, msg, clock_ns(), &answer))
		return IPC_OUT_OF_STATE;
	if (answer.admission == IPC_ADMISSION_GRANTED && span_begins(msg->principal, "token:") &&
	    !tokens_use(a, msg->principal, clock_unix_ms())) {
		limits_release(a->limits, peer, id);
		answer = (struct ipc_admitted){ .admission = IPC_ADMISSION_ENDED };
	}
	(void)child_send(peer, IPC_MSG_ADMITTED, id, &answer);
	return IPC_OK;
}

static void
take_failure(struct auth *a, const struct ipc_failure *msg)
{
	struct ipc_block block = { .address = msg->address };

	a->failures++;
	if ((block.seconds = limits_failure(a->limits, msg->address, clock_ns())) == 0)
		return;
	log_warn("%.*s is blocked for %llu s: too many wrong credentials came from there", SPAN_FMT(msg->address),
	    (unsigned long long)block.seconds);
	fronts_tell(&a->fronts, IPC_MSG_BLOCK, 0, &block);
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
	case IPC_MSG_ADMIT:
		return take_admit(a, peer, id, &msg->admit);
	case IPC_MSG_RELEASE:
		limits_release(a->limits, peer, id);
		return IPC_OK;
	case IPC_MSG_FAILURE:
		take_failure(a, &msg->failure);
		return IPC_OK;
	case IPC_MSG_ENDED:
		fronts_ended(&a->fronts, peer, id, &msg->ended);
		return IPC_OK;
	default:
		return IPC_NOT_ALLOWED;
	}
}
