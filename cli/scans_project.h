/* scans_project - which scans a project holds, read from its directories. */
#pragma once

#include "cli/cmd.h"

/* The id of the connection's last scan, in a; NULL if absent. */
const char *last_scan(struct cli *cli, const char *project_dir, const char *connection);

/*
 * What the last scan left out: schemas that are not served, tables that the account may not read; NULL: nothing, or no
 * scan.
 */
const char *scan_left_out(struct cli *cli, const char *project_dir, const char *connection);

/* The same; NULL also where the connection's `expect_partial` says that it is intended. */
const char *scan_missed(struct cli *cli, const struct config *cfg, const char *connection);
