/* cmd_ask - carrel ask: a question in plain language, with its rows, a chart, and how the answer was found. */
#pragma once

#include "cli/cli.h"

int cmd_ask(struct cli *cli);
