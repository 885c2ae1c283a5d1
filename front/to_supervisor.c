#include "base/system/log.h"
#include "front/to_supervisor.h"
#include "ipc/control.h"
#include "ipc/contract.h"

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

void
supervisor_session_ended(const uint8_t body[SESSION_BODY])
{
	supervisor_say(IPC_MSG_SESSION_ENDED, &(struct ipc_session_ended){
	    .id = span_of(body, SESSION_BODY), .expires_unix_s = session_expiry(body),
	    .owner = session_owner(body) });
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
