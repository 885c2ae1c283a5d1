/* cmd_knowledge - carrel import-knowledge: what a team wrote for another tool goes into the project's own formats. */
#pragma once

#include "cli/cli.h"

int cmd_import_knowledge(struct cli *cli);
