#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workers/shared/confine_parts.h"
#include "workers/shared/landlock.h"
#include "policy/profiles.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset	444
#define SYS_landlock_add_rule		445
#define SYS_landlock_restrict_self	446
#endif

enum {
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5, FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8, FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10, FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,		/* ABI 2 */
	FS_TRUNCATE = 1 << 14,		/* ABI 3 */
	FS_IOCTL_DEV = 1 << 15		/* ABI 5 */
};
#define FS_ABI_1	((FS_MAKE_SYM << 1) - 1)
#define FS_FILE		(FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_ALL		3	/* ABI 4: bind and connect, TCP */
#define SCOPE_SOCKETS	1	/* ABI 6: abstract Unix sockets */
#define SCOPE_SIGNALS	2	/* also what the kernel sends when a parent dies */
#define ABI_KNOWN	7

#define CREATE_VERSION	1u	/* flag of landlock_create_ruleset() */
#define RULE_PATH	1

struct ruleset {
	uint64_t	fs, net, scope;
};

struct path_rule {
	uint64_t	access;
	int32_t		fd;
} __attribute__((packed));

unsigned
confine_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return abi < 0 ? 0 : (unsigned)abi;
}

static int
ruleset_open(const struct policy_profile *p, unsigned abi, uint64_t *handled, struct err *err)
{
	struct ruleset r = { .fs = FS_ABI_1 };
	size_t size = sizeof(r.fs);
	long fd;

	if (abi >= 2)
		r.fs |= FS_REFER;
	if (abi >= 3)
		r.fs |= FS_TRUNCATE;
	if (abi >= 4) {
		r.net = NET_ALL;
		size = offsetof(struct ruleset, scope);
	}
	if (abi >= 5)
		r.fs |= FS_IOCTL_DEV;
	if (abi >= 6) {
		r.scope = SCOPE_SOCKETS | (p->takes_along ? 0 : SCOPE_SIGNALS);
		size = sizeof(r);
	}
	fd = syscall(SYS_landlock_create_ruleset, &r, size, 0u);
	if (fd < 0)
		return err_set(err, ERR_INTERNAL, "Landlock refused a rule set: %s", strerror(errno));
	*handled = r.fs;
	return (int)fd;
}

static uint64_t
rights(unsigned access)
{
	uint64_t fs = 0;

	if ((access & POLICY_READ_FILE) != 0)
		fs |= FS_READ_FILE;
	if ((access & POLICY_READ_DIR) != 0)
		fs |= FS_READ_DIR;
	if ((access & POLICY_WRITE_FILE) != 0)
		fs |= FS_WRITE_FILE | FS_TRUNCATE;
	if ((access & POLICY_EXECUTE) != 0)
		fs |= FS_EXECUTE | FS_READ_FILE;
	if ((access & POLICY_MAKE) != 0)
		fs |= FS_MAKE_REG | FS_MAKE_DIR | FS_REMOVE_FILE | FS_REMOVE_DIR | FS_REFER;
	if ((access & POLICY_LISTEN) != 0)
		fs |= FS_MAKE_SOCK | FS_REMOVE_FILE;
	return fs;
}

/* Closes fd. */
static int
grant_open(int ruleset, int fd, const char *path, uint64_t fs, struct err *err)
{
	struct path_rule rule = { .access = fs, .fd = fd };
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) == -1)
		r = err_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	else {
		if (!S_ISDIR(st.st_mode))
			rule.access &= FS_FILE;
		if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0u) == -1)
			r = err_set(err, ERR_INTERNAL, "Landlock refused a rule for %s: %s", path, strerror(errno));
	}
	close(fd);
	return r;
}

/* A path that does not exist grants nothing. */
static int
grant(int ruleset, const char *path, uint64_t fs, struct err *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd == -1)
		return errno == ENOENT ? 0 : err_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	return grant_open(ruleset, fd, path, fs, err);
}

/* True when one path is the other or lies below it.  Both are resolved. */
static bool
overlap(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), n = na < nb ? na : nb;

	if (strncmp(a, b, n) != 0)
		return false;
	return na == nb || (n > 0 && a[n - 1] == '/') || (na > nb ? a : b)[n] == '/';
}

/*
 * A place that is a link to the project itself, or into what only the
 * supervisor may open, must not grant it.
 */
static int
place_is_harmless(const char *project_dir, const char *place, struct err *err)
{
	static const char *const secret[] = { "/.carrel", "/.git" };
	char root[PATH_MAX], real[PATH_MAX], path[PATH_MAX + 16];

	if (realpath(project_dir, root) == NULL || realpath(place, real) == NULL)
		return 0; /* nothing there to grant */
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", strcmp(root, "/") == 0 ? "" : root, secret[i]);
		if (overlap(real, path))
			return err_set(err, ERR_INTERNAL, "%s leads to %s, which its reader must not see", place, real);
	}
	return 0;
}

