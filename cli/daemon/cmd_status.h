/* cmd_status - carrel status: the project from its files, the daemon from its own words. */
#pragma once

#include "cli/cli.h"

int cmd_status(struct cli *cli);
