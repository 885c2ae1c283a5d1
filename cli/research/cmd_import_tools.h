/* cmd_import_tools - tools that another program's configuration defines, as rows of tools: in carrel.yaml. */
#pragma once

#include "cli/cmd.h"

int cmd_import_toolbox(struct cli *cli);