static int
grant_project(int ruleset, const struct confine_places *places, const char *below, bool state, unsigned access,
    uint64_t handled, struct err *err)
{
	const char *project_dir = places->project_dir;
	char path[PATH_MAX];
	int n = project_dir == NULL ? -1 : snprintf(path, sizeof(path), "%s/%s", project_dir, below);

	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(err, ERR_INTERNAL, "no usable project directory for %s", below);
	/* A failure leaves the directory missing; the tools that need it report that in detail. */
	if ((access & POLICY_MAKE) != 0 && (state || !places->project_as_it_is))
		(void)mkdir(path, 0777);
	if (!state && place_is_harmless(project_dir, path, err) == -1)
		return -1;
	return grant(ruleset, path, rights(access) & handled, err);
}

/*
 * A file and those that a library keeps with it.  A rule is the file's, not the
 * name's: what comes under one of these names later is out of reach.
 */
static int
grant_family(int ruleset, const char *file, const char *const *suffixes, size_t n, uint64_t fs, struct err *err)
{
	char real[PATH_MAX], path[PATH_MAX + 16];

	if (file == NULL)
		return err_set(err, ERR_INTERNAL, "no path for the rules");
	/* An engine keeps its other files in the directory of the real file, not of a link to it. */
	if (realpath(file, real) == NULL)
		return errno == ENOENT ? 0 : err_set(err, ERR_INTERNAL, "%s: %s", file, strerror(errno));
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s%s", real, suffixes[i]);
		if (grant(ruleset, path, fs, err) == -1)
			return -1;
	}
	return 0;
}

/* A file whose path was found free of links: were one of its parts a link by now, the rule would be another file's. */
static int
grant_as_found(int ruleset, const char *path, uint64_t fs, struct err *err)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ?
		    0 :
		    err_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	return grant_open(ruleset, fd, path, fs, err);
}

static int
grant_database(int ruleset, const struct confine_places *places, uint64_t fs, struct err *err)
{
	static const char *const suffixes[] = POLICY_DATABASE_SUFFIXES;

	if (places->database_files == NULL)
		return grant_family(ruleset, places->database_path, suffixes, sizeof(suffixes) / sizeof(suffixes[0]),
		    fs, err);
	for (size_t i = 0; places->database_files[i] != NULL; i++)
		if (grant_as_found(ruleset, places->database_files[i], fs, err) == -1)
			return -1;
	return 0;
}

static int
grant_state(int ruleset, const char *state, uint64_t fs, struct err *err)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;

	return grant_family(ruleset, state, suffixes, sizeof(suffixes) / sizeof(suffixes[0]), fs, err);
}

/* Of a linked working tree the shared part is elsewhere. */
static int
grant_repository(int ruleset, const struct confine_places *places, uint64_t fs, struct err *err)
{
	if (places->git_dir == NULL || places->git_common_dir == NULL)
		return err_set(err, ERR_INTERNAL, "no repository for the rules");
	if (grant(ruleset, places->git_dir, fs, err) != 0)
		return -1;
	return strcmp(places->git_dir, places->git_common_dir) == 0 ? 0 :
								      grant(ruleset, places->git_common_dir, fs, err);
}

