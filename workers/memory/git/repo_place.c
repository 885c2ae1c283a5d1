#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "workers/memory/git/repo_place.h"

#define MARK		"carrel.lock"
/* In refs/, where git ignores names with this ending. */
#define NEW_REF		"carrel-ref.lock"
#define BRANCH_NOTE	"carrel-branch.lock"	/* names the branch that is being locked, for a later clean-up */
#define WORK_PREFIX	"carrel-work-"
#define CONFIG_MAX	((size_t)1 << 20)
#define REF_MAX		((size_t)4096)
#define PACKED_MAX	((size_t)256 << 20)
#define WAIT_NS		(2 * CLOCK_SECOND)	/* wait for a lock of git's */
#define STEP_NS		10000000		/* between two tries */
#define WORK_TRIES	16

static int
not_now(struct err *err, const char *why)
{
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s", why);
}

static bool
repo_place_exists(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
sleep_a_step(void)
{
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = STEP_NS }, NULL);
}

struct place_verdict {
	const char	*why;		/* the objection; NULL: none */
	char		 worktree[4096];	/* core.worktree; empty: not given */
};

/* A value without its comment and quotes. */
static struct span
value_of(struct span s)
{
	bool quoted = false;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '"')
			quoted = !quoted;
		else if (!quoted && (s.p[i] == '#' || s.p[i] == ';')) {
			s.len = i;
			break;
		}
	}
	s = span_trim(s);
	return s.len >= 2 && s.p[0] == '"' && s.p[s.len - 1] == '"' ? span_of(s.p + 1, s.len - 2) : s;
}

static void
judge_setting(struct place_verdict *v, struct span section, struct span key, struct span value)
{
	static const char *const yes[] = { "true", "yes", "on", "1", "", NULL };
	static const char *const formats[] = { "0", "1", NULL };
	static const char *const extensions[] = { "noop", "partialclone", "preciousobjects", "worktreeconfig",
		"relativeworktrees", NULL };
	bool core = span_is_word(section, "core");

	if (core && span_is_word(key, "bare") && span_is_any_word(value, yes))
		v->why = "the repository is bare";
	else if (core && span_is_word(key, "worktree"))
		snprintf(v->worktree, sizeof(v->worktree), "%.*s", SPAN_FMT(value));
	else if (core && span_is_word(key, "repositoryformatversion") && !span_is_any_word(value, formats))
		v->why = "the repository's format is newer than carrel knows";
	else if (span_is_word(section, "extensions") && !span_is_any_word(key, extensions) &&
	    !(span_is_word(key, "objectformat") && span_is_word(value, "sha1")) &&
	    !(span_is_word(key, "refstorage") && span_is_word(value, "files")))
		v->why = "the repository uses an extension that carrel does not know (sha256, reftable or a newer one)";
}

static void
read_config(struct place_verdict *v, struct span text)
{
	struct span section = { NULL, 0 }, line;
	const uint8_t *close, *equals;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.len > 0 && line.p[0] == '[' && (close = memchr(line.p, ']', line.len)) != NULL) {
			section = span_trim(span_of(line.p + 1, (size_t)(close - line.p - 1)));
			line = span_trim(span_of(close + 1, line.len - (size_t)(close + 1 - line.p)));
		}
		if (line.len == 0 || line.p[0] == '#' || line.p[0] == ';')
			continue;
		equals = memchr(line.p, '=', line.len);
		judge_setting(v, section,
		    span_trim(span_of(line.p, equals == NULL ? line.len : (size_t)(equals - line.p))),
		    equals == NULL ? SPAN_NONE :
				     value_of(span_of(equals + 1, line.len - (size_t)(equals + 1 - line.p))));
	}
}

