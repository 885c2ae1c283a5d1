/* cmd_connection_edit - carrel connection add, edit and remove: edits of carrel.yaml. */
#pragma once

#include "cli/cmd.h"

/* Write what --schemas or --all-schemas says into the configuration of id, and put it into effect. */
int connection_take_schemas(struct cli *cli, const char *id);

int cmd_connection_add(struct cli *cli);
int cmd_connection_remove(struct cli *cli);
int cmd_connection_edit(struct cli *cli);
