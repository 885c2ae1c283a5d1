/* team_arguments - the arguments of a call of a team's tool, as the tool's schema and its worker take them. */
#pragma once

#include "base/buf.h"
#include "base/mp.h"
#include "front/calls/tools.h"

/*
 * Copy args, a map, to out: a null for a parameter that may be left out is dropped, and digits in quotes for a whole
 * number, which is how JSON has one beyond 2^53, become that number.  Everything else stays as it is.
 */
void team_arguments_copy(const struct mp_value *input, const struct mp_value *args, struct buf *out);

/* Append what the worker of the tool's row is sent: arguments as above, raw; check: the tool is only explained. */
void team_arguments_put_call(const struct tool_entry *tool, struct span arguments, bool check, struct buf *out);
