/*
 * verify_household - messages of a compromised process to the supervisor.  A whole household is started in a throw-away
 * project, by the code that serves, and its children are told to send them.
 */
#pragma once

#include "supervisor/verify/verify_parts.h"

bool verify_household(const struct supervisor *sup, const struct standins *s);
