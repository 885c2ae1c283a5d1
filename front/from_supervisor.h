/* from_supervisor - the front's end of the control channel. */
#pragma once

#include "front/front.h"
#include "policy/profiles.h"

/* Read the channel from now on.  p is the profile that was applied. */
void from_supervisor_begin(struct front *f, const struct policy_profile *p);
void from_supervisor_end(struct front *f);
