/* cmd_audit - carrel audit-sql: which layer stops which input on a connection, with the others switched off. */
#ifndef CLI_CMD_AUDIT_H
#define CLI_CMD_AUDIT_H

#include "cli/cli.h"

int cmd_audit_sql(struct cli *cli);

#endif
