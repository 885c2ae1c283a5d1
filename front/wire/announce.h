/* announce - a tool's schemas as sent to clients, without the keywords that only validation needs. */
#pragma once

#include "base/buf.h"
#include "base/mp.h"

/*
 * Append the input schema as JSON without the examples of members.  The tool's description ends with
 * an example of a whole call, and a refused argument is answered with that member's example.
 */
void announce_input(const struct mp_value *schema, struct buf *out);

/*
 * Append the output schema as JSON, looser than the schema that results are checked against here: no
 * bounds, no additionalProperties, and required only on the outermost object.
 */
void announce_output(const struct mp_value *schema, struct buf *out);
