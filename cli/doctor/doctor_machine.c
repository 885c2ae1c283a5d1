#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/doctor/doctor_machine.h"
#include "policy/profile.h"

#define DISK_LOW_MB	256
#define DISK_LEAST_MB	16
#define PLACES_MAX	8
#define FILES_LEAST	1024	/* descriptors of the service; 16,384 clients need more than 17,000 */
#define FILES_ENOUGH	17408
#define FILES_FREE	1024	/* descriptors of the machine that should be free */
#define MEMORY_LEAST_KB	(256U << 10)
#define JUMP_S		5
#define CLOCK_LEAST	1767225600	/* 2026-01-01: no version is older */

/* File systems on which SQLite's shared memory, or locks, do not hold between machines or at all. */
static const struct {
	unsigned	 magic;
	const char	*name;
} networks[] = { { 0x6969, "NFS" }, { 0xff534d42, "SMB" }, { 0xfe534d42, "SMB" },
	{ 0x517b, "SMB" },
	{ 0x00c36400, "Ceph" },
	{ 0x01021997, "9P" }, { 0x65735546, "FUSE" } };

static const char *
network_name(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		if ((unsigned)fs.f_type == networks[i].magic)
			return networks[i].name;
	return NULL;
}

/* The finding of one place that is written to; false: nothing is wrong there. */
static bool
disk_at(struct cli *cli, const char *path, const char *holds, struct findings *f)
{
	const char *fix = arena_printf(cli->arena, "%s are refused when it is full; make room", holds);
	struct statvfs fs;
	uint64_t room;

	if (statvfs(path, &fs) != 0)
		return false;
	room = (uint64_t)fs.f_bavail * fs.f_frsize >> 20;
	if ((fs.f_flag & ST_RDONLY) != 0)
		doctor_add(f, "disk", BAD, arena_printf(cli->arena, "%s is on a read-only file system", path),
		    "mount it writable (`mount -o remount,rw`); if the kernel made it read-only itself, `dmesg` says "
		    "which disk failed");
	else if (fs.f_files > 0 && fs.f_favail == 0)
		doctor_add(f, "disk", BAD, arena_printf(cli->arena, "no room for more files below %s", path), fix);
	else if (room < DISK_LOW_MB)
		doctor_add(f, "disk", room < DISK_LEAST_MB ? BAD : REMARK,
		    arena_printf(cli->arena, "%llu MiB left below %s", (unsigned long long)room, path), fix);
	else
		return false;
	return true;
}

void
doctor_disk(struct cli *cli, const char *dir, const struct config *cfg, struct findings *f)
{
	const char *state = arena_printf(cli->arena, "%s/.carrel", dir), *network;
	const struct {
		const char *path, *holds;
	} places[] = { { state, "entries of the audit, then calls, scans and what memory keeps" },
		{ dir, "scans and what memory keeps" },
		{ arena_printf(cli->arena, "%s/logs", state), "lines of the log" },
		{ arena_printf(cli->arena, "%s/" CONFIG_IMPORTS_DIR, dir), "imports" },
		{ arena_printf(cli->arena, "%s/raw-sources", dir), "scans" },
		{ cfg->state != NULL ? cfg->state : state, "entries of the audit, then calls," } };
	dev_t seen[sizeof(places) / sizeof(places[0])];
	size_t nseen = 0;
	bool found = false;

	for (size_t i = 0, k; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stat st;

		if (stat(places[i].path, &st) != 0)
			continue;
		for (k = 0; k < nseen && seen[k] != st.st_dev; k++)
			;
		if (k < nseen)
			continue;
		seen[nseen++] = st.st_dev;
		found |= disk_at(cli, places[i].path, places[i].holds, f);
	}
	if (!found)
		doctor_add(f, "disk", GOOD, "enough room for scans and pages", "");
	if ((network = network_name(state)) != NULL)
		doctor_add(f, "disk: kind", BAD,
		    arena_printf(cli->arena, "%s is on a network file system (%s)", state, network),
		    "locks and shared memory of the state store do not hold there: keep it on a local disk with "
		    "`state: "
		    "/var/lib/…/state.db` in carrel.yaml");
	else if ((network = network_name(dir)) != NULL)
		doctor_add(f, "disk: kind", REMARK,
		    arena_printf(cli->arena, "the project is on a network file system (%s)", network),
		    "changes that other machines make are noticed up to a minute later, and it is as slow as "
		    "that network");
}

