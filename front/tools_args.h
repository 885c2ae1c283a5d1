/* tools_args - arguments of a call: aliases renamed, then checked against the schema. */
#ifndef FRONT_TOOLS_ARGS_H
#define FRONT_TOOLS_ARGS_H

#include "front/tools.h"

/*
 * Rename aliases, then check args, a MAP, against the input schema.  *out is the arguments to send,
 * borrowed from args or from scratch.  False: *issues lists the problems.
 */
bool tools_check_args(const struct tool_entry *tool, const struct mp_value *args,
    struct buf *scratch, struct mp_value *out, struct schema_result *issues);

/* The "details" of invalid_arguments, as JSON, and the sentence for the agent. */
void tools_put_issues(const struct tool_entry *tool, const struct schema_result *issues,
    struct buf *details, struct buf *sentence);

/* Read "entities[].table.schema=db …".  NULL with *n = 0 when text is empty; false when it is malformed. */
bool alias_read(struct span text, struct alias **aliases, size_t *n);
void alias_free(struct alias *aliases, size_t n);

#endif
