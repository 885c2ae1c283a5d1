/* cmd_state - the state store: moved from one database to another. */
#pragma once

#include "cli/cli.h"

int cmd_state_migrate(struct cli *cli);
