/* announce - a tool's schemas as clients are told them: what checks need and readers do not is left out. */
#ifndef FRONT_ANNOUNCE_H
#define FRONT_ANNOUNCE_H

#include "base/buf.h"
#include "base/mp.h"

/*
 * As JSON, without the members' examples: a tool's description ends with an example of the whole call, and
 * a member's own is given where an argument is refused.
 */
void announce_input(const struct mp_value *schema, struct buf *out);

/*
 * As JSON, and looser than what results are checked against here: without bounds, without a word about other
 * members, and required stands on the outermost object alone.
 */
void announce_output(const struct mp_value *schema, struct buf *out);

#endif