static int
grant_below(int ruleset, const char *dir, const char *name, uint64_t fs, struct err *err)
{
	char path[PATH_MAX];

	if (dir == NULL || snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return err_set(err, ERR_INTERNAL, "no repository for the rules");
	return grant(ruleset, path, fs, err);
}

static int
grant_all(int ruleset, const char *const *paths, uint64_t fs, struct err *err)
{
	for (; *paths != NULL; paths++)
		if (grant(ruleset, *paths, fs, err) != 0)
			return -1;
	return 0;
}

/* The kernel runs a program's loader, and asks for it the same right. */
static int
grant_program(int ruleset, const char *program, uint64_t fs, struct err *err)
{
	static const char *const loaders[] = {
		"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", NULL
	};

	if (program == NULL)
		return err_set(err, ERR_INTERNAL, "no program for the rules");
	return grant(ruleset, program, fs, err) != 0 ? -1 : grant_all(ruleset, loaders, fs, err);
}

static int
grant_libraries(int ruleset, uint64_t fs, struct err *err)
{
	static const char *const paths[] = {
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
		"/usr/share/poppler", NULL
	};

	return grant_all(ruleset, paths, fs, err);
}

static int
grant_ssh_keys(int ruleset, const struct confine_places *places, uint64_t fs, struct err *err)
{
	char certificate[PATH_MAX];

	if (places->identity == NULL || places->known_hosts == NULL ||
	    snprintf(certificate, sizeof(certificate), "%s-cert.pub", places->identity) >= (int)sizeof(certificate))
		return err_set(err, ERR_INTERNAL, "no key for the rules");
	return grant(ruleset, places->identity, fs, err) != 0 || grant(ruleset, certificate, fs, err) != 0 ?
	    -1 :
	    grant(ruleset, places->known_hosts, fs, err);
}

static int
grant_account(int ruleset, uint64_t fs, struct err *err)
{
	static const char *const paths[] = {
		"/etc/passwd", "/etc/nsswitch.conf", "/etc/localtime", "/etc/ssl/openssl.cnf", "/etc/crypto-policies",
		"/usr/share/zoneinfo", "/dev/urandom", "/dev/random", "/proc/sys/crypto/fips_enabled", NULL
	};

	return grant(ruleset, "/dev/null", fs | FS_WRITE_FILE, err) != 0 ? -1 : grant_all(ruleset, paths, fs, err);
}

static int
grant_place(int ruleset, const struct policy_path *path, const struct confine_places *places,
    uint64_t handled, struct err *err)
{
	switch (path->place) {
	case POLICY_PLACE_WIKI:
		return grant_project(ruleset, places, "wiki", false, path->access, handled, err);
	case POLICY_PLACE_SEMANTIC:
		return grant_project(ruleset, places, "semantic-layer", false, path->access, handled, err);
	case POLICY_PLACE_RAW:
		return grant_project(ruleset, places, "raw-sources", false, path->access, handled, err);
	case POLICY_PLACE_DOCUMENTS:
		return grant_project(ruleset, places, ".carrel/documents", true, path->access, handled, err);
	case POLICY_PLACE_MEMORY_STATE:
		return grant_project(ruleset, places, ".carrel/memory", true, path->access, handled, err);
	case POLICY_PLACE_IMPORTS:
		return places->import_dir == NULL ?
		    0 :
		    grant(ruleset, places->import_dir, rights(path->access) & handled, err);
	case POLICY_PLACE_SHARED_IMPORTS:
		return grant_project(ruleset, places, ".carrel/imports", true, path->access, handled, err);
	case POLICY_PLACE_GIT:
		return grant_repository(ruleset, places, rights(path->access) & handled, err);
	case POLICY_PLACE_GIT_WORK:
		return places->git_work_dir == NULL || places->git_work_dir[0] == '\0' ?
		    0 :
		    grant(ruleset, places->git_work_dir, rights(path->access) & handled, err);
	case POLICY_PLACE_GIT_OBJECTS:
		return grant_below(ruleset, places->git_common_dir, "objects", rights(path->access) & handled, err);
	case POLICY_PLACE_GIT_REFS:
		return grant_below(ruleset, places->git_common_dir, "refs", rights(path->access) & handled, err);
	case POLICY_PLACE_GIT_LOGS:
		return grant_below(ruleset, places->git_common_dir, "logs", rights(path->access) & handled, err) != 0 ?
		    -1 :
		    grant_below(ruleset, places->git_dir, "logs", rights(path->access) & handled, err);
	case POLICY_PLACE_DATABASE:
		return grant_database(ruleset, places, rights(path->access) & handled, err);
	case POLICY_PLACE_PROGRAM:
		return grant_program(ruleset, places->program, rights(path->access) & handled, err);
	case POLICY_PLACE_LIBRARIES:
		return grant_libraries(ruleset, rights(path->access) & handled, err);
	case POLICY_PLACE_SSH_KEYS:
		return grant_ssh_keys(ruleset, places, rights(path->access) & handled, err);
	case POLICY_PLACE_SSH_SOCKET:
		return places->socket_dir == NULL ?
		    err_set(err, ERR_INTERNAL, "no directory for the rules") :
		    grant(ruleset, places->socket_dir, rights(path->access) & handled, err);
	case POLICY_PLACE_ACCOUNT:
		return grant_account(ruleset, rights(path->access) & handled, err);
	case POLICY_PLACE_STATE:
		return grant_state(ruleset, places->state_path, rights(path->access) & handled, err);
	case POLICY_PLACE_END:
		break;
	}
	return err_set(err, ERR_INTERNAL, "a profile names an unknown place");
}

int
landlock_apply(const struct policy_profile *p, const struct confine_places *places, unsigned abi,
    struct err *err)
{
	uint64_t handled = 0;
	int ruleset = ruleset_open(p, abi < ABI_KNOWN ? abi : ABI_KNOWN, &handled, err);
	int r = 0;

	if (ruleset == -1)
		return -1;
	for (const struct policy_path *path = p->paths; r == 0 && path->place != POLICY_PLACE_END; path++)
		r = grant_place(ruleset, path, places, handled, err);
#ifdef CARREL_SANITIZED
	/* The leak checker's helper lists our threads there. */
	if (r == 0)
		r = grant(ruleset, "/proc", FS_READ_FILE | FS_READ_DIR, err);
#endif
	if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0u) == -1)
		r = err_set(err, ERR_INTERNAL, "Landlock refused to confine: %s", strerror(errno));
	close(ruleset);
	return r;
}
