/* cmd_wiki - carrel wiki list: the pages there are, from their files. */
#ifndef CLI_CMD_WIKI_H
#define CLI_CMD_WIKI_H

#include "cli/cli.h"

int cmd_wiki_list(struct cli *cli);

#endif
