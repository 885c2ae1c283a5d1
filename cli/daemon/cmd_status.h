/* cmd_status - carrel status: the project from its files, the daemon from its own words. */
#ifndef CLI_DAEMON_CMD_STATUS_H
#define CLI_DAEMON_CMD_STATUS_H

#include "cli/cli.h"

int cmd_status(struct cli *cli);

#endif
