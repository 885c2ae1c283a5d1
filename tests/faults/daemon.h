/* daemon - the daemon that the programs of this folder start and hurt, and its children. */
#pragma once

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

/*
 * The length of the one whole HTTP answer that in, NUL-terminated, begins with;
 * 0 while it is not whole.  What takes longer comes as a stream of chunks.
 */
size_t answer_length(const char *in);

void pause_us(unsigned us);
