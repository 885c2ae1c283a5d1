/*
 * reload - makes the running daemon read its configuration again, with the environment variables that
 * the configuration refers to, and reports the state of its connections.
 */
#pragma once

#include "cli/daemon/client.h"

/*
 * Tell the daemon of d (DAEMON_RUNNING) to read its configuration again, with
 * our values of the variables it refers to, and wait until it has.  CLI_OK, or
 * CLI_FAILED after having said why.
 */
struct daemon;
int reload_daemon(struct cli *cli, const struct config *cfg, const struct daemon *d);

/*
 * As above if a daemon runs; waits until its connections are open or have failed.  Without a daemon CLI_OK, and no
 * output.
 */
int reload_running(struct cli *cli);

/*
 * The daemon's carrel/status, once no connection is still being opened.  Borrowed from c, which is
 * open when CLI_OK is returned.
 */
int reload_settled(struct cli *cli, struct client *c, struct view *status);

/* Print on stderr which connections cannot be served, and why.  Returns their number. */
size_t reload_note_unavailable(struct cli *cli, struct view status);
