/*
 * completion - the completions of the shells, written out of the table of
 * commands (commands.c), its options and what their values may be (values.def).
 */
#ifndef CLI_COMPLETION_COMPLETION_H
#define CLI_COMPLETION_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/cli.h"

/* A row of values.def: names or words, never both. */
struct value {
	const char *word;
	const char *names; /* "files", "directories", or what `carrel completion` lists */
	const char *words; /* with blanks between; letters, digits, '-' and '_' */
};

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

/* Append the whole script. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

/*
 * Append the project's names of that kind, one a line, those that are no
 * single line left out.  False: there is no such kind.  A project that cannot be read
 * has none.
 */
bool completion_names(struct cli *cli, const char *kind, struct buf *out);

#endif
