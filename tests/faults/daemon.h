/* daemon - the daemon that the programs of this folder start and hurt, and its children. */
#ifndef TESTS_FAULTS_DAEMON_H
#define TESTS_FAULTS_DAEMON_H

#include <stddef.h>
#include <sys/types.h>

#define CHILDREN_MAX	64

struct child {
	pid_t	pid;
	char	name[64];
};

extern pid_t daemon_pid;

/* Start it on a free port, which is returned; 0, and said why, when it does not come up. */
unsigned daemon_start(const char *carreld, const char *project);

/* The children it has now, at most CHILDREN_MAX of them; 0 also when it is gone. */
size_t daemon_children(struct child *list);

void pause_us(unsigned us);

#endif
