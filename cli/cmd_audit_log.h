/*
 * cmd_audit_log - carrel audit tail, search, show, verify, export: the audit, page by page from carrel-auth.  The chain
 * is checked here (project/audit_chain.h), for the store and for a file in the same way.
 */
#pragma once

#include "cli/cli.h"

int cmd_audit_tail(struct cli *cli);
int cmd_audit_search(struct cli *cli);
int cmd_audit_show(struct cli *cli);
int cmd_audit_verify(struct cli *cli);
int cmd_audit_export(struct cli *cli);
