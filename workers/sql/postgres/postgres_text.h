/* postgres_text - how statements of PostgreSQL are cut into tokens. */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_TEXT_H
#define WORKERS_SQL_POSTGRES_POSTGRES_TEXT_H

#include "base/text/sqltext.h"

#define SQLTEXT_POSTGRES \
	(SQLTEXT_NESTED | SQLTEXT_RETURNS | SQLTEXT_ESCAPES | SQLTEXT_CONTINUED | SQLTEXT_DOLLARS)

#endif