/* core.worktree, if it is set, must name the tree that .git was found in; in a submodule it must be set. */
static int
check_worktree(const struct repo_place *p, const char *given, struct err *err)
{
	char path[2 * PATH_MAX];
	struct stat a, b;

	if (given[0] == '\0')
		return strstr(p->git_dir, "/.git/modules/") == NULL ?
		    0 :
		    not_now(err, "the repository does not say that this is its working tree");
	snprintf(path, sizeof(path), "%s%s%s", given[0] == '/' ? "" : p->git_dir, given[0] == '/' ? "" : "/", given);
	if (stat(path, &a) != 0 || stat(p->worktree, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return not_now(err, "the repository's working tree is somewhere else (core.worktree)");
	return 0;
}

static int
check_config(const struct repo_place *p, struct err *err)
{
	struct place_verdict v = { .why = NULL };
	struct buf text = { 0 };
	enum files_fault fault = files_read(p->common, "config", CONFIG_MAX, &text, NULL);

	if (fault != FILES_OK && fault != FILES_MISSING)
		v.why = "the repository's configuration cannot be read";
	read_config(&v, buf_view(&text));
	buf_reset(&text, SIZE_MAX);
	/* core.worktree of the main tree does not apply to a linked one. */
	if (repo_place_exists(p->git, "commondir"))
		v.worktree[0] = '\0';
	if (files_read(p->git, "config.worktree", CONFIG_MAX, &text, NULL) == FILES_OK)
		read_config(&v, buf_view(&text));
	buf_fini(&text);
	return v.why != NULL ? not_now(err, v.why) : check_worktree(p, v.worktree, err);
}

/* Operations that git has begun and not finished. */
static int
check_state(const struct repo_place *p, struct err *err)
{
	static const struct {
		const char *file, *why;
	} states[] = {
		{ "rebase-merge", "a rebase is in progress; finish it with git rebase --continue or --abort" },
		{ "rebase-apply", "a rebase or git am is in progress; finish or abort it" },
		{ "MERGE_HEAD", "a merge is in progress; commit it or git merge --abort" },
		{ "CHERRY_PICK_HEAD", "a cherry-pick is in progress; finish or abort it" },
		{ "REVERT_HEAD", "a revert is in progress; finish or abort it" },
		{ "BISECT_LOG", "a bisect is in progress; end it with git bisect reset" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (repo_place_exists(p->git, states[i].file))
			return not_now(err, states[i].why);
	return 0;
}

int
repo_place_reach(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err)
{
	p->git_dir = git_dir;
	p->common_dir = common_dir;
	p->worktree = worktree;
	p->git = open(git_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->common = open(common_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return p->git < 0 || p->common < 0 ? not_now(err, "the repository cannot be opened") : 0;
}

int
repo_place_open(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err)
{
	if (repo_place_reach(p, git_dir, common_dir, worktree, err) != 0)
		return -1;
	return check_config(p, err) == 0 ? check_state(p, err) : -1;
}

static bool
same_file(int dir, const char *name, int fd)
{
	struct stat a, b;

	return fstatat(dir, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &b) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino;
}

/* Another process may have cleaned the mark up between its creation and its lock. */
static bool
hold_work(struct repo_place *p)
{
	p->work = open(p->work_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->work >= 0 && flock(p->work, LOCK_EX | LOCK_NB) == 0 &&
	    same_file(p->common, strrchr(p->work_path, '/') + 1, p->work))
		return true;
	if (p->work >= 0)
		close(p->work);
	p->work = -1;
	return false;
}

int
repo_place_make_work(struct repo_place *p, struct err *err)
{
	for (unsigned i = 0; p->work < 0; i++) {
		int n = snprintf(p->work_path, sizeof(p->work_path), "%s/" WORK_PREFIX "XXXXXX", p->common_dir);

		if (i == WORK_TRIES || n < 0 || (size_t)n >= sizeof(p->work_path))
			return not_now(err, "no directory could be made in the repository");
		if (mkdtemp(p->work_path) == NULL)
			return atomic_fail(err, ".git", errno);
		(void)hold_work(p);
	}
	return 0;
}

static void
drop_work(struct repo_place *p)
{
	if (p->work < 0)
		return;
	(void)atomic_remove(p->common, strrchr(p->work_path, '/') + 1, NULL);
	close(p->work);
	p->work = -1;
}

/* Removes the marks of dead processes: those that are not locked. */
static void
sweep_works(const struct repo_place *p)
{
	int fd = openat(p->common, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (d == NULL && fd >= 0)
		close(fd);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, WORK_PREFIX, sizeof(WORK_PREFIX) - 1) != 0)
			continue;
		if ((fd = openat(p->common, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)atomic_remove(p->common, e->d_name, NULL);
		close(fd);
	}
	if (d != NULL)
		closedir(d);
}

/* Makes and locks the mark in dir; its last holder may remove it meanwhile. */
static int
take_mark(int dir, struct err *err)
{
	uint64_t until = clock_ns() + WAIT_NS;
	int fd;

	do {
		fd = openat(dir, MARK, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0)
			return atomic_fail(err, ".git", errno);
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && same_file(dir, MARK, fd))
			return fd;
		close(fd);
		sleep_a_step();
	} while (clock_ns() < until);
	return not_now(err, "another carrel is committing to the repository");
}

/* Removes name in dir if it is a link to mark, which a process of ours made in its own directory. */
static void
drop_if_ours(int dir, const char *name, int mark_dir, const char *mark)
{
	struct stat a, b;

	if (fstatat(dir, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(mark_dir, mark, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		(void)unlinkat(dir, name, 0);
}

/* "refs/heads/main": no part of the name leads to another place. */
static bool
is_branch(struct span s)
{
	static const char heads[] = "refs/heads/";
	uint8_t before = '/';

	if (s.len <= sizeof(heads) - 1 || s.len + 6 > REPO_BRANCH_MAX || memcmp(s.p, heads, sizeof(heads) - 1) != 0)
		return false;
	for (size_t i = sizeof(heads) - 1; i < s.len; before = s.p[i++])
		if (s.p[i] <= ' ' || s.p[i] == 0x7f || strchr("~^:?*[\\", s.p[i]) != NULL ||
		    (before == '/' && (s.p[i] == '/' || s.p[i] == '.')) || (before == '.' && s.p[i] == '.'))
			return false;
	return before != '/' && before != '.' && (s.len < 5 || memcmp(s.p + s.len - 5, ".lock", 5) != 0);
}

static int
open_refs(const struct repo_place *p)
{
	return openat(p->common, "refs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the lock of the branch that a killed process left, and the file that it was linked from. */
static void
recover_branch(const struct repo_place *p, int refs)
{
	struct buf branch = { 0 };
	char lock[REPO_BRANCH_MAX + 8];

	if (files_read(refs, BRANCH_NOTE, REPO_BRANCH_MAX, &branch, NULL) == FILES_OK && is_branch(buf_view(&branch))) {
		snprintf(lock, sizeof(lock), "%s.lock", buf_cstr(&branch));
		drop_if_ours(p->common, lock, refs, NEW_REF);
	}
	(void)unlinkat(refs, NEW_REF, 0);
	(void)unlinkat(refs, BRANCH_NOTE, 0);
	(void)atomic_sweep(refs, NULL);
	buf_fini(&branch);
}

/* Removes what a killed carrel-git left: its locks and its own files. */
static void
recover(const struct repo_place *p)
{
	int refs = open_refs(p);

	drop_if_ours(p->git, "index.lock", p->git, MARK);
	if (refs >= 0) {
		recover_branch(p, refs);
		close(refs);
	}
	sweep_works(p);
}

int
repo_place_head(struct repo_place *p, struct err *err)
{
	struct buf text = { 0 };
	struct span line;
	int r = -1;

	if (files_read(p->git, "HEAD", REF_MAX, &text, NULL) != FILES_OK)
		not_now(err, "HEAD of the repository cannot be read");
	else {
		line = span_trim(buf_view(&text));
		if (line.len < 5 || memcmp(line.p, "ref: ", 5) != 0)
			not_now(err, "HEAD is detached: no branch is checked out; check one out with git switch");
		else if (!is_branch(line = span_trim(span_of(line.p + 5, line.len - 5))))
			not_now(err, "HEAD of the repository is on no branch");
		else {
			snprintf(p->branch, sizeof(p->branch), "%.*s", SPAN_FMT(line));
			r = 0;
		}
	}
	buf_fini(&text);
	return r;
}

int
repo_place_hold(struct repo_place *p, struct err *err)
{
	struct stat a, b;

	if ((p->mark[0] = take_mark(p->git, err)) < 0)
		return -1;
	/* A linked tree has an index of its own and shares the branches. */
	if (fstat(p->git, &a) == 0 && fstat(p->common, &b) == 0 && (a.st_ino != b.st_ino || a.st_dev != b.st_dev) &&
	    (p->mark[1] = take_mark(p->common, err)) < 0)
		return -1;
	recover(p);
	return repo_place_make_work(p, err);
}

int
repo_place_begin(struct repo_place *p, struct err *err)
{
	return repo_place_hold(p, err) == 0 ? repo_place_head(p, err) : -1;
}

void
repo_place_end(struct repo_place *p)
{
	drop_work(p);
	if (p->index_locked)
		drop_if_ours(p->git, "index.lock", p->git, MARK);
	for (int i = 1; i >= 0; i--)
		if (p->mark[i] >= 0) {
			(void)unlinkat(i == 0 ? p->git : p->common, MARK, 0);
			close(p->mark[i]);
		}
	if (p->git >= 0)
		close(p->git);
	if (p->common >= 0)
		close(p->common);
	*p = (struct repo_place)REPO_PLACE_NONE;
}

int
repo_place_lock_index(struct repo_place *p, struct err *err)
{
	uint64_t until = clock_ns() + WAIT_NS;

	for (;;) {
		if (linkat(p->git, MARK, p->git, "index.lock", 0) == 0)
			break;
		if (errno != EEXIST)
			return atomic_fail(err, ".git", errno);
		if (clock_ns() > until)
			return not_now(err,
			    "another git command holds .git/index.lock; if none runs, remove that file");
		sleep_a_step();
	}
	p->index_locked = true;
	(void)fault_point("git.index_locked");
	return 0;
}

static bool
is_hex(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (ascii_is_upper(s.p[i]) || ascii_hex(s.p[i]) == -1)
			return false;
	return s.len == REPO_HEX;
}

/* A plain file that is not executable. */
static int
check_new(const struct repo_place *p, const char *name, struct err *err)
{
	struct stat st;

	if (fstatat(p->work, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return atomic_fail(err, ".git", errno);
	return S_ISREG(st.st_mode) && st.st_nlink == 1 && (st.st_mode & 07111) == 0 ?
	    0 :
	    not_now(err, "what was written for the repository is no plain file");
}

int
repo_place_put_object(const struct repo_place *p, const char *hex, struct err *err)
{
	char path[80];

	if (!is_hex(span_str(hex)))
		return not_now(err, "an object has no proper name");
	if (check_new(p, REPO_NEW_OBJECT, err) != 0)
		return -1;
	snprintf(path, sizeof(path), "objects/%.2s", hex);
	if (mkdirat(p->common, path, 0777) != 0 && errno != EEXIST)
		return atomic_fail(err, ".git/objects", errno);
	snprintf(path, sizeof(path), "objects/%.2s/%s", hex, hex + 2);
	if (repo_place_exists(p->common, path)) {
		(void)utimensat(p->common, path, NULL, AT_SYMLINK_NOFOLLOW);
		return unlinkat(p->work, REPO_NEW_OBJECT, 0) == 0 ? 0 : atomic_fail(err, ".git", errno);
	}
	return renameat(p->work, REPO_NEW_OBJECT, p->common, path) == 0 ? 0 : atomic_fail(err, ".git/objects", errno);
}

int
repo_place_put_index(const struct repo_place *p, struct err *err)
{
	if (!p->index_locked)
		return not_now(err, "the index is not locked");
	if (check_new(p, REPO_NEW_INDEX, err) != 0)
		return -1;
	(void)fault_point("git.index_written");
	if (renameat(p->work, REPO_NEW_INDEX, p->git, "index") != 0)
		return atomic_fail(err, ".git", errno);
	(void)fault_point("git.index_moved");
	return 0;
}

static int
take_hex(struct span s, char hex[REPO_HEX + 1], struct err *err)
{
	if (!is_hex(s))
		return not_now(err, "the branch of the repository is in a form that carrel does not know");
	memcpy(hex, s.p, REPO_HEX);
	hex[REPO_HEX] = '\0';
	return 1;
}

/* "<hex> refs/heads/main" in packed-refs. */
static int
packed_tip(const struct repo_place *p, char hex[REPO_HEX + 1], struct err *err)
{
	struct buf text = { 0 };
	enum files_fault fault = files_read(p->common, "packed-refs", PACKED_MAX, &text, NULL);
	struct span rest = buf_view(&text), line;
	size_t n = strlen(p->branch);
	int r = 0;

	if (fault != FILES_OK && fault != FILES_MISSING)
		r = not_now(err, "the repository's packed-refs cannot be read");
	while (r == 0 && span_line(&rest, &line))
		if (line.len == REPO_HEX + 1 + n && line.p[REPO_HEX] == ' ' &&
		    memcmp(line.p + REPO_HEX + 1, p->branch, n) == 0)
			r = take_hex(span_of(line.p, REPO_HEX), hex, err);
	buf_fini(&text);
	return r;
}

int
repo_place_tip(const struct repo_place *p, char hex[REPO_HEX + 1], struct err *err)
{
	struct buf text = { 0 };
	enum files_fault fault = files_read(p->common, p->branch, REF_MAX, &text, NULL);
	int r;

	hex[0] = '\0';
	if (fault == FILES_OK)
		r = take_hex(span_trim(buf_view(&text)), hex, err);
	else if (fault == FILES_MISSING || fault == FILES_NOT_REGULAR)
		r = packed_tip(p, hex, err);
	else
		r = not_now(err, "the branch of the repository cannot be read");
	buf_fini(&text);
	return r;
}

/* Makes the directories on the way to the branch's file. */
static int
make_way(const struct repo_place *p, struct err *err)
{
	char path[REPO_BRANCH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s", p->branch);
	*strrchr(path, '/') = '\0';
	if ((fd = atomic_open_dir(p->common, path, err)) < 0)
		return -1;
	close(fd);
	return 0;
}

static void
append_log(int dir, const char *name, const struct buf *line)
{
	char path[REPO_BRANCH_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "logs/%s", name);
	/* Like git, appends only to an existing log.  One write is one line, even if others append at the same time. */
	if ((fd = openat(dir, path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return;
	(void)!write(fd, line->p, line->len);
	close(fd);
}

static void
log_move(const struct repo_place *p, const char *was, const char *next, const char *who, const char *line)
{
	static const char none[] = "0000000000000000000000000000000000000000";
	struct buf b = { 0 };

	buf_printf(&b, "%s %s %s\t%s\n", was[0] != '\0' ? was : none, next, who, line);
	append_log(p->common, p->branch, &b);
	append_log(p->git, "HEAD", &b);
	buf_fini(&b);
}

/* Removed after the lock.  After a kill, the note leads the clean-up to the lock. */
static int
note_branch(const struct repo_place *p, int refs, struct err *err)
{
	struct err own;

	(void)unlinkat(refs, NEW_REF, 0);
	(void)unlinkat(refs, BRANCH_NOTE, 0);
	return atomic_write_new(refs, BRANCH_NOTE, span_str(p->branch), &own) == 0 ? 0 : not_now(err, own.message);
}

/* Writes the new tip to a file of ours and links it as the branch's lock, in the form of git's own lock. */
static int
lock_branch(const struct repo_place *p, int refs, const char *next, const char *lock, struct err *err)
{
	uint64_t until = clock_ns() + WAIT_NS;
	char text[REPO_HEX + 2];
	struct err own;

	snprintf(text, sizeof(text), "%s\n", next);
	if (note_branch(p, refs, err) != 0)
		return -1;
	/* This sync covers the objects' names, too. */
	if (atomic_replace_shared(refs, NEW_REF, span_of(text, REPO_HEX + 1), &own) != 0)
		return not_now(err, own.message);
	while (linkat(refs, NEW_REF, p->common, lock, 0) != 0) {
		if (errno != EEXIST)
			return atomic_fail(err, ".git", errno);
		if (clock_ns() > until)
			return not_now(err,
			    "another git command has locked the branch; if none runs, remove its .lock file");
		sleep_a_step();
	}
	(void)fault_point("git.ref_locked");
	return 0;
}

static int
replace_branch(const struct repo_place *p, const char *was, const char *lock, struct err *err)
{
	char now[REPO_HEX + 1];
	int found = repo_place_tip(p, now, err);

	if (found < 0)
		return -1;
	if (strcmp(now, was) != 0)
		return not_now(err, "the branch moved meanwhile");
	if (renameat(p->common, lock, p->common, p->branch) != 0)
		return atomic_fail(err, ".git", errno);
	(void)fault_point("git.ref_moved");
	return 0;
}

/* Whether the text would be more than one line of the log. */
static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ')
			return true;
	return false;
}

int
repo_place_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err)
{
	char lock[REPO_BRANCH_MAX + 8];
	int r, refs;

	if (p->moved || !p->index_locked || !is_hex(span_str(next)) || (was[0] != '\0' && !is_hex(span_str(was))) ||
	    has_control(who) || has_control(line))
		return not_now(err, "the branch is not moved like this");
	p->moved = true;
	snprintf(lock, sizeof(lock), "%s.lock", p->branch);
	if (make_way(p, err) != 0)
		return -1;
	if ((refs = open_refs(p)) < 0)
		return atomic_fail(err, ".git/refs", errno);
	if ((r = lock_branch(p, refs, next, lock, err)) == 0) {
		if ((r = replace_branch(p, was, lock, err)) != 0)
			drop_if_ours(p->common, lock, refs, NEW_REF);
		else
			log_move(p, was, next, who, line);
	}
	(void)unlinkat(refs, NEW_REF, 0);
	(void)unlinkat(refs, BRANCH_NOTE, 0);
	close(refs);
	return r;
}
