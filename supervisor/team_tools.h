/* team_tools - the tools of the configuration, as the front lists them and as the workers of connections run them. */
#pragma once

#include "base/buf.h"
#include "project/config/config.h"

/* -1 with *err: a name is that of another tool, a scope does not exist, or all of them take too much room. */
int team_tools_check(const struct config *cfg, struct err *err);

/*
 * For the front: an array of {name, title, description, inputSchema, connection, scopes, query?, values?}, query with
 * what sl_query takes, values with {dimension, all, one} by the names of parameters: the queries that all values of the
 * dimension, and the one that is equal to :value, come from, each in the form of a tool.
 */
void team_tools_put_offer(const struct config *cfg, struct buf *out);

/* For carrel-auth: a map of names to scopes, of which a caller needs one. */
void team_tools_put_scopes(const struct config *cfg, struct buf *out);

/*
 * For the workers of a connection: an array of {name, sql (null of a query), maxRows, parameters: [{name, type,
 * optional, preset, sample, small}]}.
 */
void team_tools_put_statements(const struct config *cfg, const char *connection, struct buf *out);
