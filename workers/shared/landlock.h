/*
 * landlock - path rules into a Landlock domain, on every ABI from 1 on.
 *
 * Debian 12's <linux/landlock.h> is of 6.1 and knows nothing past ABI 2, so the constants stand here.
 */
#pragma once

#include "workers/shared/confine.h"
#include "policy/profiles.h"

/* The kernel's Landlock ABI; 0 if it has no Landlock. */
unsigned confine_landlock_abi(void);

/*
 * Handle every right the ABI knows and grant what p's paths say.  abi is at
 * least 1.  -1: *err has the sentence.
 */
int landlock_apply(const struct policy_profile *p, const struct confine_places *places,
    unsigned abi, struct err *err);
