/* cmd_cluster - the nodes that share a state store. */
#pragma once

#include "cli/cli.h"

int cmd_cluster_status(struct cli *cli);
/* Whether this node writes the project, of those that share a store.  The exit code, after a message. */
int cmd_cluster_check_writer(struct cli *cli);
bool cmd_cluster_writes(struct cli *cli);

int cmd_cluster_drain(struct cli *cli);
int cmd_cluster_release(struct cli *cli);
int cmd_cluster_accept_loss(struct cli *cli);
int cmd_cluster_join(struct cli *cli);
