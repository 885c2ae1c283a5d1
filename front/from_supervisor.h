/* from_supervisor - the front's end of the control channel. */
#ifndef FRONT_FROM_SUPERVISOR_H
#define FRONT_FROM_SUPERVISOR_H

#include "front/front.h"
#include "policy/profiles.h"

/* Read the channel from now on.  p is the profile that was applied. */
void from_supervisor_begin(struct front *f, const struct policy_profile *p);
void from_supervisor_end(struct front *f);

#endif
