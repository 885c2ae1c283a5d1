// libs: carrel_git carrel_memory carrel_project carrel_base
/*
 * test_repo_keep.c - what the keeper of a repository does for one that was
 * taken over: its fixed acts, in their order, and nothing else.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/shell.h"
#include "workers/memory/git/repo_keep.h"

#define WHO	"Carrel <carrel@localhost> 1 +0000"

static char dir[64], git_dir[96];

/* In the repository. */
#define sh(command)	shell_in(dir, "%s", command)

static int
setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/carrel-keep-XXXXXX");
	assert_non_null(mkdtemp(dir));
	sh("git init -q -b main . && git config user.name U && git config user.email u@x && echo a >a && git add -A && "
	   "git commit -qm first && git branch other && echo b >a && git commit -qam second");
	snprintf(git_dir, sizeof(git_dir), "%s/.git", dir);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	sh("rm -rf \"$PWD\"");
	return 0;
}

static void
start(struct repo_place *p, struct repo_keeper *k)
{
	struct err err;

	*p = (struct repo_place)REPO_PLACE_NONE;
	assert_int_equal(repo_keep_start(k, git_dir, git_dir, &(struct repo_terms){ .memory_max = (uint64_t)1 << 32 },
			     &err),
	    0);
	assert_true(k->work_path[0] != '\0');
	assert_int_equal(repo_place_open(p, git_dir, git_dir, dir, &err), 0);
}

static void
stop(struct repo_place *p, struct repo_keeper *k)
{
	repo_keep_end(p);
	repo_keep_stop(k);
	assert_string_equal(sh("find .git -name '*carrel*' -o -name '*.lock'"), "");
	assert_string_equal(sh("git fsck --strict --no-dangling"), "");
}

