/*
 * observe - tells carrel-telemetry of each call that has ended.  The channel is never waited for: what it does not take
 * is counted and dropped.
 */
#pragma once

#include "base/err.h"

struct exchange;
struct front;
struct tool_result;

/* The channel to carrel-telemetry; the one before is closed.  fd is taken over. */
void observe_attach(struct front *f, int fd);

/* x has ended with this error code (ERR_NONE: it succeeded) and result (NULL: none). */
void observe_exchange(const struct exchange *x, enum err_code code, const struct tool_result *result);
