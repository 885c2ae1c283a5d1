/* agents_put - private to this folder: what setup-agents puts in: entries, skills, the bundle.  See agents_setup.h. */
#pragma once

#include "cli/agents/agents_setup.h"

/* All that a target gets in that scope; an exit code. */
int agents_install(struct setup *s, const struct agent_target *t, enum agent_scope scope);
