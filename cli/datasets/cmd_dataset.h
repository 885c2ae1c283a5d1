/* cmd_dataset - what the commands of datasets share: the process that reads files, and which dataset is meant. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/daemon/client.h"
#include "cli/show/view.h"

bool dataset_is_text(const char *text);

/* Open the daemon for a command whose first operand is a dataset; false: after a message. */
bool dataset_open(struct cli *cli, struct client *c);

/* The object of the one dataset, by id or name, as JSON. */
int dataset_shown(struct client *c, const char *id, struct buf *out);

int cmd_dataset_import(struct cli *cli);
int cmd_dataset_list(struct cli *cli);
int cmd_dataset_publish(struct cli *cli);
int cmd_dataset_remove(struct cli *cli);
int cmd_dataset_show(struct cli *cli);
int cmd_dataset_unpublish(struct cli *cli);
