/*
 * cmd_audit_verify - carrel audit verify: the chain is checked here (project/audit_chain.h), in the same way for this
 * node's audit, for an export, and for copies of other nodes' audits; several of them also against each other
 * (project/audit_cross.h).
 */
#pragma once

#include "cli/cli.h"

int cmd_audit_verify(struct cli *cli);
