/* cmd_memory - carrel ingest text and carrel memory log, show, approve, revert. */
#pragma once

#include "cli/cli.h"

int cmd_ingest_text(struct cli *cli);
int cmd_memory_log(struct cli *cli);
int cmd_memory_show(struct cli *cli);
int cmd_memory_approve(struct cli *cli);
int cmd_memory_revert(struct cli *cli);
