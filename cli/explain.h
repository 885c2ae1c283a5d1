/* explain - why the results of `carrel discover` stand where they do, for a terminal. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/cli.h"
#include "cli/show/view.h"

/* Print a result of discover_explain; an exit code. */
int explain_show(struct cli *cli, struct view result);

#endif
