/*
 * args - from the words of the command line to a row of the table and its options.
 *
 * getopt_long() is not used, for three reasons.  The set of options is known only when the command's words have been
 * read, and options may precede, separate and behind these words.  getopt_long() accepts every unambiguous prefix of an
 * option, so that a new option could break scripts.  Its error messages suggest no option that may have been meant.
 */
#pragma once

/* The name of an option that stands for any other: its value is then "name=value". */
#define ARGS_ANY	"PARAMETER"

#include "cli/cli.h"

/* The section of a command; NULL: none names it. */
const struct command_section *command_section_of(const struct command *c);

/* True when name is word, or word and a second word, which is then in *rest; else NULL is. */
bool args_first_word_is(const char *name, const char *word, const char **rest);

/* The command of one word, or of a group's word and a second; NULL if unknown. */
const struct command *args_command(const char *first, const char *second);

/* The option of the list that word, which starts with a dash, names; a value may stand behind it.  Or NULL. */
const struct option *args_option(const struct option *list, const char *word);

/*
 * Parse the words after the program's name into *cli.  Returns the command's row with *code unchanged, or NULL when
 * there is nothing to run: help or version was printed, or the usage was wrong (reported on stderr); *code is then the
 * exit code.
 */
const struct command *cli_parse(struct cli *cli, int argc, char **argv, int *code);

bool cli_flag(const struct cli *cli, const char *option);
const char *cli_option(const struct cli *cli, const char *option);	/* the last value, or NULL */

/* All values of a repeatable option, in order; *n of them, in the arena. */
const char **cli_options(const struct cli *cli, const char *option, size_t *n);

/* A number from low to high.  Absent: *out as it was.  False: said on stderr, end with CLI_USAGE. */
bool cli_number(const struct cli *cli, const char *option, uint64_t low, uint64_t high, uint64_t *out);

/* Operand i, or NULL. */
const char *cli_operand(const struct cli *cli, size_t i);
