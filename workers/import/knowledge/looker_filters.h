/* looker_filters - the filter expressions of LookML ("-cancelled", ">10", "7 days") as conditions of SQL. */
#pragma once

#include "base/buf.h"
#include "base/span.h"

enum looker_type { LOOKER_STRING, LOOKER_NUMBER, LOOKER_TIME, LOOKER_MONTH, LOOKER_QUARTER, LOOKER_YEAR, LOOKER_YESNO };

/*
 * Appends the condition that the expression is of x, in parentheses; nothing if it limits nothing.  A condition is true
 * or not for each row on every database alike: patterns are compared letter by letter, since LIKE is not.  Returns
 * NULL, or why the expression cannot be said exactly.
 */
const char *looker_filter(enum looker_type type, struct span expression, struct span x, struct buf *out);
