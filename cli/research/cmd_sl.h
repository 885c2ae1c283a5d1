/* cmd_sl - carrel sl list, sl validate: the semantic layer's files, read as the search worker reads them. */
#pragma once

#include "cli/cmd.h"

/* The sources of a connection, from its files; NULL when it has no directory of its own. */
struct source_set *sl_load(struct cli *cli, const char *project, const char *connection);

int cmd_sl_list(struct cli *cli);
int cmd_sl_validate(struct cli *cli);
