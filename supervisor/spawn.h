/*
 * spawn - one fresh process of one binary, with exactly the descriptors and
 * the empty environment that ipc/contract.h promises it.
 */
#ifndef SUPERVISOR_SPAWN_H
#define SUPERVISOR_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "ipc/contract.h"

#define SPAWN_WATCH_SIZE	4096

struct spawned {
	pid_t			 pid;
	int			 pidfd;
	int			 control;	/* our end; non-blocking */
	int			 log;		/* read end of its stderr; non-blocking */
	struct contract_watch	*watch;		/* mapped, SPAWN_WATCH_SIZE bytes */
};

/*
 * Start dir's binary `name`.  Everything in *s is the caller's afterwards.
 * A binary that cannot be executed shows as exit code EXIT_EXEC.  Returns 0,
 * or -1 with *err when not even a process could be made.
 */
int spawn_child(const char *dir, const char *name, struct spawned *s, struct err *err);

/* Close and unmap what *s holds; the process is not touched. */
void spawn_close(struct spawned *s);

#endif
