/* missing - conditions on the presence of a value: "without an email", "not returned", "with a phone number". */
#pragma once

#include "ask/plan.h"

void missing_read(struct plan *p);		/* missing values, flags */
void missing_happened(struct plan *p);		/* events without a time */

/* The column's known value such as "none"; empty: it has none. */
struct span missing_nothing(const struct plan *p, struct plan_column at);
