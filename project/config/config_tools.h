/* config_tools - tools that a team defines: a statement with parameters under a name of its own. */
#pragma once

#include "project/config/config_value.h"

/*
 * config_set() for the kind TEAM_TOOLS, which notes its issues itself.  config_check_tools(), after all keys are read,
 * notes tools whose connection is missing or takes no SQL.
 */
void config_tools(struct config_reader *r, struct config_tools *to, const struct config_key *k,
    const struct yaml_node *node, const char *name);
void config_check_tools(struct config_reader *r, const struct config *cfg);

/* NULL: there is no such tool. */
const struct config_tool *config_tool_named(const struct config *cfg, const char *name);
