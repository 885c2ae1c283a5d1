/* cmd_audit - carrel audit-sql: which layer stops which input on a connection, with the others switched off. */
#pragma once

#include "cli/cli.h"

int cmd_audit_sql(struct cli *cli);
