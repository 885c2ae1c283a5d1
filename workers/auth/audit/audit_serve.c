#include "base/system/log.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/audit/audit_serve.h"
#include "workers/shared/serve.h"

void
audit_seen(void *auth, const struct audit_entry *e)
{
	struct auth *a = auth;

	/* Usage is counted only while tokens are accepted. */
	if (a->enabled)
		usage_note(&a->usage, e);
}

enum ipc_fault
audit_hear(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_audit *msg)
{
	const struct audit_entry *e = audit_take(a->audit, AUDIT_BY_FRONT, msg->again != 0, peer, id, msg->entry);

	if (e == NULL)
		return IPC_OUT_OF_RANGE;
	if (msg->again == 0)
		audit_seen(a, e);
	return IPC_OK;
}

void
audit_hear_event(struct auth *a, const struct ipc_event *msg)
{
	if (audit_take(a->audit, AUDIT_BY_SUPERVISOR, false, 0, 0, msg->entry) == NULL)
		log_error("the supervisor sent an event that is not an audit entry");
}

static void
tell_front(void *arg, uint64_t peer, uint64_t id, const char *why)
{
	(void)arg;
	/* If the front is gone, it sends the entry again on its next channel. */
	(void)serve_send(peer, IPC_MSG_AUDITED, id,
	    &(struct ipc_audited){ .written = why == NULL, .reason = span_str(why == NULL ? "" : why) });
}

void
audit_serve_turn(struct auth *a)
{
	(void)audit_turn(a->audit, tell_front, NULL);
}
