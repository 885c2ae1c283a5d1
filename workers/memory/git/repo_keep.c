#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/log.h"
#include "ipc/messages.h"
#include "policy/acts.h"
#include "workers/memory/git/repo_keep.h"
#include "workers/shared/seccomp.h"
#include "workers/shared/probe.h"
#include "policy/profiles.h"

enum act { ACT_BEGIN, ACT_LOCK_INDEX, ACT_PUT_OBJECT, ACT_PUT_INDEX, ACT_MOVE, ACT_PROBE, ACT_END };

/* A packet of its own; texts end with a zero byte. */
struct keep_request {
	uint32_t	act, probe, part;	/* ACT_PROBE: the act of policy/acts.def, and the process to try it */
	char		was[REPO_HEX + 1], next[REPO_HEX + 1];	/* next: the object's name as well */
	char		who[512], line[128];
	char		path[4200];		/* of a probe */
};

#define NOT_HELD	"the repository is not held"

struct reply {
	int32_t		result;
	uint32_t	code;		/* of the error */
	char		text[4200];	/* of the error; the branch; an errno of a probe; at the start, the work directory */
};

static bool
send_reply(int fd, int result, const struct err *err, const char *text)
{
	struct reply r = { .result = result, .code = result == 0 ? 0 : (uint32_t)err->code };

	snprintf(r.text, sizeof(r.text), "%s", result == 0 ? text : err->message);
	return send(fd, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r);
}

static bool
take_request(int fd, struct keep_request *q)
{
	ssize_t n;

	do
		n = recv(fd, q, sizeof(*q), MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*q))
		return false;
	q->was[sizeof(q->was) - 1] = q->next[sizeof(q->next) - 1] = '\0';
	q->who[sizeof(q->who) - 1] = q->line[sizeof(q->line) - 1] = q->path[sizeof(q->path) - 1] = '\0';
	return true;
}

static bool
receive_reply(int fd, struct reply *r)
{
	ssize_t n;

	do
		n = recv(fd, r, sizeof(*r), 0);
	while (n < 0 && errno == EINTR);
	r->text[sizeof(r->text) - 1] = '\0';
	return n == (ssize_t)sizeof(*r);
}

/* Answers with the errno of the act; 0: it succeeded. */
static bool
probe_keeper(int fd, const struct policy_profile *p, const struct keep_request *q)
{
	char text[16];
	int error = policy_act_permitted(p, q->probe) ? -1 : probe_try(q->probe, span_str(q->path));

	snprintf(text, sizeof(text), "%d", error);
	return send_reply(fd, 0, NULL, text);
}

static int
hand_act(struct repo_place *p, const struct keep_request *q, struct err *err)
{
	if (q->act == ACT_BEGIN)
		return p->mark[0] < 0 ? repo_place_hold(p, err) :
					err_set(err, ERR_INTERNAL, "the repository is held already");
	if (p->mark[0] < 0)
		return err_set(err, ERR_INTERNAL, NOT_HELD);
	switch (q->act) {
	case ACT_LOCK_INDEX:
		return p->index_locked ? 0 : repo_place_lock_index(p, err);
	case ACT_PUT_INDEX:
		return repo_place_put_index(p, err);
	default:
		return err_set(err, ERR_INTERNAL, "no act of a hand");
	}
}

/* The hand cleans up, whichever of the other processes ends first. */
static void
serve_as_hand(int fd, struct repo_place *p)
{
	const struct policy_profile *profile = policy_profile("git-hand");
	struct err err = { .code = ERR_NONE };
	struct keep_request q = { .act = ACT_BEGIN };
	bool on = true;

	while (on && take_request(fd, &q) && q.act != ACT_END)
		on = q.act == ACT_PROBE ? probe_keeper(fd, profile, &q) :
					  send_reply(fd, hand_act(p, &q, &err), &err, "");
	repo_place_end(p);
	if (q.act == ACT_END)
		(void)send_reply(fd, 0, &err, "");
}

struct keeper {
	struct repo_place	 place;		/* shared with the hand, without its marks and locks */
	int			 reader, hand;
	bool			 held;
};

