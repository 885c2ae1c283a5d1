// libs: carrel_git carrel_memory carrel_project carrel_base
/*
 * test_repo_commit.c - one commit per run, whatever kills the process that makes it.
 *
 * Repositories are made and judged by git itself.  What states of a repository
 * are refused is tests/integration/memory.
 */
#include <fcntl.h>
#include <git2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "project/ignore.h"
#include "project/repository.h"
#include "tests/unit/shell.h"
#include "workers/memory/git/repo_commit.h"

static char dir[64];
static struct repository where;

/* In the repository. */
#define sh(...)	shell_in(dir, __VA_ARGS__)

static void
find(void)
{
	char project[128];

	snprintf(project, sizeof(project), "%s/p", dir);
	assert_int_equal(repository_find(project, &where, NULL), 1);
}

static int
setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/carrel-repo-XXXXXX");
	assert_non_null(mkdtemp(dir));
	sh("git init -q -b main repo && cd repo && git config user.name U && git config user.email u@x && mkdir -p "
	   "p/wiki/global && "
	   "printf 'a\\nb\\nc\\n' >p/wiki/global/page.md && echo mine >other && git add -A && git commit -qm first");
	strcat(dir, "/repo");
	find();
	return 0;
}

/* As git says it: of a branch's file, of packed-refs, and of a detached HEAD; nothing of what git does not write. */
static void
the_commit_that_is_checked_out(void **state)
{
	char said[REPOSITORY_COMMIT + 1], commit[REPOSITORY_COMMIT + 1];
	FILE *git;
	char line[256];

	(void)state;
	snprintf(line, sizeof(line), "git -C %s rev-parse HEAD", dir);
	assert_non_null(git = popen(line, "r"));
	assert_int_equal(fscanf(git, "%64s", said), 1);
	pclose(git);
	assert_true(repository_commit(&where, commit));
	assert_string_equal(commit, said);
	sh("git branch ain && git pack-refs --all");
	commit[0] = '\0';
	assert_true(repository_commit(&where, commit));
	assert_string_equal(commit, said);
	sh("git checkout -q --detach");
	assert_true(repository_commit(&where, commit));
	assert_string_equal(commit, said);
	for (size_t i = 0; i < 4; i++) {
		static const char *const heads[] = { "ref: refs/heads/../../config", "ref: refs/tags/x", "0123", "" };

		sh("printf '%%s\\n' '%s' >.git/HEAD", heads[i]);
		assert_false(repository_commit(&where, commit));
	}
}

static int
teardown(void **state)
{
	(void)state;
	dir[strlen(dir) - 5] = '\0';
	sh("rm -rf %s", dir);
	return 0;
}

/* A run that extended page.md and made new.md, its files in place. */
static struct run *
make_run(void)
{
	struct run *r = run_new(false);
	struct run_change *c;

	snprintf(r->id, sizeof(r->id), "mem-%013d-0123456789abcdef01234567", 1);
	r->at_ms = (uint64_t)time(NULL) * 1000;
	r->principal = SPAN("local:1");
	r->stage = RUN_COMMIT;
	c = run_change(&r->changes, RUN_WIKI, RUN_UPDATED);
	*c = (struct run_change){ RUN_WIKI, RUN_UPDATED, SPAN("wiki/global/page.md"), SPAN("page"), SPAN("more"), SPAN("why"),
		SPAN("a\nb\nc\n"), SPAN("a\nb\nc\nd\n"), false };
	c = run_change(&r->changes, RUN_WIKI, RUN_CREATED);
	*c = (struct run_change){ RUN_WIKI, RUN_CREATED, SPAN("wiki/global/new.md"), SPAN("new"), SPAN("new"), SPAN("why"),
		{ NULL, 0 }, SPAN("new\n"), false };
	sh("printf 'a\\nb\\nc\\nd\\n' >p/wiki/global/page.md; echo new >p/wiki/global/new.md");
	return r;
}

static int
commit(const struct run *r, char hex[REPO_HEX + 1], struct err *err)
{
	struct repo_job job = {
		.git_dir = where.git_dir, .common_dir = where.common_dir, .worktree = where.worktree, .prefix = where.prefix,
		.name = "Carrel", .mail = "carrel@localhost", .run = r,
	};

	return repo_commit(&job, hex, err);
}

static void
assert_whole(const char *what, const char *hex)
{
	if (strcmp(sh("git fsck --strict --no-dangling"), "") != 0)
		fail_msg("%s: git fsck: %s", what, sh("git fsck --strict --no-dangling"));
	assert_string_equal(sh("git rev-parse HEAD"), hex);
	assert_string_equal(sh("git log --format=%%B | grep -c ^Carrel-Run:"), "1");
	assert_string_equal(sh("git rev-list --count HEAD"), "2");
	assert_string_equal(sh("git show --format= --name-only HEAD"), "p/wiki/global/new.md\np/wiki/global/page.md");
	if (strcmp(sh("git status --porcelain"), "") != 0)
		fail_msg("%s: git status: %s", what, sh("git status --porcelain"));
	if (strcmp(sh("find .git -name '*carrel*' -o -name '*.lock' -o -name 'tmp_*'"), "") != 0)
		fail_msg("%s: left behind: %s", what,
		    sh("find .git -name '*carrel*' -o -name '*.lock' -o -name 'tmp_*'"));
}

