/* completion_line - what fits at the end of a command line, by the table of commands and the project's names. */
#pragma once

#include "cli/completion/completion.h"

/* The kind of values for an operand such as "[CONNECTION]", "TABLE…", "N"; NULL: none can be proposed. */
const struct value *completion_value(const char *word);

/*
 * words: those behind the program's name, at least one; the last is being typed, or empty.  Append what may come in
 * its place, one a line: the text, for commands and options also a tab and what they do.  Of "--option=value" the text
 * is the value.  A line ":files" or ":directories": the shell completes it.
 */
void completion_line(struct cli *cli, const char *const *words, size_t n, struct buf *out);
