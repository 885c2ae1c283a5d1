/* mysql_pool - statements that were told to end and that the server has not ended. */
#pragma once

#include "workers/sql/mysql/mysql_db.h"

/* Call on a fresh session.  -1: they are as many as the pool's connections; *err names one. */
int mysql_pool_enter(struct sql_db *db, struct err *err);
