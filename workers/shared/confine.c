/* confine.c - see confine.h: everything of a profile but its path and call filters. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef CARREL_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#include "workers/shared/confine_parts.h"
#include "workers/shared/confine.h"
#include "workers/shared/landlock.h"
#include "policy/profiles.h"

#ifndef PR_SET_MDWE		/* Linux 6.3 */
#define PR_SET_MDWE			65
#define PR_MDWE_REFUSE_EXEC_GAIN	1
#endif

/* Put one more sentence into the report's note. */
__attribute__((format(printf, 2, 3)))
static void
confine_note(struct confine_report *report, const char *fmt, ...)
{
	size_t used = strlen(report->note);
	va_list ap;

	if (used > 0 && used + 2 < sizeof(report->note)) {
		memcpy(report->note + used, "; ", 3);
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(report->note + used, sizeof(report->note) - used, fmt, ap);
	va_end(ap);
}

int
confine_missing(struct confine_report *report, bool best_effort, const struct err *err)
{
	if (!best_effort)
		return -1;
	report->degraded = true;
	confine_note(report, "%s", err->message);
	return 0;
}

/* Lower soft and hard limit to value; never raises the hard one. */
static int
confine_limit(const char *name, __rlimit_resource_t which, uint64_t value, struct err *err)
{
	struct rlimit now;

	if (getrlimit(which, &now) == 0) {
		rlim_t low = value < now.rlim_max ? (rlim_t)value : now.rlim_max;

		if (setrlimit(which, &(struct rlimit){ low, low }) == 0)
			return 0;
	}
	return err_set(err, ERR_INTERNAL, "cannot limit %s: %s", name, strerror(errno));
}

static int
limit_descriptors(uint64_t files, struct err *err)
{
	struct rlimit now;

	if (files != 0)
		return confine_limit("descriptors", RLIMIT_NOFILE, files, err);
	if (getrlimit(RLIMIT_NOFILE, &now) == -1 ||
	    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ now.rlim_max, now.rlim_max }) == -1)
		return err_set(err, ERR_INTERNAL, "cannot raise the descriptor limit: %s", strerror(errno));
	return 0;
}

int
confine_memory(const struct policy_profile *p, uint64_t memory_max, struct err *err)
{
#ifdef CARREL_SANITIZED
	(void)p, (void)memory_max, (void)err; /* shadow memory alone takes terabytes of addresses */
	return 0;
#else
	return p->limits.address_space && memory_max != 0 ? confine_limit("memory", RLIMIT_AS, memory_max, err) : 0;
#endif
}

static int
apply_limits(const struct policy_profile *p, uint64_t memory_max, struct err *err)
{
	const struct policy_limits *l = &p->limits;

	if (confine_limit("core files", RLIMIT_CORE, 0, err) == -1 || limit_descriptors(l->files, err) == -1 ||
	    confine_limit("file size", RLIMIT_FSIZE, l->file_size, err) == -1 ||
	    (l->stack != 0 && confine_limit("the stack", RLIMIT_STACK, l->stack, err) == -1))
		return -1;
	return confine_memory(p, memory_max, err);
}

static bool
write_proc(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd != -1 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd != -1)
		close(fd);
	return ok;
}

/* Keep our own ids in the new namespace: without a map files cannot be made as anybody. */
static bool
map_ids(uid_t uid, gid_t gid)
{
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "%u %u 1\n", uid, uid);
	snprintf(gids, sizeof(gids), "%u %u 1\n", gid, gid);
	return write_proc("/proc/self/uid_map", uids) && write_proc("/proc/self/setgroups", "deny") &&
	    write_proc("/proc/self/gid_map", gids);
}

