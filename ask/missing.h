/* missing - conditions on the presence of a value: "without an email", "not returned", "with a phone number". */
#pragma once

#include "ask/plan.h"

void missing_read(struct plan *p);		/* missing values, flags */
void missing_happened(struct plan *p);		/* events without a time */