static void
put_work(const struct repo_place *p, const char *name, const char *text, mode_t mode)
{
	int fd;

	(void)unlinkat(p->work, name, 0); /* one that only may be read stays so for its owner */
	fd = openat(p->work, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void
test_acts_need_a_beginning(void **state)
{
	static const char hex[] = "0123456789012345678901234567890123456789";
	struct repo_place p;
	struct repo_keeper k;
	struct err err;

	(void)state;
	start(&p, &k);
	p.keeper = k.fd;
	assert_int_equal(repo_keep_lock_index(&p, &err), -1);
	assert_int_equal(repo_keep_put_object(&p, hex, &err), -1);
	assert_int_equal(repo_keep_put_index(&p, &err), -1);
	assert_int_equal(repo_keep_move(&p, "", hex, WHO, "x", &err), -1);
	assert_int_equal(repo_keep_begin(&p, &k, &err), 0);
	assert_string_equal(p.branch, "refs/heads/main");
	assert_int_equal(repo_keep_begin(&p, &k, &err), -1);
	stop(&p, &k);
}

/* An object goes among the objects under its name, and replaces none. */
static void
test_objects(void **state)
{
	static const char *const names[] = { "../../hooks/pre-commit", "info/alternates", "", "01",
		"../config90123456789012345678901234567890", "AB23456789012345678901234567890123456789",
		"01/3456789012345678901234567890123456789" };
	char before[64], path[4300], old[64];
	struct repo_place p;
	struct repo_keeper k;
	struct err err;

	(void)state;
	snprintf(before, sizeof(before), "%s", sh("find .git -type f | sort | xargs sha1sum | sha1sum | cut -c1-40"));
	snprintf(old, sizeof(old), "%s", sh("git rev-parse HEAD"));
	start(&p, &k);
	assert_int_equal(repo_keep_begin(&p, &k, &err), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put_work(&p, REPO_NEW_OBJECT, "mine", 0444);
		assert_int_equal(repo_keep_put_object(&p, names[i], &err), -1);
	}
	put_work(&p, REPO_NEW_OBJECT, "mine", 0555);
	assert_int_equal(repo_keep_put_object(&p, "0123456789012345678901234567890123456789", &err), -1);
	snprintf(path, sizeof(path), "%s/" REPO_NEW_OBJECT, k.work_path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(repo_keep_put_object(&p, "0123456789012345678901234567890123456789", &err), -1);
	assert_int_equal(symlink("../config", path), 0);
	assert_int_equal(repo_keep_put_object(&p, "0123456789012345678901234567890123456789", &err), -1);
	assert_int_equal(unlink(path), 0);
	/* What is there stays. */
	put_work(&p, REPO_NEW_OBJECT, "mine", 0444);
	assert_int_equal(repo_keep_put_object(&p, old, &err), 0);
	stop(&p, &k);
	assert_string_equal(sh("find .git -type f | sort | xargs sha1sum | sha1sum | cut -c1-40"), before);
}

static void
test_branch_moves_once(void **state)
{
	char now[64], next[64], first[64];
	struct repo_place p;
	struct repo_keeper k;
	struct err err;

	(void)state;
	snprintf(now, sizeof(now), "%s", sh("git rev-parse HEAD"));
	snprintf(first, sizeof(first), "%s", sh("git rev-parse HEAD~1"));
	snprintf(next, sizeof(next), "%s", sh("git commit-tree -p HEAD -m third HEAD:"));
	start(&p, &k);
	assert_int_equal(repo_keep_begin(&p, &k, &err), 0);
	assert_int_equal(repo_keep_move(&p, now, next, WHO, "unlocked", &err), -1);
	assert_int_equal(repo_keep_put_index(&p, &err), -1);
	assert_int_equal(repo_keep_lock_index(&p, &err), 0);
	assert_string_equal(sh("ls .git/index.lock"), ".git/index.lock");
	assert_int_equal(repo_keep_move(&p, now, "ref: refs/heads/other", WHO, "x", &err), -1);
	assert_int_equal(repo_keep_move(&p, now, next, WHO, "x\ny", &err), -1);
	assert_int_equal(repo_keep_move(&p, now, next, "A\n<a>", "x", &err), -1);
	assert_int_equal(repo_keep_move(&p, now, next, WHO, "moved", &err), 0);
	assert_int_equal(repo_keep_move(&p, next, first, WHO, "again", &err), -1);
	stop(&p, &k);
	assert_string_equal(sh("git rev-parse HEAD"), next);
	assert_string_equal(sh("git rev-parse other"), first);
	assert_string_equal(sh("git log -g -1 --format=%gs"), "moved");
	assert_string_equal(sh("git status --porcelain"), "");
}

static void
test_index_is_a_plain_file(void **state)
{
	char path[4300];
	struct repo_place p;
	struct repo_keeper k;
	struct err err;

	(void)state;
	start(&p, &k);
	assert_int_equal(repo_keep_begin(&p, &k, &err), 0);
	assert_int_equal(repo_keep_lock_index(&p, &err), 0);
	snprintf(path, sizeof(path), "%s/" REPO_NEW_INDEX, k.work_path);
	assert_int_equal(repo_keep_put_index(&p, &err), -1);
	assert_int_equal(symlink("../config", path), 0);
	assert_int_equal(repo_keep_put_index(&p, &err), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(repo_keep_put_index(&p, &err), -1);
	stop(&p, &k);
	assert_string_equal(sh("git status --porcelain"), "");
}

/* A reader that is killed leaves a repository without locks, once its keeper is done. */
static void
test_reader_killed(void **state)
{
	int alive[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(alive), 0);
	fflush(NULL);
	if ((pid = fork()) == 0) {
		struct repo_place p;
		struct repo_keeper k;
		struct err err;

		start(&p, &k);
		if (repo_keep_begin(&p, &k, &err) != 0 || repo_keep_lock_index(&p, &err) != 0)
			_exit(1);
		put_work(&p, REPO_NEW_OBJECT, "half", 0444);
		raise(SIGKILL);
	}
	close(alive[1]);
	/* The pipe's other end is the keeper's too: it ends with it. */
	assert_int_equal(read(alive[0], &byte, 1), 0);
	close(alive[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_string_equal(sh("find .git -name '*carrel*' -o -name '*.lock'"), "");
	assert_string_equal(sh("git status --porcelain"), "");
}

/* Packets that are none of ours end the keeper. */
static void
test_strange_packets(void **state)
{
	struct repo_place p;
	struct repo_keeper k;
	struct err err;
	char junk[2000];

	(void)state;
	memset(junk, 0xff, sizeof(junk));
	for (size_t n = 1; n <= sizeof(junk); n += 333) {
		start(&p, &k);
		assert_int_equal(repo_keep_begin(&p, &k, &err), 0);
		assert_int_equal(send(k.fd, junk, n, MSG_NOSIGNAL), (ssize_t)n);
		assert_true(recv(k.fd, junk, sizeof(junk), 0) <= 0);
		memset(junk, 0xff, sizeof(junk));
		stop(&p, &k);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_acts_need_a_beginning, setup, teardown),
		cmocka_unit_test_setup_teardown(test_objects, setup, teardown),
		cmocka_unit_test_setup_teardown(test_branch_moves_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_index_is_a_plain_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reader_killed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_strange_packets, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
