/* mysql_errors - the server's and the library's errors, as callers are told them. */
#pragma once

#include <mysql.h>

#include "base/err.h"
#include "workers/sql/mysql/mysql_place.h"

struct buf;

/* Why mysql_real_connect() failed, with what to do.  Returns -1. */
int mysql_errors_connecting(MYSQL *m, const struct mysql_place *place, struct err *err);

/*
 * Why a statement failed: the error of m, with advice; details gets its number and SQLSTATE, and may be NULL.
 * Returns -1.
 */
int mysql_errors_explain(MYSQL *m, struct buf *details, struct err *err);
