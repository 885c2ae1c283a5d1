/* missing - conditions on the presence of a value: "without an email", "not returned", "with a phone number". */
#ifndef ASK_MISSING_H
#define ASK_MISSING_H

#include "ask/plan.h"

void missing_read(struct plan *p);		/* missing values, flags */
void missing_happened(struct plan *p);		/* events without a time */

#endif
