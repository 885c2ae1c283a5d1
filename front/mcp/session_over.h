/* session_over - a legacy session that ended here is told to the other nodes, if there are any. */
#pragma once

#include "front/mcp/session.h"

struct front;

void session_over_tell(struct front *f, const uint8_t body[SESSION_BODY]);
