/*
 * mariadb - a throw-away MariaDB server (tests/support/my.sh), asked as by the driver: with what is printed of trees.
 */
#pragma once

#include <mysql.h>

#include "base/span.h"

/* The database "test" of the server at that socket; ends the program if it cannot be had. */
MYSQL *mariadb_open(const char *socket);

/* The rows of one statement, for mysql_free_result().  NULL with *why: it is refused by the parser or by the server. */
MYSQL_RES *mariadb_query(MYSQL *my, struct span sql, const char **why);
