/*
 * test_files.c - Landlock alone: profile x path x operation -> errno.
 *
 * What a profile should grant is said here once more, place by place, and not
 * taken from the code under test.  The whole matrix runs with the kernel's own
 * ABI, capped at 2 (Debian 12's kernel), and as nobody.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/sandbox/fixture.h"
#include "workers/shared/landlock.h"
#include "policy/profiles.h"

static const char *const profile_order[] = { "front", "sql-sqlite", "sql-duckdb", "sql-postgres", "sql-mysql", "search",
	"memory", "git", "git-keeper", "git-hand", "auth", "pwhash", "import", "agent", "fetch", "tunnel",
	"telemetry", "auth-nodes" };

/* What each profile may do below each directory of the fixture.  READ: files only. */
static const struct {
	const char	*dir, *file;
	/* '-' nothing, 'f' files, 'r' files and lists; 'm' those and making and moving, 'a' and writing into what is there; 'w' all; 's' files as they are, to read and write */
	const char	*grants;	/* of the profiles in profile_order[] */
} matrix[] = {
	{ ".",             "carrel.yaml", "------------------" },
	{ ".carrel",       "state.db",    "----------s------s" },
	{ ".carrel",       "signing.key", "------------------" },
	{ ".carrel/logs",  "mcp.log",     "------------------" },
	{ ".carrel/memory", "absent",      "------wr----------" },
	{ ".git",          "config",      "-------rrm--------" },
	{ ".git/hooks",    "pre-commit",  "-------rrm--------" },
	{ ".git/objects/aa", "object",      "-------rmm--------" },
	{ ".git/refs/heads", "main",        "-------rwm--------" },
	{ ".git/logs",     "HEAD",        "-------ram--------" },
	{ ".git/work",     "new",         "-------wmm--------" },
	{ "wiki",          "page.md",     "-----rw-----------" },
	{ "wiki/sub",      "absent",      "-----rw-----------" },
	{ "semantic-layer", "source.yaml", "-----rw-----------" },
	{ "raw-sources",   "table.json",  "-----rw-----------" },
	{ "data",          "db.sqlite",   "-ff---------------" },
	{ "data",          "other",       "------------------" },
	{ "data/sub",      "key",         "------------------" },
	{ "home",          "absent",      "------------------" },
	{ ".carrel/documents", "a.jsonl",     "-----r-----------w" },
	{ ".carrel/imports", "imports.db",  "------------w----w" },
};

static struct fixture fixture;

static char
granted(const struct policy_profile *p, size_t row)
{
	for (size_t i = 0; i < sizeof(profile_order) / sizeof(profile_order[0]); i++)
		if (strcmp(p->name, profile_order[i]) == 0)
			return matrix[row].grants[i];
	fail_msg("profile %s is not in the matrix", p->name);
	return '-';
}

/* --- operations --------------------------------------------------------------------- */

static char dir_path[160], file_path[256], new_path[256], other_path[256];

static int
outcome(long r)
{
	return r == -1 ? errno : 0;
}

static int
op_read(void)
{
	int fd = open(file_path, O_RDONLY);
	char byte;

	return fd == -1 ? errno : outcome(read(fd, &byte, 1));
}

static int
op_list(void)
{
	return opendir(dir_path) == NULL ? errno : 0;
}

static int
op_write(void)
{
	return outcome(open(file_path, O_WRONLY));
}

static int
op_truncate(void)
{
	return outcome(truncate(file_path, 8));
}

