#include "cli/sync/sync_step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "cli/sync/sync_merge.h"

#define TRIES	8	/* steps of one round; each push that was too late takes two */
#define FETCHED	"refs/carrel/sync"

static int
take_author(struct sync_repo *r, const char *author, struct err *err)
{
	const char *open = strchr(author, '<'), *close = strchr(author, '>');

	if (open == NULL || close == NULL || open < author + 2)
		return err_set(err, ERR_INVALID_ARGUMENTS, "memory.author is no \"Name <mail>\"");
	r->name = arena_printf(r->arena, "%.*s", (int)(open - author - 1), author);
	r->mail = arena_printf(r->arena, "%.*s", (int)(close - open - 1), open + 1);
	return 0;
}

int
sync_open(struct sync_repo *r, const char *project_dir, const char *author, struct err *err)
{
	int found = repository_find(project_dir, &r->where, err);

	r->lock = -1;
	r->index[0] = '\0';
	if (found <= 0)
		return found < 0 ? -1 :
				   err_set(err, ERR_INVALID_ARGUMENTS,
				       "the project lies in no git repository: clone the one that all nodes share");
	if (take_author(r, author, err) != 0)
		return -1;
	r->lock = open(arena_printf(r->arena, "%s/" SYNC_RECORD, r->where.git_dir),
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (r->lock < 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s: %s", r->where.git_dir, strerror(errno));
	if (flock(r->lock, LOCK_EX | LOCK_NB) != 0) {
		sync_close(r);
		return err_set(err, ERR_BUSY, "another `carrel sync` runs in this repository");
	}
	(void)sync_record_read(r->lock, &r->record);
	return 0;
}

void
sync_close(struct sync_repo *r)
{
	if (r->lock >= 0)
		close(r->lock);
	r->lock = -1;
}

/* The daemon reads it, for /health/ready. */
static int
write_record(const struct sync_repo *r, struct err *err)
{
	if (sync_record_write(r->lock, &r->record))
		return 0;
	return err_set(err, ERR_SERVICE_UNAVAILABLE, "%s/" SYNC_RECORD ": %s", r->where.git_dir, strerror(errno));
}

/* The remote's commit; "" if it has no such branch yet. */
static int
fetch(struct sync_repo *r, const char **theirs, struct err *err)
{
	struct buf out = { 0 };
	int code = SYNC_GIT(r, NULL, err, "ls-remote", "--exit-code", "--heads", "--", r->remote,
	    arena_printf(r->arena, "refs/heads/%s", r->branch));

	*theirs = "";
	if (code == 2)
		return 0;
	/* Again where it failed: for what git says. */
	if (SYNC_GIT_MUST(r, NULL, err, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", r->remote,
		arena_printf(r->arena, "+refs/heads/%s:" FETCHED, r->branch)) != 0 ||
	    SYNC_GIT_MUST(r, &out, err, "rev-parse", "--verify", FETCHED "^{commit}") != 0) {
		buf_fini(&out);
		return -1;
	}
	*theirs = sync_git_line(r, &out);
	buf_fini(&out);
	snprintf(r->record.remote, sizeof(r->record.remote), "%s", *theirs);
	return write_record(r, err);
}

/* The branch's commit.  It has to be checked out. */
static int
read_head(const struct sync_repo *r, const char **ours, struct err *err)
{
	struct buf out = { 0 }, head = { 0 };
	int code = SYNC_GIT(r, &head, err, "symbolic-ref", "--quiet", "HEAD");
	const char *name = sync_git_line(r, &head);
	int result = -1;

	if (code > 0 || (code == 0 && strcmp(name, arena_printf(r->arena, "refs/heads/%s", r->branch)) != 0))
		err_set(err, ERR_INVALID_ARGUMENTS,
		    "the branch %s is not checked out, which sync.branch of carrel.yaml names", r->branch);
	else if (code == 0 && SYNC_GIT(r, &out, err, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") == 0) {
		*ours = sync_git_line(r, &out);
		result = 0;
	} else if (code == 0)
		err_set(err, ERR_INVALID_ARGUMENTS, "the branch %s has no commit yet: make the first one", r->branch);
	buf_fini(&out);
	buf_fini(&head);
	return result;
}

/* 1: old is new or came before it; 0: it did not; -1. */
static int
is_before(const struct sync_repo *r, const char *old, const char *new, struct err *err)
{
	int code = SYNC_GIT(r, NULL, err, "merge-base", "--is-ancestor", old, new);

	return code == 0 || code == 1 ?
	    !code :
	    (code < 0 ? -1 : err_set(err, ERR_SERVICE_UNAVAILABLE, "git cannot compare commits"));
}

/* The keys, the audit and the state of a node are its own: no commit brings others. */
static int
check_state(const struct sync_repo *r, const char *commit, struct err *err)
{
	const char *state = sync_git_path(r, ".carrel");
	struct buf out = { 0 };
	int result = SYNC_GIT_MUST(r, &out, err, "ls-tree", "--full-tree", "--name-only", commit, "--", state);

	if (result == 0 && out.len > 0)
		result = err_set(err, ERR_INVALID_ARGUMENTS,
		    "the branch %s has files in %s, which is each node's own: take them out of it with `git rm -r`",
		    r->branch, state);
	buf_fini(&out);
	return result;
}

/* Move the branch and the working tree forward; edits that are not committed stay, or it is refused. */
static int
forward(const struct sync_repo *r, const char *commit, struct err *err)
{
	(void)fault_point("sync.forward");
	if (check_state(r, commit, err) != 0)
		return -1;
	return SYNC_GIT_MUST(r, NULL, err, "merge", "--ff-only", "--no-overwrite-ignore", "--quiet", "--no-stat",
	    commit);
}

/* 1: pushed; 0: the remote has moved, or refuses; -1. */
static int
push(const struct sync_repo *r, const char *ours, struct err *err)
{
	(void)fault_point("sync.push");
	return SYNC_GIT_MUST(r, NULL, err, "push", "--quiet", "--", r->remote,
		   arena_printf(r->arena, "%s:refs/heads/%s", ours, r->branch)) == 0 ?
	    1 :
	    0;
}

/* 1: both are the same now; 0: go on; -1. */
static int
take_step(struct sync_repo *r, struct sync_outcome *o, struct err *err)
{
	const char *theirs, *ours, *merged;
	int before, after;

	if (fetch(r, &theirs, err) != 0 || read_head(r, &ours, err) != 0)
		return -1;
	o->revision = ours;
	if (strcmp(ours, theirs) == 0)
		return 1;
	before = theirs[0] == '\0' ? 1 : is_before(r, theirs, ours, err);
	after = before != 0 ? 0 : is_before(r, ours, theirs, err);
	if (before < 0 || after < 0)
		return -1;
	if (before == 1) {
		o->pushed |= push(r, ours, err) == 1;
		return 0;
	}
	if (after == 0) {
		if (sync_merge(r, ours, theirs, &merged, &o->proposed, err) != 0)
			return -1;
		(void)fault_point("sync.merged");
		theirs = merged;
	}
	if (forward(r, theirs, err) != 0)
		return -1;
	o->pulled = true;
	return 0;
}

int
sync_round(struct sync_repo *r, struct sync_outcome *o, struct err *err)
{
	struct timespec pause = { 0, 0 };
	int done = 0;

	*o = (struct sync_outcome){ .revision = "" };
	r->record.begun++;
	if (write_record(r, err) != 0)
		return -1;
	for (int i = 0; i < TRIES && done == 0; i++) {
		/* Of several nodes that push at one time one is first; the others do not try again together. */
		pause.tv_nsec = i < 3 ? 0 : (long)(clock_ns() % (200 * CLOCK_MS));
		(void)nanosleep(&pause, NULL);
		err->message[0] = '\0';
		done = take_step(r, o, err);
	}
	if (done == 0 && err->message[0] == '\0')
		err_set(err, ERR_BUSY, "the remote changed each time before this node could push: try again");
	if (done != 1)
		return -1;
	r->record.done = r->record.begun;
	snprintf(r->record.served, sizeof(r->record.served), "%s", o->revision);
	return write_record(r, err);
}
