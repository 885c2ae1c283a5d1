#include <errno.h>

#include "base/system/log.h"
#include "front/front.h"
#include "front/to_supervisor.h"
#include "ipc/control.h"
#include "ipc/contract.h"

#define UNSAID_MAX	((size_t)1 << 20)	/* bytes; a supervisor that takes nothing for so long is stuck */

bool
supervisor_say(unsigned type, const void *msg)
{
	if (control_send(CONTRACT_FD_CONTROL, type, msg, -1) == 0)
		return true;
	log_warn("the supervisor did not take %s", ipc_type_name(type));
	return false;
}

void
supervisor_complain(void *front, uint64_t generation, unsigned reason)
{
	(void)front;
	supervisor_say(IPC_MSG_COMPLAINT, &(struct ipc_complaint){ .generation = generation, .reason = reason });
}

/* False: the channel is full at the moment. */
static bool
say_ended(const uint8_t body[SESSION_BODY])
{
	struct ipc_session_ended m = {
		.id = span_of(body, SESSION_BODY), .expires_unix_s = session_expiry(body), .owner = session_owner(body),
	};

	if (control_send(CONTRACT_FD_CONTROL, IPC_MSG_SESSION_ENDED, &m, -1) == 0)
		return true;
	if (errno == EAGAIN || errno == ENOBUFS)
		return false;
	log_warn("the supervisor did not take %s", ipc_type_name(IPC_MSG_SESSION_ENDED));
	return true;
}

void
supervisor_session_ended(struct front *f, const uint8_t body[SESSION_BODY])
{
	if (f->unsaid.len == 0 && say_ended(body))
		return;
	if (f->unsaid.len < UNSAID_MAX)
		buf_append(&f->unsaid, body, SESSION_BODY);
	else
		log_warn("the supervisor did not take %s", ipc_type_name(IPC_MSG_SESSION_ENDED));
}

void
supervisor_turn(struct front *f)
{
	size_t at = 0;

	if (f->unsaid.len == 0)
		return;
	while (at < f->unsaid.len && say_ended(f->unsaid.p + at))
		at += SESSION_BODY;
	buf_consume(&f->unsaid, at);
}

void
supervisor_session_ask(void *front, const uint8_t body[SESSION_BODY])
{
	(void)front;
	supervisor_say(IPC_MSG_SESSION_USE, &(struct ipc_session_use){ .id = span_of(body, SESSION_BODY), .asks = 1 });
}

bool
supervisor_ask_status(uint64_t serial)
{
	return supervisor_say(IPC_MSG_STATUS_GET, &(struct ipc_status_get){ .serial = serial });
}

bool
supervisor_ask_doctor(uint64_t serial)
{
	return supervisor_say(IPC_MSG_DOCTOR_GET, &(struct ipc_doctor_get){ .serial = serial });
}

bool
supervisor_report(struct span report)
{
	return supervisor_say(IPC_MSG_REPORT, &(struct ipc_report){ .report = report });
}
