/* agents_take - private to this folder: what setup-agents takes out again.  See agents_setup.h. */
#pragma once

#include "cli/agents/agents_setup.h"

/* Take out what the options ask for, else all that the manifest holds; an exit code. */
int agents_remove(struct setup *s);
