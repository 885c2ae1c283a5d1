/* state_dir - .carrel/: one daemon a project, its key, control.sock for the owner, mcp.json for tools. */
#ifndef SUPERVISOR_STATE_DIR_H
#define SUPERVISOR_STATE_DIR_H

#include "supervisor/supervisor.h"

/* .carrel/: the directory, the lock, the signing key.  -1: *err. */
int local_open(struct supervisor *sup, struct err *err);

/* control.sock; it accepts while there is a front to take the client. */
int local_listen(struct supervisor *sup, struct err *err);
void local_resume(struct supervisor *sup);

/* mcp.json, and the line the launcher waits for. */
void local_announce(struct supervisor *sup);
void local_close(struct supervisor *sup);

/* READY=1 and the like to systemd, if it listens; WATCHDOG=1 at the interval that it wants. */
void local_notify(const char *state);
void local_keepalive(struct supervisor *sup, uint64_t now_ns);

#endif
