#include "workers/memory/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "project/format/atomic.h"

int
memory_open_place(const struct memory *m, const char *place, struct err *err)
{
	char *path = mem_printf("%s/%s", m->project_dir, place);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	free(path);
	if (fd >= 0)
		return fd;
	/* A directory made after the confinement cannot be opened, like a missing one. */
	if (errno == ENOENT || errno == EACCES)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "%s is missing from the project, or may not be "
		    "read or written; make it, and let carrel's user write it",
		    place);
	return atomic_fail(err, place, errno);
}

int
memory_lock(int state_dir, const char *connection, struct err *err)
{
	char name[300];
	int fd;

	snprintf(name, sizeof(name), "scan-%s.lock", connection);
	if ((fd = openat(state_dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
		return atomic_fail(err, ".carrel/memory", errno);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return err_set(err, ERR_BUSY, "%s is being scanned already; wait for that scan to end", connection);
	}
	return fd;
}

const struct memory_connection *
memory_connection(const struct memory *m, struct span id)
{
	for (size_t i = 0; i < m->nconnections; i++)
		if (span_is_str(id, m->connections[i].id))
			return &m->connections[i];
	return NULL;
}
