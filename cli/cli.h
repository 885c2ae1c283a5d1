/*
 * cli - what the commands of `carrel` share: the table of commands, their
 * options, output, messages and exit codes.
 *
 * A command is a row in commands.c and one function in the cmd_*.c of its
 * group.  Options are read before it runs; --help, the completions' word list
 * and the usage errors come from the same rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "cli/show/table_text.h"
#include "project/config/config.h"

/* ASKED_BACK and NOT_ANSWERED are of `carrel ask` alone, which needs no daemon and so is never NOT_RUNNING. */
enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NOT_RUNNING = 3, CLI_ASKED_BACK = 3,
	CLI_NOT_ANSWERED = 4 };

struct option {
	const char	*name;		/* "max-rows", without the dashes */
	char		 letter;	/* 'c', or 0 */
	const char	*value;		/* "N"; the word selects the completion (values.def); NULL: a flag */
	const char	*help;
};

#define OPTION_END	{ NULL, 0, NULL, NULL }

struct cli;

enum cli_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL };

struct command {
	const char		*name;		/* "scan", or two words: "mcp start" */
	const char		*operands;	/* "[CONNECTION]", completed in the same way */
	const char		*summary;	/* one line */
	const char		*help;		/* further lines of help, or NULL */
	const struct option	*options;	/* ends with OPTION_END; NULL: none */
	unsigned		 min, max;	/* operands */
	int			 (*run)(struct cli *cli);	/* the exit code */
	const char		*rows;		/* the array in its JSON that --format csv and jsonl print; NULL: they are refused */
};

extern const struct command commands[];		/* ends with a NULL name */

/* A section of the help. */
struct command_section {
	const char	*title;		/* NULL: the end of the list */
	const char	*names;		/* of commands and groups, each with its NUL, in the order of the help */
};

/* A command that several sections name, itself or by its group, belongs to the first. */
extern const struct command_section command_sections[];

extern const struct option cli_global[];	/* the options of every command */

#define CLI_OPTIONS_MAX	128	/* of one call; more are a usage error */
#define CLI_WORDS_MAX	128	/* operands that are words of one text */

struct cli {
	struct arena		*arena;		/* lives until the process ends */
	const struct command	*command;
	const char		*project_option; /* --project-dir, or NULL */
	enum cli_format		 format;	/* FORMAT_TABLE unless another was asked for, wherever the output goes */
	bool			 json;		/* JSON or JSON lines are */
	bool			 quiet;		/* a step of a larger command: only failures are reported */
	bool			 help;		/* `carrel help …`, or --help */

	size_t			 noperands;
	const char		**operands;	/* room for one, however many there are */
	size_t			 noptions;
	struct {
		const struct option	*option;
		const char		*value;	/* NULL for a flag */
	} options[CLI_OPTIONS_MAX];
};
