#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/system/fault.h"
#include "base/system/io.h"
#include "project/format/atomic.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* Files may hold data of databases: only owner and group may read them. */
#define OWN_FILE	0640
#define OWN_DIR		0750
#define SHARED_FILE	0666
#define OPEN_NEW	(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

/* Temporary names are unique: a counter within this process, the pid across processes. */
static unsigned long serial;

int
atomic_fail(struct err *err, const char *what, int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "%s cannot be written: the disk is full; free some space "
		    "and try again",
		    what);
	case EACCES:
	case EPERM:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "%s is not writable; give the user that runs carrel "
		    "permission to write there",
		    what);
	case EROFS:
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s is on a read-only file system", what);
	case ELOOP:
	case ENOTDIR:
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "%s is a symbolic link or no directory, and is not followed", what);
	default:
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s cannot be written: %s", what, strerror(error));
	}
}

/* The errno that a test injects into this call; 0: none. */
static int
injected(enum fault_action action)
{
	return action == FAULT_ENOSPC ? ENOSPC : action == FAULT_EIO ? EIO : 0;
}

static int
write_all(int fd, struct span content)
{
	int error = content.len == 0 ? 0 : injected(fault_point("memory.write"));

	if (error == 0)
		return io_write(fd, content);
	errno = error;
	return -1;
}

static int
sync_fd(int fd)
{
	int error = injected(fault_point("memory.sync"));

	if (error != 0) {
		errno = error;
		return -1;
	}
	return fsync(fd);
}

void
atomic_name(char name[ATOMIC_NAME_MAX + 1], const char *target)
{
	snprintf(name, ATOMIC_NAME_MAX + 1, ATOMIC_PREFIX "%ld-%lu-%016llx", (long)getpid(), ++serial,
	    (unsigned long long)hash_of(span_str(target)));
}

bool
atomic_is_for(const char *name, const char *target)
{
	char end[24];

	snprintf(end, sizeof(end), "-%016llx", (unsigned long long)hash_of(span_str(target)));
	return strncmp(name, ATOMIC_PREFIX, sizeof(ATOMIC_PREFIX) - 1) == 0 && span_ends(span_str(name), end);
}

int
atomic_open_dir(int dir, const char *path, struct err *err)
{
	char name[ATOMIC_NAME_MAX + 1];
	const char *whole = path;
	int at = dir, next;
	size_t n;

	for (;; path += n + 1) {
		n = strcspn(path, "/");
		if (n == 0 || n > ATOMIC_NAME_MAX || (path[0] == '.' && (n == 1 || (n == 2 && path[1] == '.')))) {
			next = -1;
			errno = EINVAL;
		} else {
			memcpy(name, path, n);
			name[n] = '\0';
			next = openat(at, name, OPEN_DIR);
			if (next < 0 && errno == ENOENT && (mkdirat(at, name, 0777) == 0 || errno == EEXIST))
				next = openat(at, name, OPEN_DIR);
		}
		if (next < 0)
			atomic_fail(err, whole, errno);
		if (at != dir)
			close(at);
		if (next < 0 || path[n] == '\0')
			return next;
		at = next;
	}
}

int
atomic_temp_dir(int dir, char name[ATOMIC_NAME_MAX + 1], struct err *err)
{
	int fd = -1;

	atomic_name(name, "");
	if (mkdirat(dir, name, OWN_DIR) != 0 || (fd = openat(dir, name, OPEN_DIR)) < 0)
		return atomic_fail(err, "the directory of the scan", errno);
	return fd;
}

int
atomic_write_new(int dir, const char *name, struct span content, struct err *err)
{
	int fd = openat(dir, name, OPEN_NEW, OWN_FILE), r = 0;

	if (fd < 0)
		return atomic_fail(err, name, errno);
	if (write_all(fd, content) != 0)
		r = atomic_fail(err, name, errno);
	if (close(fd) != 0 && r == 0)
		r = atomic_fail(err, name, errno);
	return r;
}

