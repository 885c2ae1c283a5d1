/*
 * start_daemon - starts carreld: detached as the project's daemon, or privately for this process only.
 *
 * carreld gets an empty environment.  References env:NAME in the configuration are resolved here, from our
 * environment, and sent through a pipe with the token: never in argv or an environment.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "project/config/config.h"

/* Settings of the command line that override the configuration; NULL, 0 or negative: not given. */
struct launch_options {
	const char	 *host, *token;
	const char	 *local_root;		/* PRIVATE: hexadecimal, KEYS_ROOT bytes */
	int		  port;			/* -1: as configured */
	size_t		  nhosts, norigins;
	const char	**hosts, **origins;	/* added to the configured ones */
};

/* The document for --launch-fd: JSON, with secrets, in a buffer to be wiped. */
void launch_document(const struct config *cfg, const struct launch_options *options, struct buf *out);

enum launch_kind {
	LAUNCH_DETACHED,	/* own session, its output into the log */
	LAUNCH_FOREGROUND,	/* our session and output; dies with us */
	LAUNCH_PRIVATE,		/* own process group, serves client_fd, ends with it */
	LAUNCH_VERIFY		/* prints its table on out_fd */
};

struct daemon_launch {
	enum launch_kind kind;
	const char	*program;	/* path of carreld */
	const char	*project_dir;
	struct span	 document;
	int		 client_fd;	/* PRIVATE: its end of the socketpair */
	int		 out_fd;	/* VERIFY: its standard output */
	bool		 quiet;		/* PRIVATE: discard its log, otherwise it goes to our stderr */
};

/* Start carreld.  Its one status line can be read from *status_fd (not for VERIFY).  Returns its pid or -1. */
pid_t launch_start(const struct daemon_launch *l, int *status_fd, struct err *err);

/*
 * Wait for the status line: 0 with the JSON after "ok " in line, or -1 with *err: the daemon's own sentence, or that
 * it died or took longer than timeout_ms.
 */
int launch_wait(int status_fd, unsigned timeout_ms, struct buf *line, struct err *err);
