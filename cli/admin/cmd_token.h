/* cmd_token - carrel token create, list, reveal, revoke, and carrel connectivity. */
#pragma once

#include "cli/cli.h"

int cmd_token_create(struct cli *cli);
int cmd_token_list(struct cli *cli);
int cmd_token_reveal(struct cli *cli);
int cmd_token_revoke(struct cli *cli);
int cmd_connectivity_status(struct cli *cli);
int cmd_connectivity_enable(struct cli *cli);
int cmd_connectivity_disable(struct cli *cli);
