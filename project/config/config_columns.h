/* config_columns - connections.<name>.columns: which columns are hidden, masked or hashed, and for whom. */
#pragma once

#include "project/config/config_value.h"

/* "tools.revenue" of tools and revenue: the name of a member for an issue, in the arena. */
const char *config_below(struct config_reader *r, const char *name, struct span key);

/* As config_set() for the kind COLUMNS; notes its issues itself. */
void config_columns(struct config_reader *r, struct config_column_rules *rules, const struct yaml_node *node,
    const char *name);
