/* reload - the running daemon takes the configuration, and the variables it refers to, anew; what its connections are then. */
#ifndef CLI_RELOAD_H
#define CLI_RELOAD_H

#include "cli/client.h"

/*
 * Tell the daemon of d (DAEMON_RUNNING) to read its configuration again, with
 * our values of the variables it refers to, and wait until it has.  CLI_OK, or
 * CLI_FAILED after having said why.
 */
struct daemon;
int reload_daemon(struct cli *cli, const struct config *cfg, const struct daemon *d);

/* The same where one runs, until its connections are made or not; CLI_OK without a word where none does. */
int reload_running(struct cli *cli);

/*
 * What the daemon says of itself (carrel/status), once no connection is still
 * being made, borrowed from c; c is open when CLI_OK is returned.
 */
int reload_settled(struct cli *cli, struct client *c, struct view *status);

/* Say on stderr which connections cannot be served, and why.  How many. */
size_t reload_note_unavailable(struct cli *cli, struct view status);

#endif
