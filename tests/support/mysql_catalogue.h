/* mysql_catalogue - what a MariaDB server has, for the tests of its column policy. */
#pragma once

#include <mysql.h>

#include "base/arena.h"
#include "workers/sql/mysql/guard/mysql_columns.h"

/* The relations of the session's database, which is schema, and of information_schema, in the arena. */
void mysql_catalogue_read(MYSQL *server, struct arena *a, struct span schema, struct mysql_catalogue *out);
