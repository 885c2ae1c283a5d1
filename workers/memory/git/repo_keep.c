/* repo_keep.c - see repo_keep.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "ipc/contract.h"
#include "workers/memory/git/repo_keep.h"

enum act { ACT_BEGIN, ACT_LOCK_INDEX, ACT_PUT_OBJECT, ACT_PUT_INDEX, ACT_MOVE, ACT_END };

/* One packet each; texts end with a zero byte. */
struct request {
	uint32_t	act;
	char		was[REPO_HEX + 1], next[REPO_HEX + 1];	/* next: the object's name as well */
	char		who[512], line[128];
};

struct reply {
	int32_t		result;
	uint32_t	code;		/* of the error */
	char		text[4200];	/* of the error; the branch; at the start, the work directory */
};

/* --- the keeper --------------------------------------------------------------------- */

static int
act(struct repo_place *p, const struct request *q, struct err *err)
{
	if (q->act != ACT_BEGIN && p->mark[0] < 0)
		return err_set(err, ERR_INTERNAL, "the repository is not held");
	switch (q->act) {
	case ACT_BEGIN:
		return p->mark[0] < 0 ? repo_place_begin(p, err) : err_set(err, ERR_INTERNAL, "the repository is held already");
	case ACT_LOCK_INDEX:
		return p->index_locked ? 0 : repo_place_lock_index(p, err);
	case ACT_PUT_OBJECT:
		return repo_place_put_object(p, q->next, err);
	case ACT_PUT_INDEX:
		return repo_place_put_index(p, err);
	case ACT_MOVE:
		return repo_place_move(p, q->was, q->next, q->who, q->line, err);
	default:
		return err_set(err, ERR_INTERNAL, "no act of a keeper");
	}
}

static bool
send_reply(int fd, int result, const struct err *err, const char *text)
{
	struct reply r = { .result = result, .code = result == 0 ? 0 : (uint32_t)err->code };

	snprintf(r.text, sizeof(r.text), "%s", result == 0 ? text : err->message);
	return send(fd, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r);
}

static bool
take_request(int fd, struct request *q)
{
	ssize_t n;

	do
		n = recv(fd, q, sizeof(*q), MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*q))
		return false;
	q->was[sizeof(q->was) - 1] = q->next[sizeof(q->next) - 1] = '\0';
	q->who[sizeof(q->who) - 1] = q->line[sizeof(q->line) - 1] = '\0';
	return true;
}

static void
serve(int fd, const char *git_dir, const char *common_dir)
{
	struct repo_place p = REPO_PLACE_NONE;
	struct err err = { .code = ERR_NONE };
	struct request q = { .act = ACT_BEGIN };
	bool on;

	on = send_reply(fd, repo_place_reach(&p, git_dir, common_dir, "", &err) == 0 ? repo_place_make_work(&p, &err) : -1,
	    &err, p.work_path);
	while (on && p.git >= 0 && p.common >= 0 && take_request(fd, &q) && q.act != ACT_END)
		on = send_reply(fd, act(&p, &q, &err), &err, p.branch);
	repo_place_end(&p);
	if (q.act == ACT_END)
		(void)send_reply(fd, 0, &err, "");
}

/* Nothing of the reader's but the log: not its channel, no environment to act on. */
static void
be_keeper(int fd, const char *git_dir, const char *common_dir)
{
	if (fd != CONTRACT_FD_CONTROL)
		close(CONTRACT_FD_CONTROL);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	serve(fd, git_dir, common_dir);
	_exit(0);
}

/* --- asking it ------------------------------------------------------------------------ */

/* Without it nobody knows what came of an act: that is no answer, but an end. */
static void
take_reply(int fd, struct reply *r)
{
	ssize_t n;

	do
		n = recv(fd, r, sizeof(*r), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*r)) {
		log_error("the keeper of the repository is gone");
		_exit(EXIT_PEER);
	}
	r->text[sizeof(r->text) - 1] = '\0';
}

