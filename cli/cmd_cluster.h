/* cmd_cluster - the nodes that share a state store. */
#pragma once

#include "cli/cli.h"

int cmd_cluster_status(struct cli *cli);
int cmd_cluster_accept_loss(struct cli *cli);
int cmd_cluster_join(struct cli *cli);
