/* postgres_session - the connection: pinned settings, and one pipelined round trip per statement. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_connect(struct sql_db *db, struct err *err);

/* The text in front of a query as it is sent: see pg_write_query(). */
const char *pg_wrapped_from(const struct sql_db *db);

/* Finishes the last round trip and sends this one. */
int pg_send(struct sql_db *db, struct call *c, const struct pg_round_trip *trip, struct err *err);

/* The next answer to the query; the caller clears *res.  singly: row by row as they arrive. */
enum pg_got pg_next(struct sql_db *db, struct call *c, bool singly, PGresult **res, struct err *err);

/* Reads the rest of the round trip without waiting; notices a lost connection. */
void pg_settle_idle(struct sql_db *db);

/* Marks the connection as unusable; the process ends after the call. */
void pg_give_up(struct sql_db *db, enum contract_exit code, const char *reason);
