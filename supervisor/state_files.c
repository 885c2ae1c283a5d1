/* state_files.c - see state_files.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/profile.h"
#include "supervisor/state_files.h"

#define STORE	".carrel/state.db"

static int
check_file(int fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_set(err, ERR_INTERNAL, "%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is no plain file of its own; move it away", name);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s belongs to another user (uid %u); give it to carrel's user", name, (unsigned)st.st_uid);
	if ((st.st_mode & 07777) != 0600 && fchmod(fd, 0600) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is open to others: %s", name, strerror(errno));
	return 0;
}

/* 1: it was made, 0: it was there, -1. */
static int
make_file(const char *path, const char *name, struct err *err)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = open(path, flags), made = 0, result;

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0600);
		made = fd >= 0;
		/* Another supervisor of the project was faster. */
		if (fd < 0 && errno == EEXIST)
			fd = open(path, flags);
	}
	if (fd < 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s cannot be opened for writing: %s", name,
		    strerror(errno));
	result = check_file(fd, name, err);
	close(fd);
	return result != 0 ? -1 : made;
}

static void
sync_directory(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

int
state_files_make(const char *project_dir, char *path, size_t cap, struct err *err)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	int made = 0, n = snprintf(path, cap, "%s/" STORE, project_dir);
	size_t room = sizeof(POLICY_STATE_BEFORE);

	if (n < 0 || (size_t)n + room > cap)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the path of the state store is too long");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[64];
		int one;

		snprintf(name, sizeof(name), STORE "%s", suffixes[i]);
		snprintf(path + n, cap - (size_t)n, "%s", suffixes[i]);
		if ((one = make_file(path, name, err)) < 0)
			return -1;
		made |= one;
	}
	path[n] = '\0';
	if (made) {
		char *slash = strrchr(path, '/');

		*slash = '\0';
		sync_directory(path);
		*slash = '/';
	}
	return 0;
}
