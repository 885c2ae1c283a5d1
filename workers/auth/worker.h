/* worker - carrel-auth's configuration, store and messages. */
#pragma once

#include "workers/auth/auth.h"

/* Copy text with a NUL, cut to cap. */
void auth_text(char *out, size_t cap, struct span text);
