/*
 * sqlite_audit - audit_sql on SQLite.  Every input is run, also with the guard switched off, because this process can
 * open nothing for writing.  The connection is restored after each input, and the process ends after the audit.
 */
#pragma once

#include "workers/sql/sqlite/sqlite_db.h"

int sqlite_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);
