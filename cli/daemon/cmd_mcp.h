/* cmd_mcp - carrel mcp start, stop, status, logs. */
#pragma once

#include "cli/cmd.h"

/*
 * The token from --token-file, --token or the environment variable (NULL: none), in that order; *token NULL when none
 * was given.  CLI_OK, or the exit code after a message.
 */
int token_option(struct cli *cli, const char *variable, const char **token);

int cmd_mcp_start(struct cli *cli);
int cmd_mcp_stop(struct cli *cli);
int cmd_mcp_reload(struct cli *cli);
int cmd_mcp_restart(struct cli *cli);
int cmd_mcp_status(struct cli *cli);
