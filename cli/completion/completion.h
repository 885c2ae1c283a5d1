/* completion - what options and operands may be: the rows of values.def. */
#pragma once

#include "cli/cli.h"

/* A row of values.def: names or words, never both. */
struct value {
	const char *word;
	const char *names; /* "files", "directories", or a kind of completion_names() */
	const char *words; /* with blanks between; letters, digits, '-' and '_' */
};
