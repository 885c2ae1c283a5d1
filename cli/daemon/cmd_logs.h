/* cmd_logs - carrel mcp logs: the daemon's JSON lines, readable on a terminal. */
#pragma once

#include "cli/cli.h"

int cmd_mcp_logs(struct cli *cli);
