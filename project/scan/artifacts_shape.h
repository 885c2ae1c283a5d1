/* artifacts_shape - the members of the scan's files, checked and in order.  Private to artifacts.c. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"

/* Append table with the members of the format, in its order.  -1 with *err when one is of the wrong type. */
int shape_table(const struct mp_value *table, struct buf *out, struct err *err);

/* Append the members of a table's foreign key as foreign-keys.json lists it. */
void shape_far_key(const struct mp_value *table, const struct mp_value *key, struct buf *out);

/* Append v with the value of every member whose name speaks of a secret replaced by "<redacted>". */
void shape_redacted(const struct mp_value *v, struct buf *out);
