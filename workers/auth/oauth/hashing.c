#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/auth/auth.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/shared/serve.h"

#define PATIENCE_NS	(UINT64_C(15) * CLOCK_SECOND)	/* enough for 17 checks and a restart */
#define TRIES		2				/* a job during which the process died twice is given up */

struct hashing_job {
	TAILQ_ENTRY(hashing_job)	 entry;
	uint64_t		 id, due_ns;
	unsigned		 tries;
	struct buf		 digest, password;
	hashing_done		*done;
	void			*arg;
};

struct hashing {
	TAILQ_HEAD(, hashing_job)	 jobs;		/* the first one was sent when `sent` */
	unsigned		 n;
	bool			 sent;
	uint64_t		 peer, last_id;	/* peer 0: carrel-pwhash is not attached */
};

struct hashing *
hashing_new(void)
{
	struct hashing *h = mem_new(1, sizeof(*h));

	TAILQ_INIT(&h->jobs);
	return h;
}

static void
job_end(struct auth *a, struct hashing_job *j, enum hashing_answer answer, const char *digest)
{
	struct hashing *h = a->hashing;
	hashing_done *done = j->done;
	void *arg = j->arg;

	TAILQ_REMOVE(&h->jobs, j, entry);
	h->n--;
	buf_fini(&j->digest);
	buf_wipe(&j->password);
	free(j);
	if (done != NULL)
		done(a, arg, answer, digest);
}

void
hashing_free(struct auth *a)
{
	struct hashing_job *j;

	if (a->hashing == NULL)
		return;
	while ((j = TAILQ_FIRST(&a->hashing->jobs)) != NULL)
		job_end(a, j, HASHING_LOST, "");
	free(a->hashing);
	a->hashing = NULL;
}

static void
send_first(struct auth *a)
{
	struct hashing *h = a->hashing;
	struct hashing_job *j = TAILQ_FIRST(&h->jobs);
	struct ipc_hash msg;

	if (j == NULL || h->sent || h->peer == 0)
		return;
	msg = (struct ipc_hash){ .digest = buf_view(&j->digest), .password = buf_view(&j->password) };
	j->tries++;
	h->sent = serve_send(h->peer, IPC_MSG_HASH, j->id, &msg) == 0;
}

bool
hashing_ask(struct auth *a, struct span digest, struct span password, hashing_done *done, void *arg)
{
	struct hashing *h = a->hashing;
	struct hashing_job *j;

	if (h->n > HASHING_WAITING)
		return false;
	j = mem_new(1, sizeof(*j));
	j->id = ++h->last_id;
	j->due_ns = clock_ns() + PATIENCE_NS;
	j->done = done;
	j->arg = arg;
	buf_span(&j->digest, digest);
	buf_reserve(&j->password, password.len); /* in one step: growing would leave copies of the password in memory */
	buf_span(&j->password, password);
	TAILQ_INSERT_TAIL(&h->jobs, j, entry);
	h->n++;
	send_first(a);
	return true;
}

void
hashing_forget(struct auth *a, const void *arg)
{
	struct hashing_job *j;

	TAILQ_FOREACH(j, &a->hashing->jobs, entry)
		if (j->arg == arg)
			j->done = NULL;
}

void
hashing_attached(struct auth *a, uint64_t peer)
{
	a->hashing->peer = peer;
	a->hashing->sent = false;
	send_first(a);
}

void
hashing_detached(struct auth *a, uint64_t peer)
{
	struct hashing *h = a->hashing;
	struct hashing_job *j = TAILQ_FIRST(&h->jobs);

	if (h->peer != peer)
		return;
	h->peer = 0;
	if (!h->sent)
		return;
	h->sent = false;
	if (j->tries >= TRIES)
		job_end(a, j, HASHING_LOST, "");
}

bool
hashing_take(struct auth *a, uint64_t id, const struct ipc_hashed *m)
{
	struct hashing *h = a->hashing;
	struct hashing_job *j = TAILQ_FIRST(&h->jobs);
	char digest[128];

	if (!h->sent || j == NULL || j->id != id)
		return false;
	h->sent = false;
	snprintf(digest, sizeof(digest), "%.*s", SPAN_FMT(m->digest));
	job_end(a, j, m->good != 0 ? HASHING_YES : HASHING_NO, digest);
	send_first(a);
	return true;
}

void
hashing_tend(struct auth *a, uint64_t now_ns)
{
	struct hashing *h = a->hashing;
	struct hashing_job *j, *next;

	for (j = TAILQ_FIRST(&h->jobs); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		/* A job that was sent ends with its answer, or with its process. */
		if (j->due_ns <= now_ns && !(h->sent && j == TAILQ_FIRST(&h->jobs)))
			job_end(a, j, HASHING_LOST, "");
	}
	send_first(a);
}
