/* cmd_sl_query - carrel sl query: a question to the semantic layer, put together from options or read from a file. */
#pragma once

#include "cli/cli.h"

int cmd_sl_query(struct cli *cli);
