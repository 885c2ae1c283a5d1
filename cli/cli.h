/*
 * cli - what the commands of `carrel` share: the table of commands, their
 * options, output, messages and exit codes.
 *
 * A command is a row in commands.c and one function in the cmd_*.c of its
 * group.  Options are read before it runs; --help, the completions' word list
 * and the usage errors come from the same rows.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "cli/show/table_text.h"
#include "project/config/config.h"

enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NOT_RUNNING = 3 };

/* --- the table of commands -------------------------------------------------- */

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

/* The section of a command; NULL: none names it. */
const struct command_section *command_section_of(const struct command *c);

extern const struct option cli_global[];	/* the options of every command */

/* --- one run ---------------------------------------------------------------- */

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

/*
 * Parse the words after the program's name into *cli.  Returns the command's row with *code unchanged, or NULL when
 * there is nothing to run: help or version was printed, or the usage was wrong (reported on stderr); *code is then the
 * exit code.
 */
const struct command *cli_parse(struct cli *cli, int argc, char **argv, int *code);

/* --- options ----------------------------------------------------------------- */
bool cli_flag(const struct cli *cli, const char *option);
const char *cli_option(const struct cli *cli, const char *option);	/* the last value, or NULL */

/* All values of a repeatable option, in order; *n of them, in the arena. */
const char **cli_options(const struct cli *cli, const char *option, size_t *n);

/* A number from low to high.  Absent: *out as it was.  False: said on stderr, end with CLI_USAGE. */
bool cli_number(const struct cli *cli, const char *option, uint64_t low, uint64_t high, uint64_t *out);

/* Operand i, or NULL. */
const char *cli_operand(const struct cli *cli, size_t i);

/* --- speaking -----------------------------------------------------------------
 *
 * Results go to stdout in the format asked for, errors and remarks to stderr: a
 * sentence behind "carrel: ", or with --json one object a line, {"error": …} or
 * {"note": …}.  As CSV nothing but a table is printed: cli_write() and
 * cli_print() print nothing.
 */

/* Set the output format; rows as in struct command. */
void cli_speak(enum cli_format format, const char *rows);

/* "carrel: …" on stderr: one sentence that says what to do next.  Returns code. */
int cli_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print a remark on stderr; the command has not failed. */
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Write to stdout; CLI_OK, or CLI_FAILED when it did not take everything (said on stderr). */
int cli_write(struct span text);
int cli_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_table(const struct text_table *t);

/* Print one line of JSON from JSON text or a msgpack value.  With JSON lines: one line for each element of its rows. */
int cli_json(struct span text);
int cli_json_mp(struct span mp);

/* Colour codes; "" if stdout is to have no colours. */
const char *cli_colour(const char *code);

/* --- the project ---------------------------------------------------------------- */

/* The variable that holds the token: CARREL_MCP_TOKEN, or KTX_MCP_TOKEN if the first is not set. */
const char *cli_token_variable(void);

/* The project's directory; NULL after an error message. */
const char *cli_project(struct cli *cli);

/*
 * The project's configuration.  False after an error message, with one issue a
 * line; warnings are shown only if warn is set.
 */
bool cli_config(struct cli *cli, bool warn, struct config *cfg);

/* "sqlite and postgres": the drivers that are served, in the arena. */
const char *cli_driver_names(struct cli *cli);

/* The connection of that name, or the only one when name is NULL.  NULL after an error message. */
const struct config_connection *cli_connection(const struct config *cfg, const char *name);

/* Paths of programs and shared files of this build or installation; NULL when they do not exist. */
const char *cli_program(struct cli *cli, const char *name);
const char *cli_share(struct cli *cli, const char *name);
bool cli_has_program(struct cli *cli, const char *name);

/* getenv(3) as config_secret() wants it. */
const char *cli_getenv(void *arg, const char *name);

/* --- the commands ----------------------------------------------------------------- */
int cmd_init(struct cli *cli);
int cmd_connection_add(struct cli *cli);
int cmd_connection_list(struct cli *cli);
int cmd_connection_test(struct cli *cli);
int cmd_connection_grants(struct cli *cli);
int cmd_audit_sql(struct cli *cli);
int cmd_connection_remove(struct cli *cli);
int cmd_connection_edit(struct cli *cli);
int cmd_scan(struct cli *cli);
int cmd_status(struct cli *cli);
int cmd_mcp_start(struct cli *cli);
int cmd_mcp_stop(struct cli *cli);
int cmd_mcp_reload(struct cli *cli);
int cmd_mcp_restart(struct cli *cli);
int cmd_mcp_status(struct cli *cli);
int cmd_mcp_logs(struct cli *cli);
int cmd_mcp_stdio(struct cli *cli);
int cmd_sandbox_verify(struct cli *cli);
int cmd_ask(struct cli *cli);
int cmd_discover(struct cli *cli);
int cmd_details(struct cli *cli);
int cmd_values(struct cli *cli);
int cmd_sql(struct cli *cli);
int cmd_wiki_search(struct cli *cli);
int cmd_wiki_list(struct cli *cli);
int cmd_wiki_read(struct cli *cli);
int cmd_sl_list(struct cli *cli);
int cmd_sl_search(struct cli *cli);
int cmd_completion(struct cli *cli);
int cmd_sl_new(struct cli *cli);
int cmd_sl_read(struct cli *cli);
int cmd_sl_query(struct cli *cli);
int cmd_sl_validate(struct cli *cli);
int cmd_ingest_text(struct cli *cli);
int cmd_memory_log(struct cli *cli);
int cmd_memory_show(struct cli *cli);
int cmd_memory_approve(struct cli *cli);
int cmd_memory_revert(struct cli *cli);
int cmd_user_add(struct cli *cli);
int cmd_user_list(struct cli *cli);
int cmd_user_set(struct cli *cli);
int cmd_user_remove(struct cli *cli);
int cmd_client_list(struct cli *cli);
int cmd_client_add(struct cli *cli);
int cmd_client_remove(struct cli *cli);
int cmd_client_grants(struct cli *cli);
int cmd_client_revoke(struct cli *cli);
int cmd_key_list(struct cli *cli);
int cmd_key_rotate(struct cli *cli);
int cmd_preferences_get(struct cli *cli);
int cmd_preferences_set(struct cli *cli);
int cmd_admin(struct cli *cli);
int cmd_token_create(struct cli *cli);
int cmd_token_list(struct cli *cli);
int cmd_token_reveal(struct cli *cli);
int cmd_token_revoke(struct cli *cli);
int cmd_connectivity_setup(struct cli *cli);
int cmd_connectivity_test(struct cli *cli);
int cmd_connectivity_diagnose(struct cli *cli);
int cmd_prompt(struct cli *cli);
int cmd_connectivity_status(struct cli *cli);
int cmd_connectivity_enable(struct cli *cli);
int cmd_connectivity_disable(struct cli *cli);
int cmd_setup_agents(struct cli *cli);
int cmd_audit_tail(struct cli *cli);
int cmd_audit_search(struct cli *cli);
int cmd_audit_show(struct cli *cli);
int cmd_audit_verify(struct cli *cli);
int cmd_audit_export(struct cli *cli);
int cmd_doctor(struct cli *cli);
int cmd_dataset_document(struct cli *cli);
int cmd_dataset_import(struct cli *cli);
int cmd_dataset_list(struct cli *cli);
int cmd_dataset_publish(struct cli *cli);
int cmd_dataset_remove(struct cli *cli);
int cmd_dataset_show(struct cli *cli);
int cmd_dataset_unpublish(struct cli *cli);

#endif
