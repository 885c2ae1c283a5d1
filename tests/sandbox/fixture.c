/* fixture.c - see fixture.h. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sandbox/fixture.h"
#include "workers/shared/seccomp.h"
#include "policy/profiles.h"


static void
must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fixture: %s: %s\n", what, strerror(errno));
	abort();
}

const char *
fixture_path(const struct fixture *f, const char *below)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->project, below);
	return path;
}

const char *
fixture_aim(const struct fixture *f, enum policy_aim aim)
{
	switch (aim) {
	case POLICY_AIM_NOTHING:
		return "";
	case POLICY_AIM_CONFIG:
		return fixture_path(f, "carrel.yaml");
	case POLICY_AIM_PROJECT:
		return f->project;
	case POLICY_AIM_WIKI:
		return fixture_path(f, "wiki");
	case POLICY_AIM_STATE_DIR:
		return fixture_path(f, ".carrel");
	case POLICY_AIM_STATE:
		return fixture_path(f, ".carrel/state.db");
	case POLICY_AIM_KEY:
		return fixture_path(f, ".carrel/signing.key");
	case POLICY_AIM_JOURNAL:
		return fixture_path(f, ".carrel/memory/run");
	case POLICY_AIM_LOG:
		return fixture_path(f, ".carrel/logs/mcp.log");
	case POLICY_AIM_PAGE:
		return fixture_path(f, "wiki/page.md");
	case POLICY_AIM_GIT_CONFIG:
		return fixture_path(f, ".git/config");
	case POLICY_AIM_HOOKS:
		return fixture_path(f, ".git/hooks");
	case POLICY_AIM_PASSWD:
		return "/etc/passwd";
	case POLICY_AIM_HOME:
		return f->home;
	case POLICY_AIM_TMP:
		return "/tmp";
	case POLICY_AIM_DATABASE:
		return f->database;
	case POLICY_AIM_DATABASE_DIR:
		return fixture_path(f, "data");
	case POLICY_AIM_BESIDE:
		return f->beside;
	case POLICY_AIM_OTHER:
		return fixture_path(f, "data/other");
	}
	return "";
}

static void
make(const struct fixture *f, const char *below, uid_t uid)
{
	const char *path = fixture_path(f, below);

	if (below[strlen(below) - 1] == '/')
		must(mkdir(path, 0755) == 0, path);
	else {
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

		must(fd != -1 && write(fd, "content\n", 8) == 8, path);
		close(fd);
	}
	must(uid == 0 || chown(path, uid, uid) == 0, "chown");
}

void
fixture_make(struct fixture *f, uid_t uid)
{
	static const char *const all[] = {
		"carrel.yaml", ".carrel/", ".carrel/state.db", ".carrel/signing.key", ".carrel/memory/",
		".carrel/memory/run", ".carrel/imports/", ".carrel/imports/imports.db",
		".carrel/documents/", ".carrel/documents/a.jsonl",
		".carrel/logs/", ".carrel/logs/mcp.log", ".git/", ".git/config",
		".git/config.worktree", ".git/HEAD", ".git/index", ".git/packed-refs", ".git/hooks/", ".git/hooks/pre-commit",
		".git/info/", ".git/info/attributes", ".git/modules/", ".git/modules/m/", ".git/modules/m/config",
		".git/worktrees/", ".git/worktrees/w/", ".git/worktrees/w/gitdir", ".git/worktrees/w/commondir",
		".git/objects/", ".git/objects/aa/", ".git/objects/aa/object", ".git/objects/info/",
		".git/objects/info/alternates", ".git/objects/pack/", ".git/objects/pack/pack", ".git/refs/", ".git/refs/heads/",
		".git/refs/heads/main", ".git/logs/", ".git/logs/HEAD", ".git/work/", ".git/work/new", "wiki/", "wiki/page.md", "wiki/sub/", "semantic-layer/",
		"semantic-layer/source.yaml", "raw-sources/", "raw-sources/table.json", "data/",
		"data/db.sqlite", "data/other", "data/sub/", "data/sub/key", "home/"
	};

	snprintf(f->project, sizeof(f->project), "/tmp/carrel-sandbox-XXXXXX");
	must(mkdtemp(f->project) != NULL, "mkdtemp");
	must(chmod(f->project, 0755) == 0 && (uid == 0 || chown(f->project, uid, uid) == 0), "chown");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		make(f, all[i], uid);
	snprintf(f->database, sizeof(f->database), "%s/data/db.sqlite", f->project);
	snprintf(f->beside, sizeof(f->beside), "%s/data/sub/key", f->project);
	snprintf(f->git, sizeof(f->git), "%s/.git", f->project);
	snprintf(f->work, sizeof(f->work), "%s/work", f->git);
	snprintf(f->home, sizeof(f->home), "%s/home", f->project);
	f->places = (struct confine_places){ .project_dir = f->project, .database_path = f->database,
		.git_dir = f->git, .git_common_dir = f->git, .git_work_dir = f->work, .state_path = f->state,
		.import_dir = f->imports };
	snprintf(f->imports, sizeof(f->imports), "%s/.carrel/imports", f->project);
	snprintf(f->state, sizeof(f->state), "%s/.carrel/state.db", f->project);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void
fixture_remove(struct fixture *f)
{
	(void)nftw(f->project, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int
in_child(uid_t uid, int (*fn)(void *arg), void *arg)
{
	int answer[2], result, status;
	ssize_t n;
	pid_t pid;

	must(pipe2(answer, O_CLOEXEC) == 0, "pipe");
	if ((pid = fork()) == 0) {
		close(answer[0]);
		if (uid != 0 && (setresgid(uid, uid, uid) == -1 || setresuid(uid, uid, uid) == -1))
			_exit(1);
		/* Changing the user made us undumpable; a fresh exec would not be. */
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		signal(SIGXFSZ, SIG_IGN);
		result = fn(arg);
		_exit(write(answer[1], &result, sizeof(result)) == sizeof(result) ? 0 : 1);
	}
	must(pid != -1, "fork");
	close(answer[1]);
	n = read(answer[0], &result, sizeof(result));
	close(answer[0]);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	if (WIFSIGNALED(status))
		return -WTERMSIG(status);
	must(n == sizeof(result), "the child's answer");
	return result;
}

void
confine_files_here(const struct policy_profile *p, const struct fixture *f, unsigned abi_cap)
{
	struct confine_report report;
	struct err err;

	if (confine_files(p, &f->places, UINT64_C(4) << 30, false, abi_cap, &report, &err) == 0)
		return;
	fprintf(stderr, "%s: %s\n", p->name, err.message);
	_exit(1);
}

void
confine_here(const struct policy_profile *p, const struct fixture *f, unsigned abi_cap)
{
	struct confine_report report;
	struct err err;

	confine_files_here(p, f, abi_cap);
	if (confine_calls(p, false, &report, &err) == 0)
		return;
	fprintf(stderr, "%s: %s\n", p->name, err.message);
	_exit(1);
}

const char *
outcome_text(int outcome)
{
	static char text[64];

	if (outcome == 0)
		return "done";
	if (outcome < 0)
		snprintf(text, sizeof(text), "killed by SIG%s", sigabbrev_np(-outcome));
	else
		snprintf(text, sizeof(text), "%s", strerrorname_np(outcome));
	return text;
}
