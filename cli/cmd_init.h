/* cmd_init - carrel init. */
#pragma once

#include "cli/cmd.h"

/* Write the project's files in dir, without connections; existing files are not changed. */
int project_make(const char *dir);

/* Add the connection of --url, --path and so on to the project in dir; cli then uses this project, operand 0 is the id. */
int project_connect(struct cli *cli, const char *dir);
int project_scan(struct cli *cli, const char *id);

/* Report a usage error if an option of a connection is given; for calls without --url or --path. */
int project_options(struct cli *cli);

int cmd_init(struct cli *cli);