static int
op_create(void)
{
	return outcome(open(new_path, O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static int
op_make_dir(void)
{
	return outcome(mkdir(new_path, 0700));
}

static int
op_remove(void)
{
	return outcome(unlink(file_path));
}

static int
op_rename(void)
{
	return outcome(rename(file_path, new_path));
}

static int
op_link(void)
{
	return outcome(link(file_path, new_path));
}

/* Into a sibling directory: what needs the right to refer. */
static int
op_move(void)
{
	return outcome(rename(file_path, other_path));
}

static int
op_symlink(void)
{
	return outcome(symlink("/etc/passwd", new_path));
}

static int
op_fifo(void)
{
	return outcome(mkfifo(new_path, 0600));
}

static const struct operation {
	const char	*name;
	int		(*run)(void);
	const char	*needs;		/* grants that allow it; "": none does */
	bool		 on_file;	/* of the row */
	bool		 consumes;	/* a file of its own */
	unsigned	 abi;		/* refused from this ABI on; seccomp stands in before it */
} operations[] = {
	{ "read",     op_read,     "frwmas", true,  false, 1 },
	{ "list",     op_list,     "rwma",  false, false, 1 },
	{ "write",    op_write,    "was",  true,  false, 1 },
	{ "truncate", op_truncate, "was",  true,  false, 3 },
	{ "create",   op_create,   "w",   false, false, 1 },
	{ "mkdir",    op_make_dir, "wm",   false, false, 1 },
	{ "remove",   op_remove,   "wm",   false, true,  1 },
	{ "rename",   op_rename,   "wm",   false, true,  1 },
	{ "link",     op_link,     "wm",   false, true,  1 },
	{ "move",     op_move,     "w",   false, true,  1 },
	{ "symlink",  op_symlink,  "",    false, false, 1 },
	{ "mkfifo",   op_fifo,     "",    false, false, 1 },
};

#define OPERATIONS	(sizeof(operations) / sizeof(operations[0]))

struct trial {
	const struct policy_profile	*profile;
	size_t				 row;
	unsigned			 abi_cap;
	int				*outcomes;	/* shared with the child */
};

static void
aim(const char *dir, const char *file)
{
	snprintf(dir_path, sizeof(dir_path), "%s/%s", fixture.project, dir);
	snprintf(file_path, sizeof(file_path), "%s/%s", dir_path, file);
	snprintf(new_path, sizeof(new_path), "%s/new", dir_path);
}

/* Every operation has names of its own, so that none meets what another left. */
static void
aim_operation(size_t row, size_t i)
{
	char victim[32];

	snprintf(victim, sizeof(victim), "victim-%s", operations[i].name);
	aim(matrix[row].dir, operations[i].consumes ? victim : matrix[row].file);
	snprintf(new_path, sizeof(new_path), "%s/new-%s", dir_path, operations[i].name);
	snprintf(other_path, sizeof(other_path), "%s/wiki/sub/moved", fixture.project);
}

static int
try_row(void *arg)
{
	const struct trial *t = arg;

	confine_files_here(t->profile, &fixture, t->abi_cap);
	for (size_t i = 0; i < OPERATIONS; i++) {
		aim_operation(t->row, i);
		t->outcomes[i] = operations[i].run();
	}
	return 0;
}

static void
make_victims(size_t row, uid_t uid)
{
	for (size_t i = 0; i < OPERATIONS; i++) {
		int fd;

		if (!operations[i].consumes)
			continue;
		aim_operation(row, i);
		fd = open(file_path, O_WRONLY | O_CREAT | O_EXCL, 0644);
		assert_true(fd != -1 && (uid == 0 || fchown(fd, uid, uid) == 0));
		close(fd);
	}
}

static void
judge(const struct trial *t, size_t i, uid_t uid)
{
	unsigned abi = t->abi_cap != 0 ? t->abi_cap : confine_landlock_abi();
	bool allowed = abi < operations[i].abi || strchr(operations[i].needs, granted(t->profile, t->row)) != NULL;
	int got = t->outcomes[i], want;

	if (operations[i].on_file && strcmp(matrix[t->row].file, "absent") == 0)
		return;
	/* What is moved must also be let in where it goes. */
	for (size_t row = 0; operations[i].run == op_move && row < sizeof(matrix) / sizeof(matrix[0]); row++)
		if (strcmp(matrix[row].dir, "wiki/sub") == 0)
			allowed = allowed && granted(t->profile, row) == 'w';
	want = allowed ? 0 : EACCES;
	/* A move may also be refused as if across file systems. */
	if (got == want || (!allowed && got == EXDEV && operations[i].run == op_move))
		return;
	print_error("%s %s in %s, ABI cap %u, uid %u: wanted %s, ", t->profile->name, operations[i].name,
	    matrix[t->row].dir, t->abi_cap, (unsigned)uid, outcome_text(want));
	fail_msg("got %s", outcome_text(got));
}

static void
check_matrix(unsigned abi_cap, uid_t uid)
{
	int *outcomes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(outcomes, MAP_FAILED);
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		for (size_t row = 0; row < sizeof(matrix) / sizeof(matrix[0]); row++) {
			struct trial t = { p, row, abi_cap, outcomes };

			fixture_make(&fixture, uid);
			make_victims(row, uid);
			assert_int_equal(in_child(uid, try_row, &t), 0);
			for (size_t i = 0; i < OPERATIONS; i++)
				judge(&t, i, uid);
			fixture_remove(&fixture);
		}
	munmap(outcomes, 4096);
}

static void
test_matrix(void **state)
{
	(void)state;
	check_matrix(0, 0);
}

static void
test_matrix_with_abi_2(void **state)
{
	(void)state;
	check_matrix(2, 0);
}

static void
test_matrix_as_nobody(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	check_matrix(0, NOBODY);
}

/* --- places ---------------------------------------------------------------------------- */

static const struct policy_profile *under;
static int (*then)(void);

static int
try_then(void *arg)
{
	(void)arg;
	confine_files_here(under, &fixture, 0);
	return then();
}

static int
check(const char *profile, int (*fn)(void))
{
	under = policy_profile(profile);
	then = fn;
	return in_child(0, try_then, NULL);
}

/* The files of a database are granted, each as it is; not what lies beside or below, nor what comes later. */
static void
test_database_files_only(void **state)
{
	static const char *const granted[] = { "db.sqlite", "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal",
		"db.sqlite.wal" };
	static const char *const others[] = { "other", "db.sqlite-wal2", "db.sqlit", "db.sqlite.bak", "sub/key",
		"sibling.db" };
	int fd;

	(void)state;
	fixture_make(&fixture, 0);
	for (size_t i = 0; i < sizeof(granted) / sizeof(granted[0]); i++) {
		aim("data", granted[i]);
		close(open(file_path, O_WRONLY | O_CREAT, 0600));
	}
	for (size_t i = 0; i < sizeof(granted) / sizeof(granted[0]); i++) {
		aim("data", granted[i]);
		assert_int_equal(check("sql-sqlite", op_write), EACCES);
		fd = open(file_path, O_WRONLY);
		assert_int_equal(write(fd, "x", 1), 1);
		close(fd);
		assert_int_equal(check("sql-sqlite", op_read), 0);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		aim("data", others[i]);
		close(open(file_path, O_WRONLY | O_CREAT, 0600));
		assert_int_equal(check("sql-sqlite", op_read), EACCES);
	}
	assert_int_equal(check("sql-sqlite", op_list), EACCES);
	fixture_remove(&fixture);
}

/* SQLite keeps its files beside the real one. */
static void
test_database_behind_a_link(void **state)
{
	char link_path[128];

	(void)state;
	fixture_make(&fixture, 0);
	snprintf(link_path, sizeof(link_path), "%s/home/link", fixture.project);
	assert_int_equal(symlink(fixture.database, link_path), 0);
	fixture.places.database_path = link_path;
	aim("data", "db.sqlite");
	assert_int_equal(check("sql-sqlite", op_read), 0);
	aim("data", "other");
	assert_int_equal(check("sql-sqlite", op_read), EACCES);
	aim("home", "link");
	assert_int_equal(check("sql-sqlite", op_read), 0);
	assert_int_equal(check("sql-sqlite", op_list), EACCES);
	fixture_remove(&fixture);
}

static int
never(void)
{
	return 0;
}

static void
replace_wiki(const char *target)
{
	fixture_make(&fixture, 0);
	assert_int_equal(unlink(fixture_path(&fixture, "wiki/page.md")), 0);
	assert_int_equal(rmdir(fixture_path(&fixture, "wiki/sub")), 0);
	assert_int_equal(rmdir(fixture_path(&fixture, "wiki")), 0);
	if (target != NULL)
		assert_int_equal(symlink(target, fixture_path(&fixture, "wiki")), 0);
}

static int
confines(void *arg)
{
	struct confine_report report;
	struct err err;

	return confine_files(arg, &fixture.places, 0, false, 0, &report, &err) == 0 ? 0 :
	    strstr(err.message, "must not see") != NULL                             ? EPERM :
										      EINVAL;
}

static void
test_links_to_what_is_secret(void **state)
{
	static const char *const bad[] = { ".", "..", "/", ".carrel", ".git", ".git/hooks", "home/../.carrel/memory" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		replace_wiki(bad[i]);
		assert_int_equal(in_child(0, confines, (void *)(uintptr_t)policy_profile("search")), EPERM);
		assert_int_equal(in_child(0, confines, (void *)(uintptr_t)policy_profile("memory")), EPERM);
		fixture_remove(&fixture);
	}
	/* Elsewhere is the owner's choice. */
	replace_wiki("home");
	assert_int_equal(in_child(0, confines, (void *)(uintptr_t)policy_profile("search")), 0);
	fixture_remove(&fixture);
}

/* The writer makes its places; readers go without. */
static void
test_places_that_are_missing(void **state)
{
	(void)state;
	replace_wiki(NULL);
	assert_int_equal(check("search", never), 0);
	assert_int_equal(access(fixture_path(&fixture, "wiki"), F_OK), -1);
	aim("wiki", "absent");
	assert_int_equal(check("memory", op_create), 0);
	assert_int_equal(access(fixture_path(&fixture, "wiki/new"), F_OK), 0);
	fixture_remove(&fixture);
}

/* --- the repository ----------------------------------------------------------------------- */

/* Whatever git, or a shell that it starts, would act upon: as it is, and with a name that is new there. */
static const char *const acted_upon[] = { "config", "config.worktree", "HEAD", "index", "packed-refs", "hooks/pre-commit",
	"info/attributes", "modules/m/config", "worktrees/w/gitdir", "worktrees/w/commondir", "objects/aa/object",
	"objects/info/alternates", "objects/pack/pack", "refs/heads/main", "logs/HEAD", "new", "config.lock", "index.lock",
	"hooks/new", "info/exclude", "info/grafts", "modules/new", "modules/m/hooks", "worktrees/new", "worktrees/w/config.worktree",
	"objects/info/http-alternates", "objects/bb", "objects/pack/new", "refs/new", "branches", "commondir" };

static int
refused(const char *what, const char *name, long r)
{
	int error = outcome(r);

	/* Across directories Landlock says EXDEV, as across file systems; a name that stands may be seen first. */
	if (r == -1 && (error == EACCES || error == EPERM || error == EXDEV))
		return 0;
	fprintf(stderr, "%s %s: %s\n", what, name, r == -1 ? strerror(error) : "done");
	return 1;
}

static int
try_on(const char *name)
{
	char path[512], work[300], out[300];
	bool there;
	int bad = 0;

	snprintf(path, sizeof(path), "%s/%s", fixture.git, name);
	snprintf(work, sizeof(work), "%s/new", fixture.work);
	snprintf(out, sizeof(out), "%s/taken", fixture.work);
	there = access(path, F_OK) == 0;
	bad += refused("create", name, open(path, O_WRONLY | O_CREAT, 0755));
	bad += refused("rename to", name, rename(work, path));
	if (there) {
		bad += refused("append to", name, open(path, O_WRONLY | O_APPEND));
		bad += refused("exchange", name, renameat2(AT_FDCWD, work, AT_FDCWD, path, RENAME_EXCHANGE));
		bad += refused("remove", name, unlink(path));
		bad += refused("rename", name, rename(path, out));
		/* A name in a place that may be written would be a way to write. */
		bad += refused("link out", name, link(path, out));
	} else {
		bad += refused("link to", name, link(work, path));
		bad += refused("symlink at", name, symlink("/tmp", path));
		bad += refused("mkdir", name, mkdir(path, 0755));
	}
	return bad;
}

static int
try_repository(void *arg)
{
	int bad = 0;

	confine_files_here(policy_profile("git"), &fixture, *(unsigned *)arg);
	for (size_t i = 0; i < sizeof(acted_upon) / sizeof(acted_upon[0]); i++)
		bad += try_on(acted_upon[i]);
	/* The way round by a link that would be followed later. */
	bad += refused("symlink in", "work", symlink("../hooks", fixture_path(&fixture, ".git/work/link")));
	return bad;
}

static void
test_repository_is_not_written(void **state)
{
	unsigned caps[] = { 0, 2 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fixture_make(&fixture, 0);
		assert_int_equal(in_child(0, try_repository, &caps[i]), 0);
		fixture_remove(&fixture);
	}
}

/* --- limits ------------------------------------------------------------------------------- */

static rlim_t
soft(__rlimit_resource_t which)
{
	struct rlimit r;

	return getrlimit(which, &r) == 0 ? r.rlim_cur : RLIM_INFINITY;
}

static int
has_limits(void)
{
	struct rlimit r;

	if (soft(RLIMIT_CORE) != 0 || soft(RLIMIT_FSIZE) != under->limits.file_size)
		return 1;
	if (under->limits.files != 0 && soft(RLIMIT_NOFILE) != under->limits.files)
		return 2;
	if (under->limits.files == 0 && (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur != r.rlim_max))
		return 3;
	if (under->limits.stack != 0 && soft(RLIMIT_STACK) != under->limits.stack)
		return 4;
#ifndef CARREL_SANITIZED
	if (soft(RLIMIT_AS) != (rlim_t)4 << 30)
		return 5;
#else
	if (soft(RLIMIT_AS) != RLIM_INFINITY)
		return 5;
#endif
	return 0;
}

static void
test_limits(void **state)
{
	(void)state;
	fixture_make(&fixture, 0);
	for (const struct policy_profile *p = policy_profiles; p->name != NULL; p++)
		assert_int_equal(check(p->name, has_limits), 0);
	fixture_remove(&fixture);
}

/* --- when the kernel has too little ---------------------------------------------------------- */

static int
with_abi_1(void *arg)
{
	struct confine_report report;
	struct err err;
	bool best_effort = *(bool *)arg;
	int r = confine_files(policy_profile("search"), &fixture.places, 0, best_effort, 1, &report, &err);

	if (!best_effort)
		return r == -1 && strstr(err.message, "Landlock ABI 1") != NULL ? 0 : 1;
	if (r != 0 || !report.degraded || strstr(report.note, "Landlock ABI 1") == NULL)
		return 2;
	/* What there is, is in force. */
	return report.landlock_abi == 1 && op_read() == EACCES ? 0 : 3;
}

static void
test_abi_1_is_not_enough(void **state)
{
	bool no = false, yes = true;

	(void)state;
	fixture_make(&fixture, 0);
	aim(".", "carrel.yaml");
	assert_int_equal(in_child(0, with_abi_1, &no), 0);
	assert_int_equal(in_child(0, with_abi_1, &yes), 0);
	fixture_remove(&fixture);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_matrix_with_abi_2),
		cmocka_unit_test(test_matrix_as_nobody),
		cmocka_unit_test(test_database_files_only),
		cmocka_unit_test(test_database_behind_a_link),
		cmocka_unit_test(test_links_to_what_is_secret),
		cmocka_unit_test(test_places_that_are_missing),
		cmocka_unit_test(test_repository_is_not_written),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_abi_1_is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