static void
test_commits_once(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1], again[REPO_HEX + 1];
	struct err err;

	(void)state;
	assert_int_equal(commit(r, hex, &err), 1);
	assert_whole("once", hex);
	/* Asked again, as after a crash that lost the answer. */
	assert_int_equal(commit(r, again, &err), 1);
	assert_string_equal(hex, again);
	assert_whole("twice", hex);
	/* Later commits of others do not hide it. */
	sh("echo x >other; git commit -qam later");
	assert_int_equal(commit(r, again, &err), 1);
	assert_string_equal(hex, again);
	run_free(r);
}

/* Whatever a run is about, its message is plain lines: no controls, nothing that turns text around or hides in it. */
static void
test_message_is_plain(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1];
	struct err err;

	(void)state;
	r->changes.v[0].name = SPAN("a\xc2\x9b"
				    "31mb\xe2\x80\xae"
				    "c\xe2\x80\xa8Signed-off-by: x");
	r->changes.v[1].name = SPAN("a\xc2\x9b"
				    "31mb\xe2\x80\xae"
				    "c\xe2\x80\xa8Signed-off-by: x");
	r->changes.v[0].summary = SPAN("one\ntwo\r\033[2Jthree\xe2\x81\xa6\xe2\x80\x8b Gr\xc3\xb6\xc3\x9f"
				       "e\xff");
	assert_int_equal(commit(r, hex, &err), 1);
	assert_string_equal(sh("git log -1 --format=%%s"), "Keep memory: a31mbc Signed-off-by: x");
	assert_non_null(strstr(sh("git log -1 --format=%%B"),
	    "wiki/global/page.md: one two  [2Jthree Gr\xc3\xb6\xc3\x9f"
	    "e\n"));
	run_free(r);
}

static void
test_back(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1], tree[64];
	struct err err;

	(void)state;
	snprintf(tree, sizeof(tree), "%s", sh("git rev-parse HEAD:"));
	assert_int_equal(commit(r, hex, &err), 1);
	r->step = RUN_STEP_REVERT;
	sh("printf 'a\\nb\\nc\\n' >p/wiki/global/page.md; rm p/wiki/global/new.md");
	assert_int_equal(commit(r, hex, &err), 1);
	assert_string_equal(sh("git rev-parse HEAD:"), tree);
	assert_string_equal(sh("git status --porcelain"), "");
	run_free(r);
}

/* The last file of a directory takes the directory with it. */
static void
test_empty_directories_go(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1];
	struct err err;

	(void)state;
	sh("git rm -q --cached p/wiki/global/page.md && git commit -qm none");
	r->changes.v[0].action = RUN_SKIPPED;
	assert_int_equal(commit(r, hex, &err), 1);
	r->step = RUN_STEP_REVERT;
	assert_int_equal(commit(r, hex, &err), 1);
	assert_string_equal(sh("git ls-tree -r -t --name-only HEAD"), "other");
	assert_string_equal(sh("git fsck --strict --no-dangling"), "");
	run_free(r);
}

static void
test_nothing_to_commit(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1];
	struct err err;

	(void)state;
	sh("git add -A && git commit -qm theirs");
	assert_int_equal(commit(r, hex, &err), 0);
	assert_string_equal(hex, "");
	assert_string_equal(sh("git rev-list --count HEAD"), "2");
	run_free(r);
}

static void
test_links_and_modules_in_the_tree(void **state)
{
	struct run *r = make_run();
	char hex[REPO_HEX + 1];
	struct err err;

	(void)state;
	sh("git rm -rq --cached p/wiki && git update-index --add --cacheinfo 120000,$(echo /etc/passwd | git "
	   "hash-object -w --stdin),"
	   "p/wiki/global/page.md && git commit -qm link");
	assert_int_equal(commit(r, hex, &err), -1);
	assert_non_null(strstr(err.message, "no plain file"));
	sh("git rm -rq --cached p/wiki && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),p/wiki && "
	   "git commit -qm module");
	assert_int_equal(commit(r, hex, &err), -1);
	assert_non_null(strstr(err.message, "no plain directory"));
	assert_string_equal(sh("git rev-list --count HEAD"), "3");
	run_free(r);
}