int
atomic_link(int from, int to, const char *name, struct span content, struct err *err)
{
	struct stat st;

	/* A link would keep a mode that was too wide. */
	if (fault_point("memory.link") == FAULT_NONE && fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (st.st_mode & S_IRWXO) == 0 && linkat(from, name, to, name, 0) == 0)
		return 0;
	return atomic_write_new(to, name, content, err);
}

static int
sync_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), r;

	if (fd < 0)
		return -1;
	r = sync_fd(fd);
	close(fd);
	return r;
}

static bool
is_dot(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* A stream over its own descriptor, so that dir keeps its place. */
static DIR *
atomic_list(int dir)
{
	int fd = openat(dir, ".", OPEN_DIR);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d == NULL && fd >= 0)
		close(fd);
	return d;
}

static int
sync_below(int dir, unsigned depth)
{
	struct dirent *e;
	struct stat st;
	DIR *d = atomic_list(dir);
	int r = 0, below;

	if (d == NULL)
		return -1;
	while (r == 0 && (e = readdir(d)) != NULL) {
		if (is_dot(e->d_name))
			continue;
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			r = -1;
		} else if (!S_ISDIR(st.st_mode)) {
			/* A link to an earlier sync's file: that was synced then, and its new name is this directory's.
			 */
			r = S_ISREG(st.st_mode) && st.st_nlink == 1 ? sync_file(dir, e->d_name) : 0;
		} else if (depth == 0 || (below = openat(dir, e->d_name, OPEN_DIR)) < 0) {
			r = -1;
		} else {
			r = sync_below(below, depth - 1);
			close(below);
		}
	}
	closedir(d);
	return r == 0 ? sync_fd(dir) : r;
}

int
atomic_sync_tree(int dir, struct err *err)
{
	return sync_below(dir, ATOMIC_DEPTH_MAX) == 0 ? 0 : atomic_fail(err, "the scan", errno);
}

static int remove_at(int dir, const char *name, unsigned depth);

static int
empty_dir(int dir, unsigned depth)
{
	struct dirent *e;
	DIR *d = atomic_list(dir);
	int r = 0;

	if (d == NULL)
		return -1;
	while ((e = readdir(d)) != NULL)
		if (!is_dot(e->d_name) && remove_at(dir, e->d_name, depth) != 0)
			r = -1;
	closedir(d);
	return r;
}

static int
remove_at(int dir, const char *name, unsigned depth)
{
	int below, r, error;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	error = errno;
	/* For a directory, unlink(2) fails with EISDIR; under Landlock and on other systems with EPERM or EACCES. */
	if (error != EISDIR && error != EPERM && error != EACCES)
		return -1;
	if (depth == 0 || (below = openat(dir, name, OPEN_DIR)) < 0) {
		errno = error;
		return -1;
	}
	r = empty_dir(below, depth - 1);
	close(below);
	return r == 0 ? unlinkat(dir, name, AT_REMOVEDIR) : r;
}

int
atomic_remove(int dir, const char *name, struct err *err)
{
	return remove_at(dir, name, ATOMIC_DEPTH_MAX) == 0 ? 0 : atomic_fail(err, name, errno);
}

int
atomic_sweep(int dir, struct err *err)
{
	struct dirent *e;
	DIR *d = atomic_list(dir);
	int r = 0;

	if (d == NULL)
		return atomic_fail(err, "what an earlier scan left", errno);
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, ATOMIC_PREFIX, sizeof(ATOMIC_PREFIX) - 1) == 0 &&
		    atomic_remove(dir, e->d_name, err) != 0)
			r = -1;
	closedir(d);
	return r;
}

int
atomic_publish(int from, const char *temp, int to, const char *name, struct err *err)
{
	struct stat st;

	/* rename(2) would silently replace an empty directory of that name. */
	if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return atomic_fail(err, name, EEXIST);
	if (renameat(from, temp, to, name) != 0)
		return atomic_fail(err, name, errno);
	if (sync_fd(to) != 0 || sync_fd(from) != 0) {
		atomic_fail(err, name, errno);
		/* A change must be on disk before it becomes visible. */
		(void)renameat(to, name, from, temp);
		return -1;
	}
	return 0;
}

