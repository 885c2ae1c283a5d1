/*
 * client - one conversation with the daemon: JSON-RPC, a line each way.
 *
 * Over .carrel/control.sock if the project's daemon runs, else over a socketpair
 * with a private carreld, which ends when the socket is closed.  The messages are
 * the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "cli/cli.h"
#include "cli/show/view.h"
#include "project/keys.h"

#define CLIENT_LINE_MAX	((size_t)64 << 20)	/* a longer answer is refused */

/* The kind of client, which determines the scopes (the front's carrel/hello). */
enum client_voice {
	CLIENT_CLI,	/* research, and tools that only the owner of the project may call */
	CLIENT_STDIO	/* the scopes of research, or those of the token */
};

struct client {
	int		 fd;		/* -1 when closed */
	int		 status_fd;	/* of a private daemon: why it ended; -1 otherwise */
	pid_t		 child;		/* the private daemon; 0: the project's */
	uint64_t	 next_id;
	struct buf	 in;
	size_t		 line;		/* length of the line handed out last, with its newline */
	bool		 has_root;	/* the key for proofs of ownership is known: policy/proof.h */
	uint8_t		 root[KEYS_ROOT];
	bool		 unsent;	/* the last request did not reach the daemon: it may be sent to its successor */
	const char	*project;	/* whose daemon that is, of an open CLIENT_CLI; NULL: it has no successor */
	bool		 cancellable;	/* client_cancellable() */
	const char	*name;		/* as the audit names the program; "carrel" at first */
	struct view	 export;	/* the link to a file that the last tool's result has; of no kind without one */
};

/*
 * Connect and say hello.  The daemon that runs is used; without one a private
 * one is started, unless only_running: then 1 is returned.  token may be NULL.
 * -1 after an error message on stderr.
 */
int client_open(struct cli *cli, struct client *c, enum client_voice voice, const char *token,
    bool only_running);

/* Take over a connected socket, as client_open() would have made it; no hello. */
void client_init(struct client *c, int fd);

/* The hello alone.  -1 with *err. */
int client_hello(struct client *c, enum client_voice voice, const char *token, struct err *err);

/* A private daemon is gone when this returns. */
void client_close(struct client *c);

typedef void client_progress_fn(void *arg, double fraction, const char *message);

/*
 * Call method with params (a msgpack map) and wait for the answer, however
 * long it takes; notifications/progress in between go to progress (may be
 * NULL).  0 with *result, borrowed until the next call; -1 with *err.
 * A reload replaces the front, which ends conversations between two calls: the next one goes to its successor.
 */
int client_call(struct client *c, const char *method, struct span params,
    client_progress_fn *progress, void *arg, struct view *result, struct err *err);

/*
 * From now on an interrupt (SIGINT) during a call cancels the call and fails it with ERR_QUERY_CANCELLED; a second one
 * ends the program.  For calls that would continue without their client.
 */
void client_cancellable(struct client *c);

/*
 * tools/call with arguments (a msgpack map).  0 with the structured content,
 * borrowed until the next call; -1 with *err when the call or the tool failed,
 * its code and message being the tool's own.
 */
int client_tool(struct client *c, const char *tool, struct span arguments,
    client_progress_fn *progress, void *arg, struct view *result, struct err *err);

/*
 * Open, call one tool, show with show() or as JSON, close.  The exit code,
 * which verdict (may be NULL) can make a failure although the call was none.
 */
int client_run(struct cli *cli, const char *tool, struct span arguments,
    int (*show)(struct cli *cli, struct view result), int (*verdict)(struct view result));
