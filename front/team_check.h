/*
 * team_check - whether the statements of the team's tools can be run.
 *
 * When a connection is ready, and when workers are replaced by those of a reload, each of its tools is explained by a
 * worker of it: the statement passes the guard and the column policy, and its names are resolved.  A tool that cannot
 * be run is logged and not listed, and a call of it is told why.  What says nothing of the statement (a lost worker, a
 * database that does not answer) changes nothing.  Queries are also tried when files of the semantic layer change.  So
 * are those that the values of parameters come from; a tool is served when all of its queries can be run.
 */
#pragma once

#include "base/span.h"
#include "front/calls/tools.h"

struct front;

/* connection: empty, of all. */
void team_check_connection(struct front *f, struct span connection);
void team_check_queries(struct front *f);
/* With the queries for the values of its parameters. */
void team_check_one(struct front *f, const struct tool_entry *tool);
