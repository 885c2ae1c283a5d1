/*
 * acts - the forbidden acts of `carrel sandbox verify`.  Pure; the table is
 * acts.def, the trying is workers/shared/probe.c.
 */
#ifndef POLICY_ACTS_H
#define POLICY_ACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/profile.h"

enum policy_act_number {
#define ACT(NAME, number, what)	POLICY_ACT_##NAME = number,
#include "policy/acts.def"
#undef ACT
};

struct policy_act {
	unsigned	 number;
	const char	*name;		/* "READ_CONFIG" */
	const char	*what;		/* "read the project's configuration file" */
};

/* All acts in the order of acts.def, number 0 last. */
extern const struct policy_act policy_acts[];

/* NULL: no such act. */
const struct policy_act *policy_act(unsigned number);

/* True when p allows the act on purpose: then there is no refusal to show. */
bool policy_act_permitted(const struct policy_profile *p, unsigned number);

#endif
