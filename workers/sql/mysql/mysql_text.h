/* mysql_text - how statements of MariaDB and MySQL are cut into tokens. */
#pragma once

#include "base/text/sqltext.h"

#define SQLTEXT_MYSQL	(SQLTEXT_BACKTICKS | SQLTEXT_BACKSLASHES | SQLTEXT_HASHES)
