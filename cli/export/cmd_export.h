/* cmd_export - carrel export-knowledge: the semantic layer in the format of another tool. */
#pragma once

#include "cli/cli.h"

int cmd_export_knowledge(struct cli *cli);
