/* cmd_completion - carrel completion: a shell's script, or what fits at the end of the line that it is given. */
#pragma once

#include "cli/cli.h"

int cmd_completion(struct cli *cli);
