/* cmd_tool - the tools that a team defines: what there is, and a call of one. */
#pragma once

#include "cli/cmd.h"

int cmd_tool_list(struct cli *cli);
int cmd_tool_try(struct cli *cli);
