/* sqlite_text - how statements of SQLite are cut into tokens. */
#pragma once

#include "base/text/sqltext.h"

#define SQLTEXT_SQLITE	(SQLTEXT_BACKTICKS | SQLTEXT_BRACKETS | SQLTEXT_MARKS)
