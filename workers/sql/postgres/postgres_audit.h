/*
 * postgres_audit - audit_sql on PostgreSQL.  The guard's two layers are asked.  The session layer is tried where no
 * effect can outlive the rollback.  The account's privileges are asked.  No hostile input is ever run outside of a
 * read-only transaction that is rolled back.
 */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_audit(struct sql_db *db, struct call *c, struct result *r, struct err *err);
