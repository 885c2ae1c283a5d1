/* children - child processes: started, read from, watched and reaped, as the table of restart.h says. */
#pragma once

#include "supervisor/supervisor.h"

/* Add a child to the household without starting it.  connection: of an SQL worker; otherwise "". */
struct child *child_new(struct supervisor *sup, enum ipc_role role, const char *connection, unsigned index);

/* Feeds an event to the child's table and carries out the answer.  May free c before it returns. */
void child_feed(struct child *c, enum life_event event, bool answered);

/* Send SIGKILL and record `by` as the cause of death. */
void child_kill(struct child *c, enum death_by by);

/* Send SHUTDOWN with grace_ms, and SIGKILL if the process still runs soon after that time.  May free c. */
void child_stop(struct child *c, unsigned grace_ms);

/*
 * What workers of the connection awaited (reach.h) is there: start them.  why not NULL: it will not come, for this
 * reason, which counts as a connection that could not be made.
 */
void children_go_on(struct supervisor *sup, const char *connection, const char *why);

/* Time-outs of all children. */
void children_tick(struct supervisor *sup, uint64_t now_ns);

void child_free(struct child *c);
