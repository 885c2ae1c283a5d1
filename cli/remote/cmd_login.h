/* cmd_login - `carrel login` and `carrel logout`. */
#pragma once

#include "cli/cmd.h"

int cmd_login(struct cli *cli);
int cmd_logout(struct cli *cli);