#ifdef CARREL_FAULT_POINTS
static void
test_killed_anywhere(void **state)
{
	static const char *const points[] = { "git.index_locked", "git.object", "git.objects", "git.ref_locked", "git.ref_moved",
		"git.committed", "git.index_written", "git.index_moved", "memory.write", "memory.sync" };
	unsigned killed = 0;

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		for (unsigned n = 1; n <= 8; n++) {
			char faults[64], hex[REPO_HEX + 1], what[80];
			struct run *r;
			struct err err;
			int status;
			pid_t pid;

			if (i > 0 && n == 1) {
				teardown(state);
				setup(state);
			}
			r = make_run();
			snprintf(faults, sizeof(faults), "%s=kill@%u", points[i], n);
			snprintf(what, sizeof(what), "after %s", faults);
			fflush(NULL);
			if ((pid = fork()) == 0) {
				/* A program reads its faults once. */
				setenv("CARREL_FAULTS", faults, 1);
				execl("/proc/self/exe", "trial", dir, (char *)NULL);
				_exit(1);
			}
			assert_int_equal(waitpid(pid, &status, 0), pid);
			killed += WIFSIGNALED(status);
			if (!WIFSIGNALED(status))
				assert_int_equal(status, 0);
			if (commit(r, hex, &err) != 1)
				fail_msg("%s: %s", what, err.message);
			assert_whole(what, hex);
			run_free(r);
			if (!WIFSIGNALED(status))
				break;
			teardown(state);
			setup(state);
		}
	assert_true(killed >= 15);
}

static int
trial(const char *in)
{
	char hex[REPO_HEX + 1];
	struct run *r;
	struct err err;
	int made;

	snprintf(dir, sizeof(dir), "%s", in);
	find();
	r = make_run();
	made = commit(r, hex, &err);
	run_free(r);
	git_libgit2_shutdown();
	return made == 1 ? 0 : 1;
}
#endif

/* What git itself says of the same patterns and paths. */
static void
test_ignores_as_git_does(void **state)
{
	static const char *const patterns[] = { "*.md", "/p", "p/", "p/wiki", "p/**/page.md", "**/global", "p/wiki/global/*\n!p/wiki/global/new.md",
		"new.*", "!*.md", "pa?e.md", "p/*/page.md", "[a-n]*.md", "[!a-n]*.md", "wiki/", "/wiki/", "# p", "\\#p", "p/wiki/**", "*.md \n",
		"p/**", "**", "global/*.md", "page.md/", "p*i/global", "p\\age.md", "*\n!*/\n!page.md", "" };
	static const char *const paths[] = { "p/wiki/global/page.md", "p/wiki/global/new.md", "p/wiki/global/a-b.md",
		"p/x" };

	(void)state;
	sh("git rm -rq --cached . && git commit -qm empty");
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct ignore_file file = { { NULL, 0 }, span_str(patterns[i]) };
		FILE *f;
		char path[128];

		snprintf(path, sizeof(path), "%s/.gitignore", dir);
		assert_non_null(f = fopen(path, "w"));
		fputs(patterns[i], f);
		fclose(f);
		for (size_t k = 0; k < sizeof(paths) / sizeof(paths[0]); k++) {
			bool git = strcmp(sh("git check-ignore -q --no-index %s; echo $?", paths[k]), "0") == 0;

			if (ignore_match(&file, 1, span_str(paths[k])) != git)
				fail_msg("\"%s\" on %s: git says %d", patterns[i], paths[k], git);
		}
	}
	/* A file further down decides against one further up, but for what lies below an ignored directory. */
	{
		struct ignore_file two[] = { { { NULL, 0 }, SPAN("*.md\n") }, { SPAN("p/wiki"), SPAN("!page.md\n") } };
		struct ignore_file lost[] = { { { NULL, 0 }, SPAN("wiki/\n") },
			{ SPAN("p/wiki"), SPAN("!page.md\n") } };

		assert_false(ignore_match(two, 2, SPAN("p/wiki/global/page.md")));
		assert_true(ignore_match(two, 2, SPAN("p/page.md")));
		assert_true(ignore_match(lost, 2, SPAN("p/wiki/global/page.md")));
	}
	/* Stars that multiply are given up, not waited for. */
	{
		struct ignore_file slow = { { NULL, 0 }, SPAN("**/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab") };

		assert_false(ignore_match(&slow, 1,
		    SPAN("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(the_commit_that_is_checked_out), T(test_commits_once), T(test_message_is_plain), T(test_back), T(test_empty_directories_go), T(test_nothing_to_commit),
		T(test_links_and_modules_in_the_tree), T(test_ignores_as_git_does),
#ifdef CARREL_FAULT_POINTS
		T(test_killed_anywhere),
#endif
	};
	int failed;

	git_libgit2_init();
#ifdef CARREL_FAULT_POINTS
	if (argc == 2)
		return trial(argv[1]);
#endif
	(void)argc;
	(void)argv;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	git_libgit2_shutdown();
	return failed;
}
