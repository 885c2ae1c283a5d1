/* cmd_client - carrel client, and carrel key. */
#pragma once

#include "cli/cli.h"

int cmd_client_list(struct cli *cli);
int cmd_client_add(struct cli *cli);
int cmd_client_remove(struct cli *cli);
int cmd_client_grants(struct cli *cli);
int cmd_client_revoke(struct cli *cli);
int cmd_key_list(struct cli *cli);
int cmd_key_rotate(struct cli *cli);
