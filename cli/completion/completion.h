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

#endif
