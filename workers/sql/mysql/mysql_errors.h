/* mysql_errors - the server's and the library's errors, as callers are told them. */
#pragma once

#include <mysql.h>

#include "base/err.h"
#include "workers/sql/mysql/mysql_place.h"

struct buf;

/* Why a connection was not made, by the library's number and message, with what to do.  Returns -1. */
int mysql_errors_connecting(unsigned number, const char *message, const struct mysql_place *place, struct err *err);

/*
 * Why a statement failed: the error of m, with advice; details gets its number and SQLSTATE, and may be NULL.
 * Returns -1.
 */
int mysql_errors_explain(MYSQL *m, struct buf *details, struct err *err);
