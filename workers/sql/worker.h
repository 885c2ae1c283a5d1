/* worker - the SQL worker from its configuration to serving calls; the same for every engine. */
#pragma once

#include "workers/sql/driver.h"

/*
 * What callers with these scopes may see of a column; CLEAR without a policy.
 * COLUMNS_ANYBODY for results that are stored: the strictest action over all
 * scopes.  schema may be NULL where the engine has none.
 */
int sql_column_action(struct sql_db *db, const struct sql_config *cfg, struct call *c, uint32_t scopes,
    const char *schema, const char *table, const char *column, enum columns_action *action, struct err *err);
