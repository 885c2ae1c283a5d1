/*
 * columns_random - statements drawn by lot over the schema of these tests,
 * protected columns in every place the grammar has for one.  Many are refused;
 * what counts is that none says anything about protected values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The statement of this number; the same number gives the same statement. */
void columns_random(uint64_t number, bool postgres, struct buf *out);
