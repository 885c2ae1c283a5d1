/* json_pretty - JSON for files: two spaces, members in the order given, a line feed at the end. */
#pragma once

#include "base/buf.h"
#include "base/mp.h"

/* Append v, which passed mp_scan(), as one indented document. */
void json_pretty(struct buf *out, const struct mp_value *v);
