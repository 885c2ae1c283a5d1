/* cmd_completion - carrel completion: a shell's script, or the names that it asks for. */
#ifndef CLI_COMPLETION_CMD_COMPLETION_H
#define CLI_COMPLETION_CMD_COMPLETION_H

#include "cli/completion/completion.h"

/* The kind of values for an operand such as "[CONNECTION]", "TABLE…", "N"; NULL: none can be proposed. */
const struct value *value_of(const char *word);

/* True for files and directories, which the shells complete themselves. */
bool value_is_path(const struct value *v);

/* The second word of a command's name, or NULL; *first is the length of the first. */
const char *command_second(const struct command *c, size_t *first);

/* True when no row before c begins with the same word. */
bool command_is_first(const struct command *c);

/* True when both begin with the same word. */
bool command_is_beside(const struct command *a, const struct command *b);

/* Append text in single quotes as sh, and zsh, read them. */
void completion_quote(struct buf *out, const char *text);

int cmd_completion(struct cli *cli);

#endif
