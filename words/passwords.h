/*
 * passwords - whether a password is among the commonest, which attackers try first, or is made of one in the
 * usual ways.  The list is zxcvbn's (Debian's python3-zxcvbn); built without it, only repetitions are found.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define PASSWORDS_LONGEST	1024u	/* bytes; a longer one is never common */

/* Each password between newlines, in small letters. */
extern const char passwords_table[];

/*
 * A common password whatever its case, one that is repeated ("passwordpassword"), one with digits and signs around it
 * ("Password2024!"), or fewer than four characters repeated.
 */
bool passwords_is_common(struct span password);
