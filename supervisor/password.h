/*
 * password - passwords of databases that a command prints (connections.<name>.password.command).  The command is run
 * without a shell, as our own user, when a worker is about to connect and what was printed last is older than ttl_s.
 * What it prints is kept in locked memory; what it says on its standard error is dropped, because that may be a secret
 * as well.
 */
#pragma once

#include "supervisor/supervisor.h"

#define PASSWORD_MAX		16384u	/* bytes that a command may print */
#define PASSWORD_LIFE_MS	10000u	/* it is killed after that */

enum password_state { PASSWORD_THERE, PASSWORD_RUNS, PASSWORD_FAILED };

/*
 * Whether a worker of c may connect now.  PASSWORD_RUNS: the command was started, or runs already; sup->go_on() follows
 * when it has ended.  PASSWORD_FAILED: it cannot be started, *err says why.
 */
enum password_state password_ask(struct supervisor *sup, const struct config_connection *c, struct err *err);

/* What the connection's command printed last, however old; empty: nothing yet.  Valid until the loop goes on. */
struct span password_last(const struct supervisor *sup, const char *connection);

/* A worker could not connect with it: the next one has the command run again. */
void password_doubt(struct supervisor *sup, const char *connection);

/* Whether the pid is a command at work. */
bool password_is(const struct supervisor *sup, pid_t pid);

/* Kill the commands at work, and forget all passwords. */
void password_close(struct supervisor *sup);
