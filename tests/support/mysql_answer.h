/* mysql_answer - what a MariaDB server answers to a statement, as one text, so that two answers can be compared. */
#pragma once

#include <mysql.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/*
 * A line of the names and types of the columns, and one of each row; or the error's number.  False: an error;
 * mysql_errno() says which.
 */
bool mysql_answer(MYSQL *server, struct span sql, struct buf *out);
