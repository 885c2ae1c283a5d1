/* verify_parts - shared by the files of `carrel sandbox verify`; not for others. */
#ifndef SUPERVISOR_VERIFY_VERIFY_PARTS_H
#define SUPERVISOR_VERIFY_VERIFY_PARTS_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "policy/acts.h"
#include "policy/hostile.h"
#include "supervisor/supervisor.h"
#include "supervisor/verify/verify_aim.h"

/* One process under test, in place of a configured child. */
struct trial {
	struct supervisor	*sup;
	const struct config	*cfg;		/* the project's, or a stand-in's */
	const char		*binary;	/* program of the configured child */
	const char		*connection;	/* "" except for an SQL worker */
	struct config		 stand_in;	/* used by cfg if the project has no configuration for it */
	struct config_connection only;		/* its one connection */
	const struct db_driver	*driver;	/* of an SQL worker; else NULL */
	bool			 unconnected;	/* an SQL worker without its server */
	const char		*note;		/* what the test replaces; NULL: nothing */
	char			 said[128];	/* storage of the note */
	struct aims		 aims;
	unsigned		 part;		/* of PROBE */
	unsigned		 act;
	char			 path[PATH_MAX];	/* what the act is tried on */
	struct process		 process;
	struct policy_trial	 came;
	char			 why[256];	/* the reason why an act was not tried */
};

/* What t's process is: its configuration, or a stand-in where the project has no use for it.  git: may be NULL. */
void trial_stand_for(struct trial *t, const struct policy_profile *p, const struct standins *s, const char *git);

/* The one connection of a stand-in's configuration, to a database that is a file here. */
struct config_connection standin_connection(const struct standins *s, const struct db_driver *file);

/* Repeat an SQL worker whose database did not answer, without a database.  False: it had none, or is no SQL worker. */
bool trial_without_database(struct trial *t, const struct standins *s);

/* Start and configure the process; its messages go to the hooks with arg.  -1: the reason is in t->why. */
int trial_start(struct trial *t, const struct process_hooks *hooks, void *arg);

/* Kill the process if it still runs, and free what belongs to it. */
void trial_end(struct trial *t);

/* One output line of `carrel sandbox verify`.  at, path, note may be NULL. */
struct verify_line {
	const char	*process, *act, *what, *at, *path, *expected, *outcome, *note;
	enum policy_judgement judgement;
};
void verify_print(const struct verify_line *line);

/* --- verify_peer.c: hostile messages between front and workers -------- */

/* Tools as each role announced them while it was tried; for the front. */
struct verify_tools {
	struct buf	of[IPC_ROLES];
};

/* Send the messages of hostile.def to the worker of t.  False: one of them was not refused. */
bool verify_worker(struct trial *t, const struct policy_profile *p, const struct standins *s,
    struct verify_tools *tools);

/* Send the front the messages that hostile workers would. */
bool verify_front(struct trial *t, const struct standins *s, const struct verify_tools *tools);

/* --- verify_household.c: hostile messages to the supervisor ---------------------- */

bool verify_household(const struct supervisor *sup, const struct standins *s);

#endif
