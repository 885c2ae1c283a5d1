/* cmd_sl_query - carrel sl query: a question to the semantic layer, put together from options or read from a file. */
#ifndef CLI_CMD_SL_QUERY_H
#define CLI_CMD_SL_QUERY_H

#include "cli/cli.h"

int cmd_sl_query(struct cli *cli);

#endif
