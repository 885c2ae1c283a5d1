/*
 * columns_random - statements drawn by lot over the schema of these tests,
 * protected columns in every place the grammar has for one.  Many are refused;
 * what counts is that none says anything about protected values.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

enum columns_dialect { COLUMNS_SQLITE, COLUMNS_POSTGRES, COLUMNS_MYSQL };

/* The statement of this number; the same number gives the same statement. */
void columns_random(uint64_t number, enum columns_dialect dialect, struct buf *out);
