/* cmd_sandbox - carrel sandbox verify: carreld tries, this counts and shows. */
#ifndef CLI_CMD_SANDBOX_H
#define CLI_CMD_SANDBOX_H

#include "cli/cli.h"

int cmd_sandbox_verify(struct cli *cli);

#endif
