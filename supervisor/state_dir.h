/* state_dir - .carrel/: one daemon a project, its key, control.sock for the owner, mcp.json for tools. */
#pragma once

#include "supervisor/supervisor.h"

/* .carrel/: the directory, the lock, the signing key.  -1: *err. */
int state_dir_open(struct supervisor *sup, struct err *err);

/* control.sock; it accepts while there is a front to take the client. */
int state_dir_listen(struct supervisor *sup, struct err *err);
void state_dir_resume(struct supervisor *sup);

/* mcp.json, and the line the launcher waits for. */
void state_dir_announce(struct supervisor *sup);
void state_dir_close(struct supervisor *sup);

/* READY=1 and the like to systemd, if it listens; WATCHDOG=1 at the interval that it wants. */
void state_dir_notify(const char *state);
void state_dir_keepalive(struct supervisor *sup, uint64_t now_ns);
