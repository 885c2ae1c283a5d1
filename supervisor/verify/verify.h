/*
 * verify - `carrel sandbox verify`: tries every forbidden act in a fresh instance of the serving binary, configured and
 * confined as for serving.  One act per instance, because many verdicts are a kill.  No event loop: one child at a
 * time, over poll(2).
 *
 * If the project does not use a process, one with a throw-away database or repository takes its place.  If its database
 * cannot be reached, one that is confined without the database takes its place.
 */
#pragma once

#include "supervisor/supervisor.h"
#include "supervisor/verify/verify_parts.h"
#include "policy/profiles.h"

/* `carrel sandbox verify`: prints its lines, returns the exit code. */
int verify_sandbox(struct supervisor *sup);

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