static int
ask_keeper(int fd, const struct request *q, struct reply *r, struct err *err)
{
	if (send(fd, q, sizeof(*q), MSG_NOSIGNAL) != (ssize_t)sizeof(*q))
		r->result = -1;
	take_reply(fd, r);
	return r->result == 0 ? 0 : err_set(err, (enum err_code)r->code, "%s", r->text);
}

static int
ask_to(const struct repo_place *p, enum act act, const char *name, struct err *err)
{
	struct request q = { .act = act };
	struct reply r;

	snprintf(q.next, sizeof(q.next), "%s", name);
	return ask_keeper(p->keeper, &q, &r, err);
}

int
repo_keep_start(struct repo_keeper *k, const char *git_dir, const char *common_dir, struct err *err)
{
	struct reply r;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_set(err, ERR_INTERNAL, "no channel to a keeper: %s", strerror(errno));
	if ((pid = fork()) == 0) {
		close(ends[0]);
		be_keeper(ends[1], git_dir, common_dir);
	}
	close(ends[1]);
	k->fd = ends[0];
	if (pid < 0) {
		close(ends[0]);
		return err_set(err, ERR_INTERNAL, "no keeper: %s", strerror(errno));
	}
	take_reply(k->fd, &r);
	snprintf(k->work_path, sizeof(k->work_path), "%s", r.result == 0 ? r.text : "");
	return 0;
}

void
repo_keep_stop(struct repo_keeper *k)
{
	const struct request q = { .act = ACT_END };
	struct reply r;

	/* One that is gone already has cleaned up. */
	if (send(k->fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q))
		(void)!recv(k->fd, &r, sizeof(r), 0);
	close(k->fd);
	k->fd = -1;
}

int
repo_keep_begin(struct repo_place *p, const struct repo_keeper *k, struct err *err)
{
	struct request q = { .act = ACT_BEGIN };
	struct reply r;

	if (k == NULL)
		return repo_place_begin(p, err);
	p->keeper = k->fd;
	if (ask_keeper(p->keeper, &q, &r, err) != 0)
		return -1;
	snprintf(p->branch, sizeof(p->branch), "%.*s", (int)sizeof(p->branch) - 1, r.text);
	snprintf(p->work_path, sizeof(p->work_path), "%s", k->work_path);
	if ((p->work = open(p->work_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_set(err, ERR_SERVICE_UNAVAILABLE, ".git cannot be written: %s", strerror(errno));
	return 0;
}

int
repo_keep_lock_index(struct repo_place *p, struct err *err)
{
	return p->keeper < 0 ? repo_place_lock_index(p, err) : ask_to(p, ACT_LOCK_INDEX, "", err);
}

int
repo_keep_put_object(struct repo_place *p, const char *hex, struct err *err)
{
	return p->keeper < 0 ? repo_place_put_object(p, hex, err) : ask_to(p, ACT_PUT_OBJECT, hex, err);
}

int
repo_keep_put_index(struct repo_place *p, struct err *err)
{
	return p->keeper < 0 ? repo_place_put_index(p, err) : ask_to(p, ACT_PUT_INDEX, "", err);
}

int
repo_keep_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err)
{
	struct request q = { .act = ACT_MOVE };
	struct reply r;

	if (p->keeper < 0)
		return repo_place_move(p, was, next, who, line, err);
	snprintf(q.was, sizeof(q.was), "%s", was);
	snprintf(q.next, sizeof(q.next), "%s", next);
	snprintf(q.who, sizeof(q.who), "%s", who);
	snprintf(q.line, sizeof(q.line), "%s", line);
	return ask_keeper(p->keeper, &q, &r, err);
}

void
repo_keep_end(struct repo_place *p)
{
	if (p->keeper < 0) {
		repo_place_end(p);
		return;
	}
	/* Its locks and files are the keeper's, and go with it: repo_keep_stop(). */
	if (p->work >= 0)
		close(p->work);
	if (p->git >= 0)
		close(p->git);
	if (p->common >= 0)
		close(p->common);
}
