#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/io.h"
#include "project/paths.h"

bool
paths_is_id(struct span s)
{
	if (s.len == 0 || s.len > PATHS_ID_MAX || !ascii_is_alnum(s.p[0]))
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!ascii_is_alnum(s.p[i]) && s.p[i] != '_' && s.p[i] != '-')
			return false;
	return true;
}

/* Copy the component at rel into name; its length, or 0 for a component that must not be followed. */
static size_t
paths_component(const char *rel, char name[256])
{
	size_t len = strcspn(rel, "/");

	if (len == 0 || len > 255)
		return 0;
	memcpy(name, rel, len);
	name[len] = '\0';
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? 0 : len;
}

/* openat(2) step by step, not openat2(2): filters cannot look into the latter's struct. */
int
paths_open(int dirfd, const char *rel, int flags, mode_t mode)
{
	int at = dirfd, next = -1, saved;
	char name[256];
	size_t len;

	for (;;) {
		if ((len = paths_component(rel, name)) == 0) {
			errno = EINVAL;
			next = -1;
			break;
		}
		if (rel[len] == '\0') {
			next = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
			break;
		}
		if ((next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
			break;
		if (at != dirfd)
			close(at);
		at = next;
		rel += len + 1;
	}
	saved = errno;
	if (at != dirfd)
		close(at);
	errno = saved;
	return next;
}

static const char *
last_of(const char *rel)
{
	const char *slash = strrchr(rel, '/');

	return slash == NULL ? rel : slash + 1;
}

int
paths_make(int dirfd, const char *rel, mode_t mode)
{
	char name[PATH_MAX];
	size_t n = strlen(rel), len = 0;
	int fd, at = dirfd;

	if (n >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	do {
		len += strcspn(rel + len, "/");
		memcpy(name, rel, len);
		name[len] = '\0';
		fd = paths_open(dirfd, name, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0 && errno == ENOENT && mkdirat(at, len > 0 ? last_of(name) : name, mode) == 0)
			fd = paths_open(dirfd, name, O_RDONLY | O_DIRECTORY, 0);
		if (at != dirfd)
			close(at);
		if (fd < 0)
			return -1;
		at = fd;
	} while (len++ < n);
	close(at);
	return 0;
}

static int
check_trust(const char *path, const struct stat *st, enum paths_trust trust, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_INVALID_ARGUMENTS, "%s is not a regular file", path);
	if (trust == PATHS_ANY)
		return 0;
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s belongs to another user (uid %u): it must be owned by root or by uid %u", path,
		    (unsigned)st->st_uid, (unsigned)geteuid());
	if ((st->st_mode & S_IWOTH) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s can be written by everybody (mode %04o): run chmod o-w on it", path,
		    (unsigned)st->st_mode & 07777);
	if (trust == PATHS_SECRET && (st->st_mode & (S_IRWXO | S_IWGRP)) != 0)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "%s holds a secret and is open to others (mode %04o): run chmod 600 on it", path,
		    (unsigned)st->st_mode & 07777);
	return 0;
}

static int
read_all(int fd, const char *path, size_t expect, size_t max, struct buf *out, struct err *err)
{
	if (io_read(fd, expect, max, out) == 0)
		return 0;
	return errno == EFBIG ? err_set(err, ERR_INVALID_ARGUMENTS, "%s is larger than %zu bytes", path, max) :
				err_set(err, ERR_INTERNAL, "%s cannot be read: %s", path, strerror(errno));
}

int
paths_read(int dirfd, const char *path, enum paths_trust trust, size_t max,
    struct buf *out, struct err *err)
{
	struct stat st;
	int fd, result = -1;

	/* O_NONBLOCK: a FIFO in its place must not hold us up. */
	if ((fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0)
		return err_set(err, errno == ENOENT ? ERR_PAGE_NOT_FOUND : ERR_INVALID_ARGUMENTS,
		    "%s cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) != 0) {
		err_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
		goto out;
	}
	if (check_trust(path, &st, trust, err) == 0)
		result = read_all(fd, path, (size_t)st.st_size, max, out, err);
out:
	close(fd);
	return result;
}

static int
replace_file(int dirfd, const char *name, mode_t mode, struct span content, bool lasting, struct err *err)
{
	char temporary[300];
	int fd, result = -1;

	snprintf(temporary, sizeof(temporary), ".%s.%ld.tmp", name, (long)getpid());
	unlinkat(dirfd, temporary, 0);
	fd = openat(dirfd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return err_set(err, ERR_INTERNAL, "%s cannot be created: %s", temporary, strerror(errno));
	/* fchmod, because the umask must not decide what a replaced file's mode was. */
	if (fchmod(fd, mode) != 0 || io_write(fd, content) != 0 || (lasting && fsync(fd) != 0) ||
	    renameat(dirfd, temporary, dirfd, name) != 0 || (lasting && fsync(dirfd) != 0)) {
		err_set(err, ERR_INTERNAL, "%s cannot be written: %s", name, strerror(errno));
		unlinkat(dirfd, temporary, 0);
		goto out;
	}
	result = 0;
out:
	close(fd);
	return result;
}

int
paths_replace(int dirfd, const char *name, mode_t mode, struct span content, struct err *err)
{
	return replace_file(dirfd, name, mode, content, true, err);
}

int
paths_replace_fleeting(int dirfd, const char *name, mode_t mode, struct span content, struct err *err)
{
	return replace_file(dirfd, name, mode, content, false, err);
}
