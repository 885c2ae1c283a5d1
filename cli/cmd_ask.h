/* cmd_ask - carrel ask: a question in plain language, with its rows, a chart, and how the answer was found. */
#ifndef CLI_CMD_ASK_H
#define CLI_CMD_ASK_H

#include "cli/cli.h"

int cmd_ask(struct cli *cli);

#endif
