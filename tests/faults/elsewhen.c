/*
 * elsewhen.c - another time of day, a slow disk, and one whose changes are not told, for every process of Carrel;
 * for carrel-auth's state a disk that can only be read, as no kernel makes it, and undoes it, while files are open for
 * writing.
 *
 * Loaded by /etc/ld.so.preload of a mount namespace, since the processes get no
 * environment.  Where PLAN is, it is mapped before a process confines itself,
 * and read at every call: it may be changed meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PLAN	"/run/carrel-elsewhen"

struct plan {
	int64_t	clock_s;	/* the time of day is off by so many seconds */
	int64_t	disk_ms;	/* how long it takes until something is on the disk */
	int64_t	deaf;		/* not 0: what is watched from now on changes unnoticed, as by others over a network */
	int64_t	read_only;	/* not 0: as a file system is that the kernel made so after an error */
};

static const volatile struct plan nothing, *plan = &nothing;

__attribute__((constructor)) static void
plan_map(void)
{
	void *p;
	int fd;

	if (strncmp(program_invocation_short_name, "carrel", 6) != 0 || (fd = open(PLAN, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	p = mmap(NULL, sizeof(*plan), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p != MAP_FAILED)
		plan = p;
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, id, t);

	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += plan->clock_s;
	return r;
}

int
gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t
time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out != NULL)
		*out = now.tv_sec;
	return now.tv_sec;
}

/* Not asleep: not every process may ask for that. */
static void
disk_wait(void)
{
	struct timespec from, now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &from);
	do
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < plan->disk_ms);
}

/* What is mapped is still written, as it is then. */
static bool
is_read_only(void)
{
	if (plan->read_only == 0 || strcmp(program_invocation_short_name, "carrel-auth") != 0)
		return false;
	errno = EROFS;
	return true;
}

/* Nor is anything opened for writing. */
static int
open_unless(const char *path, int flags, mode_t mode)
{
	return (flags & O_ACCMODE) != O_RDONLY && is_read_only() ?
	    -1 :
	    (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return open_unless(path, flags, mode);
}

/* The kernel has one call for both. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	return is_read_only() ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	return pwrite64(fd, p, n, at);
}

int
ftruncate64(int fd, off64_t n)
{
	return is_read_only() ? -1 : (int)syscall(SYS_ftruncate, fd, n);
}

int
ftruncate(int fd, off_t n)
{
	return ftruncate64(fd, n);
}

int
fsync(int fd)
{
	if (is_read_only())
		return -1;
	disk_wait();
	return (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	if (is_read_only())
		return -1;
	disk_wait();
	return (int)syscall(SYS_fdatasync, fd);
}

int
inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	return (int)syscall(SYS_inotify_add_watch, fd, path, plan->deaf != 0 ? (mask & IN_ONLYDIR) | IN_UNMOUNT : mask);
}
