/* post - control messages to a child that does not keep up wait here, in order. */
#pragma once

#include "supervisor/supervisor.h"

/* Sends or queues; pass is duplicated if needed.  Kills a child that does not read. */
void post(struct child *c, unsigned type, const void *msg, int pass);
void post_continue(struct child *c);	/* the socket has room again */
void post_drop(struct child *c);
