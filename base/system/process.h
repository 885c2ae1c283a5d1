/* process - children of a process. */
#pragma once

#include <errno.h>
#include <sys/types.h>
#include <sys/wait.h>

/* Wait until the child has ended, through interruptions by signals.  Returns its status, as waitpid() gives it. */
static inline int
process_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
