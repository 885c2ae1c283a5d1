/* cmd_engine - carrel engine: the libraries of database engines. */
#ifndef CLI_CMD_ENGINE_H
#define CLI_CMD_ENGINE_H

#include "cli/cmd.h"

int cmd_engine_add(struct cli *cli);
int cmd_engine_list(struct cli *cli);

#endif