/* Has the hand do the act.  Without the hand the act is not done. */
static int
pass_on(struct keeper *k, const struct keep_request *q, struct reply *r, struct err *err)
{
	if (send(k->hand, q, sizeof(*q), MSG_NOSIGNAL) != (ssize_t)sizeof(*q) || !receive_reply(k->hand, r))
		_exit(EXIT_PEER);
	return r->result == 0 ? 0 : err_set(err, (enum err_code)r->code, "%s", r->text);
}

/* The hand gets the number of the act, and none of the reader's arguments. */
static int
have_done(struct keeper *k, enum act act, struct err *err)
{
	struct keep_request q = { .act = act };
	struct reply r;

	return pass_on(k, &q, &r, err);
}

static int
keeper_act(struct keeper *k, const struct keep_request *q, struct err *err)
{
	if (q->act == ACT_BEGIN) {
		if (have_done(k, ACT_BEGIN, err) != 0)
			return -1;
		k->held = true;
		return repo_place_head(&k->place, err);
	}
	if (!k->held)
		return err_set(err, ERR_INTERNAL, NOT_HELD);
	switch (q->act) {
	case ACT_LOCK_INDEX:
		k->place.index_locked = k->place.index_locked || have_done(k, ACT_LOCK_INDEX, err) == 0;
		return k->place.index_locked ? 0 : -1;
	case ACT_PUT_OBJECT:
		return repo_place_put_object(&k->place, q->next, err);
	case ACT_PUT_INDEX:
		return have_done(k, ACT_PUT_INDEX, err);
	case ACT_MOVE:
		return repo_place_move(&k->place, q->was, q->next, q->who, q->line, err);
	default:
		return err_set(err, ERR_INTERNAL, "no act of a keeper");
	}
}

static bool
probe_part(struct keeper *k, const struct keep_request *q)
{
	struct reply r;
	struct err err;

	if (q->part != IPC_PART_HAND)
		return probe_keeper(k->reader, policy_profile("git-keeper"), q);
	return pass_on(k, q, &r, &err) == 0 && send_reply(k->reader, 0, NULL, r.text);
}

static void
serve_as_keeper(struct keeper *k)
{
	struct err err = { .code = ERR_NONE };
	struct keep_request q;
	bool on = true;

	while (on && take_request(k->reader, &q) && q.act != ACT_END)
		on = q.act == ACT_PROBE ? probe_part(k, &q) :
					  send_reply(k->reader, keeper_act(k, &q, &err), &err, k->place.branch);
	if (on && q.act == ACT_END)
		(void)send_reply(k->reader, have_done(k, ACT_END, &err), &err, "");
}

static int
repo_keep_confine(const char *name, const struct repo_place *p, const struct repo_terms *terms, struct err *err)
{
	const struct policy_profile *profile = policy_profile(name);
	const struct confine_places places = {
		.git_dir = p->git_dir, .git_common_dir = p->common_dir, .git_work_dir = p->work_path
	};
	struct confine_report report;

	if (confine_files(profile, &places, terms->memory_max, terms->best_effort, 0, &report, err) != 0)
		return -1;
	/* The process that started it may be killed: the clean-up must still be done. */
	(void)prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	return confine_calls(profile, terms->best_effort, &report, err);
}

__attribute__((noreturn)) static void
be_keeper(int reader, int hand, const struct repo_place *p, const struct repo_terms *terms)
{
	struct keeper k = { .place = *p, .reader = reader, .hand = hand };
	struct err err = { .code = ERR_NONE };
	struct reply r;

	/* There is no keeper either if the hand could not be confined. */
	if (!receive_reply(hand, &r) ||
	    (r.result != 0 ? err_set(&err, (enum err_code)r.code, "%s", r.text) :
			     repo_keep_confine("git-keeper", p, terms, &err)) != 0) {
		(void)send_reply(reader, -1, &err, "");
		_exit(EXIT_CONFINEMENT);
	}
	if (send_reply(reader, 0, &err, p->work_path))
		serve_as_keeper(&k);
	_exit(0);
}

