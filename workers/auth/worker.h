/* worker - carrel-auth's configuration, store and messages. */
#pragma once

#include <stdio.h>

#include "workers/auth/auth.h"

/* Do what is due by time, or by changes of other processes. */
void auth_tend(struct auth *a);

/* Copy text with a NUL, cut to cap. */
static inline void
auth_text(char *out, size_t cap, struct span text)
{
	snprintf(out, cap, "%.*s", SPAN_FMT(text));
}
