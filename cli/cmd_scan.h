/* cmd_scan - carrel scan. */
#pragma once

#include "cli/cmd.h"

/* Scan one connection with a progress bar; the result is shown, or appended to json when not NULL. */
int scan_connection(struct cli *cli, struct client *c, const char *connection, bool deep, struct buf *json);

/* Print the lines to type after a scan of the connection. */
int scan_put_next(struct cli *cli, const char *project, const char *connection, bool deep);

int cmd_scan(struct cli *cli);
