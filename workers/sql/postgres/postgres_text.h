/* postgres_text - how statements of PostgreSQL are cut into tokens. */
#pragma once

#include "base/text/sqltext.h"

#define SQLTEXT_POSTGRES \
	(SQLTEXT_NESTED | SQLTEXT_RETURNS | SQLTEXT_ESCAPES | SQLTEXT_CONTINUED | SQLTEXT_DOLLARS)