/* Checks how file changes are noticed. */
void
doctor_watches(const char *dir, struct findings *f)
{
	int fd = inotify_init1(IN_CLOEXEC), why = errno;
	bool watched = fd >= 0 && inotify_add_watch(fd, dir, IN_CREATE) >= 0;

	if (fd >= 0 && !watched)
		why = errno;
	doctor_add(f, "kernel: changes", watched ? GOOD : REMARK,
	    watched                            ? "changes of files are noticed at once" :
		why == EMFILE || why == ENOSPC ? "this user has no inotify instances or watches left" :
						 strerror(why),
	    "changed pages and sources are noticed up to a minute later: raise fs.inotify.max_user_instances "
	    "and "
	    "fs.inotify.max_user_watches (sysctl)");
	if (fd >= 0)
		close(fd);
}

/* The numbers in a line of /proc; how many were read. */
static int
proc_numbers(const char *path, unsigned long long *a, unsigned long long *b, unsigned long long *c)
{
	FILE *in = fopen(path, "re");
	int n;

	if (in == NULL)
		return 0;
	n = fscanf(in, "%llu %llu %llu", a, b, c);
	fclose(in);
	return n;
}

static unsigned long long
memory_available_kb(void)
{
	unsigned long long kb = ~0ULL;
	FILE *in = fopen("/proc/meminfo", "re");
	char line[128];

	if (in == NULL)
		return kb;
	while (fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, "MemAvailable: %llu", &kb) == 1)
			break;
	fclose(in);
	return kb;
}

void
doctor_limits(struct cli *cli, const struct daemon *d, struct findings *f)
{
	unsigned long long used, unused, most, kb = memory_available_kb();
	bool runs = d->state == DAEMON_RUNNING;
	struct rlimit files;

	/* The daemon's processes raise their soft limit to the hard one. */
	if (prlimit(runs ? d->pid : 0, RLIMIT_NOFILE, NULL, &files) == 0 || getrlimit(RLIMIT_NOFILE, &files) == 0)
		doctor_add(f, "limits: files",
		    files.rlim_max < FILES_LEAST      ? BAD :
			files.rlim_max < FILES_ENOUGH ? REMARK :
							GOOD,
		    arena_printf(cli->arena, "%llu descriptors per process%s", (unsigned long long)files.rlim_max,
			runs ? " of the daemon" : ""),
		    "each client needs one, and 16,384 are served where there are as many: LimitNOFILE=65536 in the "
		    "unit, "
		    "`ulimit -Hn` in a shell, --ulimit nofile of a container");
	if (proc_numbers("/proc/sys/fs/file-nr", &used, &unused, &most) == 3 && most < used + FILES_FREE)
		doctor_add(f, "limits: machine", BAD,
		    arena_printf(cli->arena, "%llu of the machine's %llu descriptors are used", used, most),
		    "find who holds them (`lsof | sort`), or raise fs.file-max (sysctl)");
	if (kb < MEMORY_LEAST_KB)
		doctor_add(f, "memory", REMARK, arena_printf(cli->arena, "%llu MiB of memory are available", kb >> 10),
		    "processes may be ended by the kernel, and are started again; lower server.result_memory_mb and "
		    "the "
		    "workers of connections, or give the machine more");
}

/* "2026-01-31T12:34:56…": seconds since 1970; -1 if invalid. */
static time_t
time_of(const char *text)
{
	struct tm tm = { 0 };
	const char *end = text == NULL ? NULL : strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	return end == NULL ? -1 : timegm(&tm);
}

