/*
 * config_issue - what is wrong with a configuration while it is read.  Used by config*.c and the drivers'
 * descriptions.
 */
#pragma once

#include "project/config/config.h"

struct config_reader {
	struct arena		*arena;
	struct config_issues	*issues;
	bool			 full;		/* the arena is */
	struct config_connection *connection;	/* the connection being read, which issues make unavailable instead
                                                 * of the configuration; NULL: none */
};

/* Note an issue; name is "server.port". */
void config_issue(struct config_reader *r, bool is_fatal, unsigned line, const char *name,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
