/*
 * cmd_stdio - carrel mcp stdio: bytes between our standard input and output and the daemon.
 *
 * Nothing but the protocol reaches stdout.  The end of stdin ends us: what the daemon still has under way gets a
 * moment, then the connection closes, which cancels the rest down to the database.
 */
#pragma once

#include "cli/cli.h"

int cmd_mcp_stdio(struct cli *cli);
