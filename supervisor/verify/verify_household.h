/*
 * verify_household - messages of a compromised process to the supervisor.  A whole household is started in a throw-away
 * project, by the code that serves, and its children are told to send them.
 */
#ifndef SUPERVISOR_VERIFY_VERIFY_HOUSEHOLD_H
#define SUPERVISOR_VERIFY_VERIFY_HOUSEHOLD_H

#include "supervisor/verify/verify_parts.h"

bool verify_household(const struct supervisor *sup, const struct standins *s);

#endif
