/* spawn - one fresh process of one binary: see process.h. */
#pragma once

#include "supervisor/process.h"

/* Sets pid, pidfd, control, log and watch of *p, none of which is open before. */
int spawn_process(const char *dir, const char *name, struct process *p, struct err *err);

/* Close and unmap these. */
void spawn_close(struct process *p);

/*
 * Between fork and exec: become the program at path, with signals as a fresh program has them; it dies with its parent,
 * which is the process parent.
 */
__attribute__((noreturn)) void spawn_exec(const char *path, char **argv, char **env, pid_t parent);
