/* cmd_logs - carrel mcp logs: the daemon's JSON lines, readable on a terminal. */
#ifndef CLI_DAEMON_CMD_LOGS_H
#define CLI_DAEMON_CMD_LOGS_H

#include "cli/cli.h"

int cmd_mcp_logs(struct cli *cli);

#endif
