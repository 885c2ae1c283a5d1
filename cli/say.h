/* say - how the commands speak, and where they find the project and our own files. */
#pragma once

#include "cli/cmd.h"

/* Say why a connection's call failed, the connection named once.  CLI_FAILED. */
int fail_connection(const char *id, const struct err *err);

/* Set the output format; rows as in struct command. */
void cli_speak(enum cli_format format, const char *rows);

/* "carrel: …" on stderr: one sentence that says what to do next.  Returns code. */
int cli_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print a remark on stderr; the command has not failed. */
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Write to stdout; CLI_OK, or CLI_FAILED when it did not take everything (said on stderr). */
int cli_write(struct span text);
int cli_write_safe(struct buf *lines);	/* escaped for the terminal; frees lines */
int cli_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_table(const struct text_table *t);

/* Print one line of JSON from JSON text or a msgpack value.  With JSON lines: one line for each element of its rows. */
int cli_json(struct span text);
int cli_json_mp(struct span mp);

/* Colour codes; "" if stdout is to have no colours. */
const char *cli_colour(const char *code);

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
const char *cli_own_file(struct cli *cli, const char *name);	/* in the directory of carrel; it may not exist */

/* getenv(3) as config_secret() wants it. */
const char *cli_getenv(void *arg, const char *name);