/* The hand keeps only the log of the reader's descriptors: no channel, and no environment. */
__attribute__((noreturn)) static void
be_hand(int reader, const char *git_dir, const char *common_dir, const struct repo_terms *terms)
{
	struct repo_place p = REPO_PLACE_NONE;
	struct err err = { .code = ERR_NONE };
	int ends[2], r;

	if (reader != CONTRACT_FD_CONTROL)
		close(CONTRACT_FD_CONTROL);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (repo_place_reach(&p, git_dir, common_dir, "", &err) != 0 || repo_place_make_work(&p, &err) != 0) {
		/* repo_keep_begin() reports why. */
		(void)send_reply(reader, 0, &err, "");
		repo_place_end(&p);
		_exit(0);
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		_exit(EXIT_PEER);
	switch (fork()) {
	case 0:
		close(ends[0]);
		be_keeper(reader, ends[1], &p, terms);
	case -1:
		repo_place_end(&p);
		_exit(EXIT_PEER);
	default:
		break;
	}
	close(ends[1]);
	/* The reader's channel stays open here: when it closes, everything is cleaned up. */
	r = repo_keep_confine("git-hand", &p, terms, &err);
	if (send_reply(ends[0], r, &err, "") && r == 0)
		serve_as_hand(ends[0], &p);
	else
		repo_place_end(&p);
	_exit(0);
}

/* Without the keeper the outcome of an act is unknown, so there is no answer: the process ends. */
static void
take_reply(int fd, struct reply *r)
{
	if (!receive_reply(fd, r)) {
		log_error("the keeper of the repository is gone");
		_exit(EXIT_PEER);
	}
}

static int
ask_keeper(int fd, const struct keep_request *q, struct reply *r, struct err *err)
{
	if (send(fd, q, sizeof(*q), MSG_NOSIGNAL) != (ssize_t)sizeof(*q))
		r->result = -1;
	take_reply(fd, r);
	return r->result == 0 ? 0 : err_set(err, (enum err_code)r->code, "%s", r->text);
}

static int
ask_to(const struct repo_place *p, enum act act, const char *name, struct err *err)
{
	struct keep_request q = { .act = act };
	struct reply r;

	snprintf(q.next, sizeof(q.next), "%s", name);
	return ask_keeper(p->keeper, &q, &r, err);
}

int
repo_keep_start(struct repo_keeper *k, const char *git_dir, const char *common_dir, const struct repo_terms *terms,
    struct err *err)
{
	struct reply r;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_set(err, ERR_INTERNAL, "no channel to a keeper: %s", strerror(errno));
	if ((pid = fork()) == 0) {
		close(ends[0]);
		be_hand(ends[1], git_dir, common_dir, terms);
	}
	close(ends[1]);
	k->fd = ends[0];
	if (pid < 0) {
		close(ends[0]);
		return err_set(err, ERR_INTERNAL, "no keeper: %s", strerror(errno));
	}
	take_reply(k->fd, &r);
	if (r.result != 0) {
		close(k->fd);
		k->fd = -1;
		return err_set(err, (enum err_code)r.code, "%s", r.text);
	}
	snprintf(k->work_path, sizeof(k->work_path), "%s", r.text);
	return 0;
}

int
repo_keep_probe(const struct repo_keeper *k, unsigned part, unsigned act, struct span path)
{
	struct keep_request q = { .act = ACT_PROBE, .part = part, .probe = act };
	struct reply r;
	struct err err;

	if (path.len >= sizeof(q.path))
		return -1;
	if (path.len > 0)
		memcpy(q.path, path.p, path.len);
	return ask_keeper(k->fd, &q, &r, &err) == 0 ? atoi(r.text) : -1;
}

void
repo_keep_stop(struct repo_keeper *k)
{
	const struct keep_request q = { .act = ACT_END };
	struct reply r;

	/* A keeper that has already gone has cleaned up. */
	if (send(k->fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q))
		(void)!recv(k->fd, &r, sizeof(r), 0);
	close(k->fd);
	k->fd = -1;
}

int
repo_keep_begin(struct repo_place *p, const struct repo_keeper *k, struct err *err)
{
	struct keep_request q = { .act = ACT_BEGIN };
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
	struct keep_request q = { .act = ACT_MOVE };
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
	/* Locks and files belong to the keeper, and repo_keep_stop() removes them. */
	if (p->work >= 0)
		close(p->work);
	if (p->git >= 0)
		close(p->git);
	if (p->common >= 0)
		close(p->common);
}
