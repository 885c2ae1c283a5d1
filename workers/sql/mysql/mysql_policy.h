/*
 * mysql_policy - the column policy of a connection: what guard/mysql_columns.h has to know of the database, read from
 * it.
 *
 * What is known is used for five seconds, and then read again.  Functions accept a connection without a policy, on
 * which everything is in the clear.
 */
#pragma once

#include "workers/sql/mysql/guard/mysql_columns.h"
#include "workers/sql/mysql/mysql_db.h"

/* The policy as callers with these scopes have it, valid until the next call of this; NULL in *out if none. */
int mysql_policy_enter(struct sql_db *db, struct call *c, uint32_t scopes, const struct mysql_columns **out,
    struct err *err);

/* The policy of everybody by the database of now; of mysql_catalogue_asks these two answers are there already. */
int mysql_policy_enter_scan(struct sql_db *db, struct call *c, MYSQL_RES *views, MYSQL_RES *indexes,
    const struct mysql_columns **out, struct err *err);

/* Calls fn for each column that is hidden or masked from everybody and that the account can read. */
int mysql_policy_readable(struct sql_db *db, struct call *c,
    void (*fn)(void *arg, struct span schema, struct span relation, struct span column), void *arg, struct err *err);

/* sql_driver.column and .matches. */
int mysql_policy_column(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
    const char *column, enum columns_action *action, struct err *err);
bool mysql_policy_matches(struct sql_db *db, size_t rule);

void mysql_policy_free(struct mysql_policy *p);
