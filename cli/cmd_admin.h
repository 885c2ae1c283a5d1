/* cmd_admin - carrel admin: a link to the administration page. */
#ifndef CLI_CMD_ADMIN_H
#define CLI_CMD_ADMIN_H

#include "cli/cli.h"

int cmd_admin(struct cli *cli);

#endif
