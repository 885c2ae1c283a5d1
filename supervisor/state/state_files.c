#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/profile.h"
#include "supervisor/state/state_files.h"

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
make_file(const char *path, struct err *err)
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
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s cannot be opened for writing: %s", path,
		    strerror(errno));
	result = check_file(fd, path, err);
	close(fd);
	return result != 0 ? -1 : made;
}

/* Another user with write access to the directory could replace our files. */
static int
check_directory(int fd, const char *dir, struct err *err)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the directory %s of the state store cannot be opened: %s",
		    dir, strerror(errno));
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & 022) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "others can write to %s, where the state store is to be: give it to carrel's user and run chmod "
		    "go-w on it, "
		    "or name another place in `state`",
		    dir);
	return 0;
}

/* 1: some were made, 0: all were there, -1. */
static int
make_files(const char *path, struct err *err)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	int made = 0;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[PATH_MAX];
		int one, n = snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);

		if (n < 0 || (size_t)n + sizeof(POLICY_STATE_BEFORE) > sizeof(name))
			return err_set(err, ERR_INVALID_ARGUMENTS, "the path of the state store is too long");
		if ((one = make_file(name, err)) < 0)
			return -1;
		made |= one;
	}
	return made;
}

int
state_files_make(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd, result = -1;

	snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (check_directory(fd, dir, err) == 0 && (result = make_files(path, err)) > 0) {
		(void)fsync(fd);
		result = 0;
	}
	if (fd >= 0)
		close(fd);
	return result;
}
