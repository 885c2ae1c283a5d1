/*
 * config_connection - what connections of all drivers have in common: paths, and URLs with passwords in them.  Reads
 * no YAML: the drivers' descriptions use it, and every process has these.
 */
#pragma once

#include "project/config/config.h"

/* The absolute, cleaned form of a database path as written; URLs of the driver are taken apart.  NULL: a full. */
const char *config_database_path(struct arena *a, const struct db_driver *d, const char *project_dir,
    const char *written);

/* True for a URL or keyword string with a password in it. */
bool config_holds_password(const char *url);

/* A reference as it is, of a URL scheme, host and database without user and password.  NULL: a full. */
const char *config_bare_url(struct arena *a, const char *url);

/* For drivers of files: set c->path or c->path_ref from what was written as path or url. */
void config_finish_file(struct config_reader *r, struct config_connection *c, const struct config *cfg,
    const char *name, const char *path, const char *url);
