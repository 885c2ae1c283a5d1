/*
 * profiles - the confinement tables.
 *
 * Legend: a profile is a union of rule sets.  ALLOW permits a call, ALLOW_IF permits it if all conditions of the row
 * hold (several rows for one call: any of them).  REFUSE and REFUSE_IF answer with an errno, for calls that libraries
 * make on their own.  A call that no set names kills the process.  Sets are sorted by name.  One call has one verdict
 * in the whole profile; only REFUSE_IF narrows an ALLOW.
 *
 * The whole test suites ran under these lists, error paths included.  A process that one of them kills has a bug or is
 * under attack: find out which before you add a row.
 */
#pragma once

#include "policy/profile.h"

/* NULL if no profile has that name. */
const struct policy_profile *policy_profile(const char *name);
