/* config_columns - connections.<name>.columns: which columns are hidden, masked or hashed, and for whom. */
#pragma once

#include "project/config/config_value.h"

/* As config_set() for the kind COLUMNS; notes its issues itself. */
void config_columns(struct config_reader *r, struct config_column_rules *rules, const struct yaml_node *node,
    const char *name);