/* The mode of the existing file, else `fresh` less the umask. */
static mode_t
mode_of(int dir, const char *name, mode_t fresh)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0666 : fresh;
}

static int
stage_file(int dir, const char *name, mode_t fresh, struct span content, struct atomic_stage *stage, struct err *err)
{
	int fd, r = 0;

	stage->dir = dir;
	stage->temp[0] = '\0';
	if (snprintf(stage->name, sizeof(stage->name), "%s", name) >= (int)sizeof(stage->name))
		return atomic_fail(err, name, ENAMETOOLONG);
	atomic_name(stage->temp, name);
	if ((fd = openat(dir, stage->temp, OPEN_NEW, mode_of(dir, name, fresh))) < 0) {
		stage->temp[0] = '\0';
		return atomic_fail(err, name, errno);
	}
	if (write_all(fd, content) != 0 || sync_fd(fd) != 0)
		r = atomic_fail(err, name, errno);
	if (close(fd) != 0 && r == 0)
		r = atomic_fail(err, name, errno);
	if (r != 0)
		atomic_abandon(stage);
	return r;
}

int
atomic_stage(int dir, const char *name, struct span content, struct atomic_stage *stage, struct err *err)
{
	return stage_file(dir, name, OWN_FILE, content, stage, err);
}

int
atomic_commit(struct atomic_stage *stage, struct err *err)
{
	if (renameat(stage->dir, stage->temp, stage->dir, stage->name) != 0)
		return atomic_fail(err, stage->name, errno);
	stage->temp[0] = '\0';
	return sync_fd(stage->dir) == 0 ? 0 : atomic_fail(err, stage->name, errno);
}

void
atomic_abandon(struct atomic_stage *stage)
{
	if (stage->temp[0] != '\0')
		unlinkat(stage->dir, stage->temp, 0);
	stage->temp[0] = '\0';
}

int
atomic_replace(int dir, const char *name, struct span content, struct err *err)
{
	struct atomic_stage stage;
	int r = atomic_stage(dir, name, content, &stage, err);

	if (r == 0 && (r = atomic_commit(&stage, err)) != 0)
		atomic_abandon(&stage);
	return r;
}

static int
replace_lazily(int dir, const char *name, mode_t fresh, struct span content, struct err *err)
{
	struct atomic_stage stage;

	if (stage_file(dir, name, fresh, content, &stage, err) != 0)
		return -1;
	if (renameat(dir, stage.temp, dir, stage.name) == 0)
		return 0;
	atomic_fail(err, name, errno);
	atomic_abandon(&stage);
	return -1;
}

int
atomic_replace_lazily(int dir, const char *name, struct span content, struct err *err)
{
	return replace_lazily(dir, name, OWN_FILE, content, err);
}

int
atomic_replace_shared(int dir, const char *name, struct span content, struct err *err)
{
	return replace_lazily(dir, name, SHARED_FILE, content, err);
}

int
atomic_create(int dir, const char *name, struct span content, struct err *err)
{
	char temp[ATOMIC_NAME_MAX + 1];
	int fd, r = 0;

	atomic_name(temp, name);
	if ((fd = openat(dir, temp, OPEN_NEW, OWN_FILE)) < 0)
		return atomic_fail(err, name, errno);
	if (write_all(fd, content) != 0 || renameat2(dir, temp, dir, name, RENAME_NOREPLACE) != 0) {
		r = atomic_fail(err, name, errno);
		(void)unlinkat(dir, temp, 0);
	} else if (sync_fd(fd) != 0) {
		r = atomic_fail(err, name, errno);
		(void)unlinkat(dir, name, 0);
	}
	if (close(fd) != 0 && r == 0)
		r = atomic_fail(err, name, errno);
	return r;
}
