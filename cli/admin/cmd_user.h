/* cmd_user - carrel user, and carrel preferences. */
#pragma once

#include "cli/cli.h"

int cmd_user_add(struct cli *cli);
int cmd_user_list(struct cli *cli);
int cmd_user_set(struct cli *cli);
int cmd_user_remove(struct cli *cli);
int cmd_preferences_get(struct cli *cli);
int cmd_preferences_set(struct cli *cli);
