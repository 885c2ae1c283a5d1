#include "workers/auth/files/file_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/text/uuid.h"

#define DOCUMENTS	"documents/"
#define INCOMING	".incoming-"	/* a file on its way; of a process that ended otherwise */
#define NAME_DIGITS	16		/* of a document's file, before its ending */
#define ASIDE_MAX	9		/* kept of one name */
#define LEFT_FREE	(UINT64_C(64) << 20)

static bool
is_document(const char *base)
{
	return strspn(base, "0123456789abcdef") == NAME_DIGITS &&
	    (strcmp(base + NAME_DIGITS, ".jsonl") == 0 || strcmp(base + NAME_DIGITS, ".jsonl.vectors") == 0);
}

bool
file_place_is_name(const char *name)
{
	const char *id = name + strlen(DOCUMENTS);

	if (strncmp(name, DOCUMENTS, strlen(DOCUMENTS)) != 0)
		return strcmp(name, FILES_IMPORTS) == 0;
	return strlen(id) > UUID_LENGTH && id[UUID_LENGTH] == '/' && uuid_is_kept(span_of(id, UUID_LENGTH)) &&
	    is_document(id + UUID_LENGTH + 1);
}

int
file_place_directory(const struct files *f, const char *name, bool make, const char **base)
{
	const char *last = strrchr(name, '/');
	char *path = mem_printf("%s/.carrel/%.*s", f->project_dir, (int)(last - name), name);
	int dir = -1;

	*base = last + 1;
	if (!make || mkdirat(AT_FDCWD, path, 0700) == 0 || errno == EEXIST)
		dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	return dir;
}

static struct file_stamp
stamp_of(const struct stat *st)
{
	return (struct file_stamp){ st->st_ino, (uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec * 1000000000u + (uint64_t)st->st_ctim.tv_nsec };
}

bool
file_place_look(int dir, const char *base, struct file_stamp *out)
{
	struct stat st;

	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return false;
	}
	*out = stamp_of(&st);
	return true;
}

static void
see_aside(struct files *f, const char *directory, const char *base)
{
	if (strstr(base, FILES_ASIDE) == NULL || f->aside++ > 0)
		return;
	snprintf(f->aside_name, sizeof(f->aside_name), ".carrel/%s/%s", directory, base);
}

/* The files of one directory; name: of that below .carrel. */
static bool
scan_directory(struct files *f, const char *directory,
    void (*fn)(struct files *f, const char *name, const struct file_stamp *now))
{
	char *path = mem_printf("%s/.carrel/%s", f->project_dir, directory);
	DIR *entries = opendir(path);
	struct file_stamp now;
	struct dirent *e;

	free(path);
	while (entries != NULL && (e = readdir(entries)) != NULL) {
		char *name = mem_printf("%s/%s", directory, e->d_name);

		see_aside(f, directory, e->d_name);
		if (strncmp(e->d_name, INCOMING, strlen(INCOMING)) == 0 && strcmp(e->d_name, f->job.incoming) != 0)
			(void)unlinkat(dirfd(entries), e->d_name, 0);
		if (file_place_is_name(name) && file_place_look(dirfd(entries), e->d_name, &now))
			fn(f, name, &now);
		free(name);
	}
	if (entries == NULL)
		return errno == ENOENT || errno == ENOTDIR;
	closedir(entries);
	return true;
}

bool
file_place_scan(struct files *f, void (*fn)(struct files *f, const char *name, const struct file_stamp *now))
{
	char *path = mem_printf("%s/.carrel/documents", f->project_dir);
	bool good = scan_directory(f, "imports", fn);
	DIR *entries = opendir(path);
	struct dirent *e;

	free(path);
	if (entries == NULL)
		return good && errno == ENOENT;
	while (good && (e = readdir(entries)) != NULL)
		if (uuid_is_kept(span_str(e->d_name))) {
			char *directory = mem_printf(DOCUMENTS "%s", e->d_name);

			good = scan_directory(f, directory, fn);
			free(directory);
		}
	closedir(entries);
	return good;
}

/* What SQLite keeps next to a database has something of it. */
static bool
has_log(int dir)
{
	static const char *const logs[] = { "imports.db-wal", "imports.db-journal" };
	struct stat st;

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		if (fstatat(dir, logs[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
			return true;
	return false;
}

bool
file_place_hold(int dir, const char *name, bool alone, int *fd)
{
	*fd = -1;
	if (strcmp(name, FILES_IMPORTS) != 0)
		return true;
	*fd = openat(dir, CONFIG_IMPORTS_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd >= 0 && flock(*fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 && !has_log(dir))
		return true;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return false;
}

int
file_place_begin(int dir, char *incoming, size_t size)
{
	snprintf(incoming, size, INCOMING "%08x%08x", (unsigned)randombytes_random(), (unsigned)randombytes_random());
	return openat(dir, incoming, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool
file_place_has_room(int dir, uint64_t size)
{
	struct statvfs fs;

	return fstatvfs(dir, &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= size + LEFT_FREE;
}

bool
file_place_end(int dir, int out, const char *incoming, const char *base)
{
	struct stat written, named;

	if (fsync(out) != 0 || fstat(out, &written) != 0 || fstatat(dir, incoming, &named, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (written.st_ino != named.st_ino || written.st_dev != named.st_dev) {
		errno = EBUSY;
		return false;
	}
	/* The log is empty, and the one of another file from now on. */
	if (strcmp(base, "imports.db") == 0) {
		(void)unlinkat(dir, "imports.db-wal", 0);
		(void)unlinkat(dir, "imports.db-shm", 0);
	}
	return renameat(dir, incoming, dir, base) == 0 && fsync(dir) == 0;
}

void
file_place_forget(int dir, const char *incoming)
{
	(void)unlinkat(dir, incoming, 0);
}

bool
file_place_remove(const struct files *f, const char *name)
{
	const char *base;
	int dir = file_place_directory(f, name, false, &base);
	bool gone = dir < 0 ? errno == ENOENT : unlinkat(dir, base, 0) == 0 || errno == ENOENT;
	char *path;

	if (dir < 0)
		return gone;
	gone = gone && fsync(dir) == 0;
	close(dir);
	if (strncmp(name, DOCUMENTS, strlen(DOCUMENTS)) == 0) {
		path = mem_printf("%s/.carrel/%.*s", f->project_dir, (int)(base - 1 - name), name);
		(void)unlinkat(AT_FDCWD, path, AT_REMOVEDIR); /* unless others are in it */
		free(path);
	}
	return gone;
}

bool
file_place_aside(int dir, const char *base, char *now, size_t size)
{
	struct stat st;

	for (int i = 1; i <= ASIDE_MAX; i++) {
		snprintf(now, size, i == 1 ? "%s" FILES_ASIDE : "%s" FILES_ASIDE "-%d", base, i);
		if (fstatat(dir, now, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
			return renameat(dir, base, dir, now) == 0 && fsync(dir) == 0;
	}
	errno = EEXIST;
	return false;
}