/* Start time of a process by the present clock: now minus its running time.  -1 when it has ended. */
static time_t
began_at(pid_t pid, time_t now)
{
	char path[64], text[1024], *at;
	unsigned long long ticks = 0;
	struct timespec up;
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (clock_gettime(CLOCK_BOOTTIME, &up) != 0 || (in = fopen(path, "re")) == NULL)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	/* The 22nd field; the second one may hold anything up to the last bracket. */
	if ((at = strrchr(text, ')')) == NULL ||
	    sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
		&ticks) != 1)
		return -1;
	return now - (up.tv_sec - (time_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK)));
}

/* The time of the daemon's last write: audit entries go to these files one by one. */
static time_t
last_written(struct cli *cli, const char *dir, const char *state, const char **which)
{
	static const char *const stores[] = { "", "-wal", POLICY_STATE_JOURNALS };
	static const char *const logs[] = { "calls.log", "mcp.log" };
	const char *files[sizeof(stores) / sizeof(stores[0]) + sizeof(logs) / sizeof(logs[0])];
	size_t n = 0;
	time_t last = 0;

	for (size_t i = 0; state != NULL && i < sizeof(stores) / sizeof(stores[0]); i++)
		files[n++] = arena_printf(cli->arena, "%s%s", state, stores[i]);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		files[n++] = arena_printf(cli->arena, "%s/.carrel/logs/%s", dir, logs[i]);
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (stat(files[i], &st) == 0 && st.st_mtime > last) {
			last = st.st_mtime;
			*which = files[i];
		}
	}
	return last;
}

static const char *
time_text(struct cli *cli, time_t t)
{
	char text[25];

	clock_iso8601((uint64_t)t * 1000, text);
	return arena_printf(cli->arena, "%.19sZ", text);
}

/* A container has its host's clock, and cannot say who keeps that right. */
static bool
is_in_container(void)
{
	static const char *const marks[] = { "/.dockerenv", "/run/.containerenv", "/run/systemd/container" };
	size_t i = 0;

	while (i < sizeof(marks) / sizeof(marks[0]) && access(marks[i], F_OK) != 0)
		i++;
	return i < sizeof(marks) / sizeof(marks[0]);
}

void
doctor_clock(struct cli *cli, const char *dir, const struct config *cfg, const struct daemon *d, struct findings *f)
{
	const char *which = NULL, *fix = "set the clock and synchronize it: `timedatectl set-ntp true`, or chrony";
	struct timex t = { 0 };
	time_t now = (time_t)(clock_unix_ms() / 1000), written = last_written(cli, dir, cfg->state, &which), was, is;
	size_t before = f->n;
	bool unkept;
	int kept;

	if (now < CLOCK_LEAST)
		doctor_add(f, "clock", BAD,
		    arena_printf(cli->arena, "this machine says that it is %s", time_text(cli, now)), fix);
	else if (written > now + JUMP_S)
		doctor_add(f, "clock", BAD,
		    arena_printf(cli->arena,
			"it is %s, and %s was written at %s: the clock was set back, or was wrong then",
			time_text(cli, now), which, time_text(cli, written)),
		    "entries of the audit keep their order but not their times, and tokens live longer than they say: "
		    "set the clock, then restart");
	if (d->state == DAEMON_RUNNING && (was = time_of(d->started_at)) != -1 && (is = began_at(d->pid, now)) != -1 &&
	    (is > was + JUMP_S || was > is + JUMP_S))
		doctor_add(f, "clock", REMARK,
		    arena_printf(cli->arena, "it was set by %lld s since the daemon began", (long long)(is - was)),
		    "times in the audit and in logs jump there; what has a time limit (tokens, sessions) is measured "
		    "by the new "
		    "time");
	kept = adjtimex(&t);
	unkept = kept == TIME_ERROR && (t.status & STA_UNSYNC) != 0;
	if (unkept && !is_in_container())
		doctor_add(f, "clock", REMARK, "it is not synchronized",
		    "the lifetimes of tokens and certificates depend on it: `timedatectl set-ntp true`, or chrony");
	if (f->n == before)
		doctor_add(f, "clock", GOOD,
		    unkept         ? "plausible (a container uses its host's clock)" :
			kept != -1 ? "synchronized" :
				     "plausible; whether it is synchronized cannot be seen inside this unit",
		    "");
}
