/* cmd - pieces that several commands share. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/daemon/client.h"
#include "project/model/source.h"

/* Say why a connection's call failed, the connection named once.  CLI_FAILED. */
int fail_connection(const char *id, const struct err *err);

/* Write the project's files in dir, without connections; existing files are not changed. */
int project_make(const char *dir);

/* Add the connection of --url, --path and so on to the project in dir; cli then uses this project, operand 0 is the id. */
int project_connect(struct cli *cli, const char *dir);
int project_scan(struct cli *cli, const char *id);

/* Report a usage error if an option of a connection is given; for calls without --url or --path. */
int project_options(struct cli *cli);

/* Call connection_test for id; the result is borrowed from c.  0, or -1 and why. */
int connection_request(struct client *c, const char *id, struct view *result, struct err *err);

/* The same.  The exit code, after an error message if not 0. */
int connection_ask(struct cli *cli, struct client *c, const char *id, struct view *result);

/* Write what --schemas or --all-schemas says into the configuration of id, and put it into effect. */
int connection_take_schemas(struct cli *cli, const char *id);

/* Scan one connection with a progress bar; the result is shown, or appended to json when not NULL. */
int scan_connection(struct cli *cli, struct client *c, const char *connection, bool deep, struct buf *json);

/* Print the lines to type after a scan of the connection. */
int scan_put_next(struct cli *cli, const char *project, const char *connection, bool deep);

/*
 * Make the directories for scans and notes before a private daemon starts, which
 * can only use directories that exist.  A project made by ktx has none of them.
 */
void make_places(struct cli *cli);

/* The rows of sql_execution or sl_query as a table, with how many there are. */
int show_result_rows(struct cli *cli, struct view result);

/* The id of the connection's last scan, in a; NULL if absent. */
const char *last_scan(struct cli *cli, const char *project_dir, const char *connection);

/*
 * What the last scan left out: schemas that are not served, tables that the account may not read; NULL: nothing, or no
 * scan.
 */
const char *scan_left_out(struct cli *cli, const char *project_dir, const char *connection);

/* The sources of a connection, from its files; NULL when it has no directory of its own. */
struct source_set *sl_load(struct cli *cli, const char *project, const char *connection);

/* The scanned table that a first measure is best written for, in the arena; NULL: there is a measure, or no table. */
const char *sl_first_table(struct cli *cli, const char *project, const char *connection);

/* Append the file's text, of standard input for "-".  0, or the errno; EFBIG: it has more than max bytes. */
int input_read(const char *name, size_t max, struct buf *text);
const char *input_name(const char *name);	/* what messages call it */

/* Write the file at path, made for its owner alone or replaced.  The exit code, after an error message if not 0. */
int output_write(const char *path, struct span text);

/* Append the output of `carrel doctor --json`; findings are not failures here. */
void doctor_report(struct cli *cli, struct buf *out);

/* Directories of pages; the first one with a key takes precedence; NULL-terminated. */
extern const char *const wiki_places[];

/*
 * The token from --token-file, --token or the environment variable (NULL: none), in that order; *token NULL when none
 * was given.  CLI_OK, or the exit code after a message.
 */
int token_option(struct cli *cli, const char *variable, const char **token);

#endif
