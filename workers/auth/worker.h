/* worker - carrel-auth's configuration, store and messages. */
#pragma once

#include "workers/auth/auth.h"

/* Do what is due by time, or by changes of other processes. */
void auth_tend(struct auth *a);

/* Copy text with a NUL, cut to cap. */
void auth_text(char *out, size_t cap, struct span text);
