/* cmd_audit_log - carrel audit tail, search, show, export: the audit, page by page from carrel-auth. */
#pragma once

#include "cli/cli.h"

int cmd_audit_tail(struct cli *cli);
int cmd_audit_search(struct cli *cli);
int cmd_audit_show(struct cli *cli);
int cmd_audit_export(struct cli *cli);
