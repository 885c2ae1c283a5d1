#include "front/mcp/session_over.h"

#include "front/front.h"
#include "front/who/auth_ask.h"

void
session_over_tell(struct front *f, const uint8_t body[SESSION_BODY])
{
	struct ipc_session_over msg = { .id = span_of(body, SESSION_BODY), .expires_unix_s = session_expiry(body) };

	if (front_has_nodes(f))
		auth_say(f, IPC_MSG_SESSION_OVER, 0, &msg);
}
