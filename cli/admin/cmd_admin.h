/* cmd_admin - carrel admin: a link to the administration page. */
#pragma once

#include "cli/cli.h"

int cmd_admin(struct cli *cli);
