/* cmd_engine - carrel engine: the libraries of database engines. */
#pragma once

#include "cli/cmd.h"

int cmd_engine_add(struct cli *cli);
int cmd_engine_list(struct cli *cli);
