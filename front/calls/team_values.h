/*
 * team_values - the values that a parameter of a team's tool may have, where they are those of a dimension.
 *
 * They are read by a query of the semantic layer in the name of the caller, so that row security, column policies and
 * the semantic layer's own rules hold, and are kept nowhere.  Its result is given to these functions before anything of
 * it was written.  A dimension of text, whole numbers or days is meant: values are compared as people read them.
 */
#pragma once

#include "base/buf.h"
#include "base/json/json_schema.h"
#include "base/mp.h"
#include "front/calls/tool_result.h"
#include "front/calls/tools.h"

#define TEAM_VALUES_NEAR	5u	/* that an error names */

/* Append what the worker of a query behind a parameter is sent; value NULL: of the query for all values. */
void team_values_put_call(const struct tool_entry *query, const struct mp_value *value, struct buf *out);

/*
 * Append the members values, at most `most` of those that contain typed (ASCII letters of any case), those that begin
 * with it first; total, how many do; and hasMore, whether there are others, or values that were not looked at.
 */
void team_values_put(struct tool_result *all, struct span typed, size_t most, struct buf *out);
/* The same of the values that the configuration lists, a msgpack array of the parameter's schema. */
void team_values_put_listed(const struct mp_value *listed, struct span typed, size_t most, struct buf *out);

/* Whether value is among them; if not, *issues says so with the nearest ones. */
bool team_values_have(struct tool_result *all, const struct tool_values *of, const struct mp_value *value,
    struct schema_result *issues);
