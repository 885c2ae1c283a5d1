/*
 * local_client - clients of control.sock and stdio: JSON-RPC, one message per line, over a connected socket
 * that the supervisor passed on unread.  Besides MCP of both eras they may send carrel/hello,
 * carrel/status and carrel/clear-quarantine.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/front.h"

#define LOCAL_MAX	256u		/* clients; beyond: closed at once */
#define LOCAL_AHEAD_MAX	(1u << 20)	/* bytes of unread answers; beyond: reading requests stops */

struct locals *locals_new(struct front *f);
void locals_free(struct locals *ls);

/* Serve the client at the other end of fd.  Takes fd over. */
void locals_add(struct locals *ls, int fd, uint32_t uid);

/* Once per turn: free dead clients.  True: something was done. */
bool locals_turn(struct locals *ls);
unsigned locals_count(const struct locals *ls);

/* Close clients without a running request; part of an orderly shutdown. */
void locals_close_idle(struct locals *ls);
