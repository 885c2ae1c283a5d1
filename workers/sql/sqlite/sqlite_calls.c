#include "workers/sql/sqlite/sqlite_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/clock.h"

#define PENDING		0x40000000		/* the bytes that are locked: fileformat2.html 1.6 */
#define SHARED		(PENDING + 2)
#define LOOK_NS		(5 * CLOCK_MS)		/* how long a waiting writer may not be seen */
#define VERSION_AT	18
#define VERSION_BYTES	22
#define HEADER		(VERSION_AT + VERSION_BYTES)
#define ROLLBACK	1			/* the first of these bytes; 2 is WAL */

/* The bytes for which an answer of the kernel holds; all zeros: no answer is known. */
struct version {
	uint8_t bytes[VERSION_BYTES];
};

/* A process has one database. */
static struct {
	const struct sqlite_file *file;
	const uint8_t	*head;		/* of the file as it is now */
	int		 fd;		/* the one that is locked */
	bool		 locked;	/* for reading, and no crashed commit in the file: answers hold */
	bool		 skipped;	/* the lock of PENDING was not asked for */
	uint64_t	 looked_ns;	/* when it was last granted */
	struct version	 without_wal, sized;
	struct stat	 size;		/* of the version `sized` */
} calls;

static bool
is_version(const struct version *v)
{
	return calls.locked && v->bytes[0] == ROLLBACK && memcmp(v->bytes, calls.head + VERSION_AT, VERSION_BYTES) == 0;
}

static void
note_version(struct version *v)
{
	if (calls.locked)
		memcpy(v->bytes, calls.head + VERSION_AT, VERSION_BYTES);
}

static int
stat_path(const char *path, struct stat *st)
{
	bool wal = strcmp(path, calls.file->wal) == 0;
	int rc;

	if (wal && is_version(&calls.without_wal)) {
		errno = ENOENT;
		return -1;
	}
	rc = stat(path, st);
	if (wal && rc == -1 && errno == ENOENT)
		note_version(&calls.without_wal);
	/* After a crash in a commit the header is of a version that is rolled back and may come again, over another
	 * file. */
	if (rc == 0 && st->st_size > 0 && strcmp(path, calls.file->journal) == 0)
		calls.locked = false;
	return rc;
}

static int
stat_descriptor(int fd, struct stat *st)
{
	int rc;

	if (fd == calls.fd && is_version(&calls.sized)) {
		*st = calls.size;
		return 0;
	}
	rc = fstat(fd, st);
	if (rc == 0 && fd == calls.fd) {
		calls.size = *st;
		note_version(&calls.sized);
	}
	return rc;
}

static int
lock_pending(int fd, struct flock *lock)
{
	uint64_t now = clock_ns();
	int rc;

	if (calls.skipped && lock->l_type == F_UNLCK) {
		calls.skipped = false;
		return 0;
	}
	if (lock->l_type == F_RDLCK && now - calls.looked_ns < LOOK_NS) {
		calls.skipped = true;
		return 0;
	}
	rc = fcntl(fd, F_SETLK, lock);
	if (lock->l_type == F_RDLCK)
		calls.looked_ns = rc == 0 ? now : 0;
	return rc;
}

static int
control_descriptor(int fd, int op, ...)
{
	struct flock *lock;
	va_list args;
	int rc;

	va_start(args, op);
	lock = va_arg(args, struct flock *);
	va_end(args);
	if (op != F_SETLK)
		return fcntl(fd, op, lock);
	if (lock->l_start == PENDING && lock->l_len == 1)
		return lock_pending(fd, lock);
	rc = fcntl(fd, op, lock);
	if (lock->l_start == SHARED && lock->l_type == F_RDLCK && rc == 0) {
		calls.fd = fd;
		calls.locked = true;
	} else if (fd == calls.fd) {
		calls.locked = false;
	}
	return rc;
}

static const uint8_t *
map_head(const struct sqlite_file *f)
{
	int fd = open(f->real, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	void *head = MAP_FAILED;
	struct stat st;

	if (fd == -1)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino && st.st_size >= HEADER)
		head = mmap(NULL, HEADER, PROT_READ, MAP_SHARED, fd, 0);
	close(fd); /* before any lock is taken: closing gives up the process's locks of the file */
	return head == MAP_FAILED ? NULL : head;
}

void
sqlite_calls_install(const struct sqlite_file *f)
{
	static const struct {
		const char *name;
		sqlite3_syscall_ptr function;
	} replaced[] = {
		{ "stat", (sqlite3_syscall_ptr)stat_path },
		{ "fstat", (sqlite3_syscall_ptr)stat_descriptor },
		{ "fcntl", (sqlite3_syscall_ptr)control_descriptor },
	};
	sqlite3_vfs *unix_files = sqlite3_vfs_find("unix");

	if (!f->mappable || unix_files == NULL || unix_files->iVersion < 3 || (calls.head = map_head(f)) == NULL)
		return;
	calls.file = f;
	calls.fd = -1;
	for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		(void)unix_files->xSetSystemCall(unix_files, replaced[i].name, replaced[i].function);
}
