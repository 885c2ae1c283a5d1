/* explain - why the results of `carrel discover` stand where they do, for a terminal. */
#pragma once

#include "cli/cli.h"
#include "cli/show/view.h"

/* Print a result of discover_explain; an exit code. */
int explain_show(struct cli *cli, struct view result);
