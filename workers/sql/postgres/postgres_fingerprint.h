/* postgres_fingerprint - the structure of the schemas in scope; the server computes a digest for each relation. */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

int pg_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

/* Adds an element to an array literal that begins with its brace. */
void postgres_fingerprint_put(struct buf *out, const char *name);

/* Writes an array literal of the configured schemas. */
void pg_put_schemas(struct buf *out, const struct sql_config *cfg);
