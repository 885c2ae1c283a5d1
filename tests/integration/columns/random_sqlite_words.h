/* random_sqlite_words - statements drawn by lot over a drawn database (random_sqlite_schema.h). */
#pragma once

#include "tests/integration/columns/random_sqlite_schema.h"

/* Appends the next one.  Where a column is hashed, none orders or compares digests, which differ between the databases. */
void drawn_statement(struct drawn *d, struct buf *out);
