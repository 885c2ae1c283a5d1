/* cmd_memory - carrel ingest text and carrel memory log, show, approve, revert. */
#ifndef CLI_CMD_MEMORY_H
#define CLI_CMD_MEMORY_H

#include "cli/cli.h"

int cmd_ingest_text(struct cli *cli);
int cmd_memory_log(struct cli *cli);
int cmd_memory_show(struct cli *cli);
int cmd_memory_approve(struct cli *cli);
int cmd_memory_revert(struct cli *cli);

#endif
