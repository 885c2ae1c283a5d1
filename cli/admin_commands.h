/* admin_commands - what commands of administration share: how they are answered, times and durations as typed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/show/view.h"

/* Call a tool of carrel-auth and show its answer with show(), or as JSON.  The exit code. */
int admin_run(struct cli *cli, const char *tool, struct span arguments,
    int (*show)(struct cli *cli, struct view result));

/* The same with arguments that were begun, which end here. */
int admin_send(struct cli *cli, const char *tool, struct arguments *m,
    int (*show)(struct cli *cli, struct view result));

/* Every --claim NAME=VALUE as the member claims; none for an empty text alone.  The exit code. */
int admin_put_claims(struct cli *cli, struct arguments *m);

/* "90s", "30m", "12h", "7d" as seconds; false if invalid. */
bool admin_duration(const char *text, uint64_t *seconds);

/* A column of a list: text, or "-"; a number; a time; words with blanks between. */
enum admin_cell { ADMIN_TEXT, ADMIN_NUMBER, ADMIN_TIME, ADMIN_WORDS };
struct admin_column {
	const char	*header, *member;	/* "a|b": the member b where a is no text */
	enum admin_cell	 as;
};

/* Print the objects of a list as a table; columns end with a NULL header.  none: what is said where there are none. */
int admin_list(struct cli *cli, struct view list, const struct admin_column *columns, const char *none);

/* The words of a list with blanks between.  In the arena. */
const char *admin_words(struct cli *cli, struct view list);

/* A time of an answer as people read it: without fractions of a second; "-" for null.  In the arena. */
const char *admin_time(struct cli *cli, struct view at);

/* ", which closed 2 sessions and cancelled 1 call" for the member ended; "" when nothing was cut off. */
const char *admin_ended(struct cli *cli, struct view ended);
