/* cmd_completion - carrel completion: a shell's script, or what fits at the end of the line that it is given. */
#ifndef CLI_COMPLETION_CMD_COMPLETION_H
#define CLI_COMPLETION_CMD_COMPLETION_H

#include "cli/cli.h"

int cmd_completion(struct cli *cli);

#endif
