/* cmd_sync - `carrel sync`. */
#pragma once

#include "cli/cli.h"

int cmd_sync(struct cli *cli);
