/*
 * guard_rules - names that the guard refuses, and names that it allows
 * although a general rule would refuse them.  Tables, meant to be reviewed;
 * docs/guard.md explains each category.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

bool guard_rules_is_one_of(struct span name, const char *const *list, size_t n);

/* Why the server's or extension's function of that name is refused; NULL if it is not on the list. */
const char *guard_rules_function(struct span name);

/*
 * The number of arguments with which a function of the list is a different,
 * harmless one; 0 if absent.  A call with that many arguments cannot
 * mean the refused one.
 */
unsigned guard_rules_namesake(struct span name);

/* Whether a volatile function changes nothing. */
bool guard_rules_harmless(struct span name);
bool guard_rules_harmless_of(struct span extension, struct span name);

/*
 * Why the relation is refused, in any schema; NULL if it is not on the list.  standard: it belongs
 * to information_schema.
 */
const char *guard_rules_relation(struct span name, bool standard);

/* Whether SHOW and current_setting() may show the setting.  Without case. */
bool guard_rules_setting(struct span name);

/* The settings that guard_rules_setting() allows, for messages. */
extern const char guard_rules_settings[];

/* Whether the functions of an extension may be called, as far as they are not volatile. */
bool guard_rules_extension(struct span name);
