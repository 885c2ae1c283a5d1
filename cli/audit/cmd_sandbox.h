/* cmd_sandbox - carrel sandbox verify: carreld tries, this counts and shows. */
#pragma once

#include "cli/cli.h"

int cmd_sandbox_verify(struct cli *cli);
