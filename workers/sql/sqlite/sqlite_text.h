/* sqlite_text - how statements of SQLite are cut into tokens. */
#ifndef WORKERS_SQL_SQLITE_SQLITE_TEXT_H
#define WORKERS_SQL_SQLITE_SQLITE_TEXT_H

#include "base/text/sqltext.h"

#define SQLTEXT_SQLITE	(SQLTEXT_BACKTICKS | SQLTEXT_BRACKETS | SQLTEXT_MARKS)

#endif
