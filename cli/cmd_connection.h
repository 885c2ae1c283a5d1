/* cmd_connection - carrel connection list, test and grants. */
#pragma once

#include "cli/cmd.h"

/* Call connection_test for id; the result is borrowed from c.  0, or -1 and why. */
int connection_request(struct client *c, const char *id, struct view *result, struct err *err);

/* The same.  The exit code, after an error message if not 0. */
int connection_ask(struct cli *cli, struct client *c, const char *id, struct view *result);

int cmd_connection_list(struct cli *cli);
int cmd_connection_test(struct cli *cli);
int cmd_connection_grants(struct cli *cli);
