/*
 * session_over - a legacy session that ended here is told to the other nodes, if there are any.
 *
 * carrel-auth says when the store has it.  Until then the front tells it again: at once to another carrel-auth, and
 * each SESSION_OVER_S seconds, as the store may be away.
 */
#pragma once

#include "front/mcp/session.h"

#define SESSION_OVER_MAX	1024u	/* that are not in the store; beyond: the oldest are not told again */
#define SESSION_OVER_S		5u

struct front;

struct sessions_over {
	struct session_untold {
		uint8_t	body[SESSION_BODY];
	}		*v;		/* oldest first */
	size_t		 n, cap;
	uint64_t	 told_ns;	/* when all of them were told last */
};

void session_over_tell(struct front *f, const uint8_t body[SESSION_BODY]);

/* The store has it. */
void session_over_kept(struct front *f, const uint8_t body[SESSION_BODY]);

/* Tell again what is not in the store: for another carrel-auth, and when it is time. */
void session_over_greet(struct front *f);
void session_over_tick(struct front *f, uint64_t now_ns);
void session_over_free(struct front *f);
