/*
 * reach - what a worker needs before it can connect to its server: the tunnel of its connection (carrel-tunnel, a child
 * of its own), and a password that a command prints.  A worker whose place is to be filled waits for both as a child
 * without a process, in the state "starting" (child.awaits); when what it waits for is there, it is started, and when
 * the command fails, that counts as a connection that could not be made, so that restart.h says when it is tried again.
 */
#pragma once

#include "supervisor/supervisor.h"

enum reach { REACH_NOW, REACH_LATER, REACH_NEVER };

/* REACH_LATER: children_go_on() follows.  REACH_NEVER: *err says why. */
enum reach reach_ask(struct supervisor *sup, const char *connection, struct err *err);

/* Why the connection's tunnel is down, or what failed in it last while it is up; NULL: nothing is known to be wrong. */
const char *reach_trouble(const struct supervisor *sup, const char *connection, bool *down);

/*
 * The directory of the connection's socket, made if need be, and the path of the socket, which is empty without ssh.
 * -1 with *err.
 */
int reach_socket(struct supervisor *sup, const struct config_connection *c, char dir[100], char path[107],
    struct err *err);

/* Remove the sockets and their directories. */
void reach_close(struct supervisor *sup);
