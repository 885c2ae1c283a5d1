/*
 * guard_rules - what the guard refuses by name, and what it lets through
 * although a general rule would refuse it.  Tables, meant to be reviewed;
 * docs/guard.md explains each category.
 */
#ifndef POLICY_GUARD_RULES_H
#define POLICY_GUARD_RULES_H

#include <stdbool.h>

#include "base/span.h"

/* Why the function of the server or of an extension is refused; NULL: it is not on the list. */
const char *guard_rules_function(struct span name);

/*
 * With how many arguments a function of the list is another, harmless one; 0:
 * there is no such.  A call with that many can mean no other.
 */
unsigned guard_rules_namesake(struct span name);

/* Functions that are volatile but change nothing. */
bool guard_rules_harmless(struct span name);
bool guard_rules_harmless_of(struct span extension, struct span name);

/* Why the relation is refused, in whatever schema; NULL: it is not on the list.  standard: it is of information_schema. */
const char *guard_rules_relation(struct span name, bool standard);

/* May SHOW and current_setting() tell it?  In any case of letters. */
bool guard_rules_setting(struct span name);

/* What guard_rules_setting() allows, for messages. */
extern const char guard_rules_settings[];

/* Extensions whose functions may be called, if they are not volatile. */
bool guard_rules_extension(struct span name);

#endif
