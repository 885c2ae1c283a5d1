/* config_tools - tools that a team defines: a statement with parameters under a name of its own. */
#pragma once

#include "project/config/config_value.h"

/* The same for the kind TEAM_TOOLS; config_check_tools(): at the end, whether their connections exist and take SQL. */
void config_tools(struct config_reader *r, struct config_tools *to, const struct config_key *k,
    const struct yaml_node *node, const char *name);
void config_check_tools(struct config_reader *r, const struct config *cfg);

/* NULL: there is no such tool. */
const struct config_tool *config_tool_named(const struct config *cfg, const char *name);