static void
enter_namespaces(struct confine_report *report)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	/* The maps belong to root while we are not dumpable. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	report->namespaces = unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0;
	/* A service manager may allow two of them, and have given the service the third. */
	if (!report->namespaces && unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
		report->namespaces = true;
		confine_note(report, "no IPC namespace of its own");
	}
	if (report->namespaces) {
		if (!map_ids(uid, gid))
			confine_note(report, "the ids of the user namespace could not be mapped (%s)", strerror(errno));
	} else if (unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0)
		confine_note(report, "no user namespace of its own");
	else
		confine_note(report, "no namespaces of its own (%s)", strerror(errno));
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/*
 * A program that root executes would get its capabilities back, and lose PR_SET_PDEATHSIG for that.  Only who has
 * capabilities can refuse them for good, and only root needs to.
 */
static void
refuse_capabilities(void)
{
	(void)prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0);
}

/* Also when started by root: who reads for strangers has no privilege over files. */
static int
drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capset, &head, none) == -1)
		return err_set(err, ERR_INTERNAL, "cannot drop capabilities: %s", strerror(errno));
	return 0;
}

/*
 * Read the time zone while its file can be opened.  With TZ unset libc looks
 * at the file again for every conversion, fails, and falls back to UTC.
 */
static void
keep_time_zone(void)
{
	setenv("TZ", ":/etc/localtime", 0);
	tzset();
}

static int
restrict_files(const struct policy_profile *p, const struct confine_places *places, unsigned cap,
    struct confine_report *report, struct err *err)
{
	unsigned abi = confine_landlock_abi();

	if (cap != 0 && abi > cap)
		abi = cap;
	if (abi < LANDLOCK_ABI_NEEDED)
		return err_set(err, ERR_INTERNAL,
		    "the kernel offers Landlock ABI %u and at least %d is needed (Linux 5.19 with Landlock enabled)",
		    abi, LANDLOCK_ABI_NEEDED);
	if (landlock_apply(p, places, abi, err) == -1)
		return -1;
	report->landlock_abi = abi;
	return 0;
}

/* Half a confinement is better than none: with best effort ABI 1 still counts. */
static int
restrict_files_somehow(const struct policy_profile *p, const struct confine_places *places, unsigned cap,
    struct confine_report *report, const struct err *why)
{
	unsigned abi = confine_landlock_abi();
	struct err err;

	if (cap != 0 && abi > cap)
		abi = cap;
	if (abi == 1 && landlock_apply(p, places, abi, &err) == 0)
		report->landlock_abi = abi;
	return confine_missing(report, true, why);
}

int
confine_files(const struct policy_profile *p, const struct confine_places *places, uint64_t memory_max,
    bool best_effort, unsigned landlock_abi_cap, struct confine_report *report, struct err *err)
{
	struct err own;

	*report = (struct confine_report){ .landlock_abi = 0 };
	if (err == NULL)
		err = &own;
	keep_time_zone();
#ifdef CARREL_SANITIZED
	__sanitizer_sandbox_on_notify(&(__sanitizer_sandbox_arguments){ .coverage_fd = -1 });
#endif
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return err_set(err, ERR_INTERNAL, "cannot give up new privileges: %s", strerror(errno));
	if (apply_limits(p, memory_max, err) == -1 && confine_missing(report, best_effort, err) == -1)
		return -1;
	if (p->namespaces)
		enter_namespaces(report);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_set(err, ERR_INTERNAL, "cannot become undumpable: %s", strerror(errno));
	refuse_capabilities();
	if (drop_capabilities(err) == -1 && confine_missing(report, best_effort, err) == -1)
		return -1;
	/* After the credentials changed: changing them clears it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		return err_set(err, ERR_INTERNAL, "cannot follow the parent's death: %s", strerror(errno));
	/* An extra where the kernel has it; the filter refuses the same by its arguments. */
	(void)prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
	if (restrict_files(p, places, landlock_abi_cap, report, err) == 0)
		return 0;
	if (!best_effort)
		return -1;
	return restrict_files_somehow(p, places, landlock_abi_cap, report, err);
}
