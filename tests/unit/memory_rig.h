/* memory_rig - carrel-memory, confined, over a project directory of its own, and a look at what it left there. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/format/atomic.h"
#include "tests/support/child_driver.h"
#include "tests/unit/harness.h"

static char project[64];
static int root = -1;		/* the project, to open by */

static inline void
make(const char *dir)
{
	assert_int_equal(mkdirat(root, dir, 0755), 0);
}

/* A fresh project with the places a worker expects. */
static inline void
rig_make_project(void)
{
	static const char *const dirs[] = { "wiki", "wiki/global", "semantic-layer", "raw-sources", ".carrel",
		".carrel/memory" };

	snprintf(project, sizeof(project), "/tmp/carrel-memory-XXXXXX");
	assert_non_null(mkdtemp(project));
	assert_int_equal(chmod(project, 0755), 0);
	root = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		make(dirs[i]);
}

/* A test's teardown. */
static inline int
teardown(void **state)
{
	(void)state;
	close(root);
	return atomic_remove(AT_FDCWD, project, NULL);
}

/* A worker that is ready; it may go on to die of its faults at once.  conf needs no place and no bound. */
static inline struct driver *
rig_spawn(struct ipc_configure_memory conf, const struct peer_options *options)
{
	struct driver *d = driver_spawn(BIN_DIR "/carrel-memory", IPC_MEMORY, options);

	conf.project_dir = span_str(project);
	conf.memory_max = 1 << 30;
	if (!driver_configure(d, IPC_MSG_CONFIGURE_MEMORY, &conf))
		fail_msg("not ready: %s\n%s", driver_reason(d), driver_log(d));
	return d;
}

static inline void
stop(struct driver *d)
{
	driver_shutdown(d, 1000);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
}

static inline void
put(const char *path, const char *text)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* The file's text, valid until the next but three; NULL: there is none. */
static inline const char *
slurp(const char *path)
{
	static struct buf texts[4];
	static unsigned turn;
	struct buf *b = &texts[turn++ % 4];
	int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	buf_reset(b, SIZE_MAX);
	while ((n = read(fd, buf_reserve(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
	close(fd);
	assert_int_equal(n, 0);
	return buf_cstr(b);
}
