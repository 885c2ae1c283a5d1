/* cmd_wiki - carrel wiki list: the pages there are, from their files. */
#pragma once

#include "cli/cli.h"

int cmd_wiki_list(struct cli *cli);
