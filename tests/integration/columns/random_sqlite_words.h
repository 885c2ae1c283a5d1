/* random_sqlite_words - statements drawn by lot over a drawn database (random_sqlite_schema.h). */
#ifndef TESTS_INTEGRATION_COLUMNS_RANDOM_SQLITE_WORDS_H
#define TESTS_INTEGRATION_COLUMNS_RANDOM_SQLITE_WORDS_H

#include "tests/integration/columns/random_sqlite_schema.h"

/* Appends the next one.  Where a column is hashed, none orders or compares digests, which differ between the databases. */
void drawn_statement(struct drawn *d, struct buf *out);

#endif
