#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "workers/memory/ingest/apply.h"
#include "workers/memory/ingest/consult.h"
#include "workers/memory/ingest/queue.h"
#include "workers/memory/ingest/shared_notes.h"
#include "workers/memory/ingest/work.h"
#include "workers/memory/worker.h"
#include "workers/shared/serve.h"

#define SAME_MS		UINT64_C(600000)	/* the same content within this time is the same run */
#define LOSSES_MAX	16u	/* of carrel-git in one commit */
#define COMMIT_NS	(120 * CLOCK_SECOND)
#define RETRY_NS	(200 * CLOCK_MS)	/* before a run repeats a question without an answer */
#define LIST_MAX	((size_t)64 << 20)

static void
wake(const struct queue *q)
{
	const uint64_t one = 1;

	if (q->wake >= 0 && write(q->wake, &one, sizeof(one)) < 0)
		log_debug("the wake counter is full");
}

void
queue_add(struct queue *q, struct run *r)
{
	*q->last = r;
	q->last = &r->next;
	r->next = NULL;
	q->nwaiting++;
	wake(q);
}

static void
drop_first(struct queue *q)
{
	struct run *r = q->first;

	if ((q->first = r->next) == NULL)
		q->last = &q->first;
	q->nwaiting--;
	run_free(r);
}

void
queue_remember(struct queue *q, const char *id)
{
	uint64_t now = clock_unix_ms();
	size_t kept = 0;

	for (size_t i = 0; i < q->nrecent; i++)
		if (run_time(q->recent[i].id) + SAME_MS > now)
			q->recent[kept++] = q->recent[i];
	q->nrecent = kept;
	q->recent = mem_grow(q->recent, q->nrecent, &q->cap, sizeof(*q->recent));
	snprintf(q->recent[q->nrecent++].id, RUN_ID_MAX, "%s", id);
}

/* A failed or reverted run is not reused for a later ingest of the same text. */
static void
queue_forget(struct queue *q, const char *id)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->nrecent; i++)
		if (strcmp(q->recent[i].id, id) != 0)
			q->recent[kept++] = q->recent[i];
	q->nrecent = kept;
}

const char *
queue_seen(const struct queue *q, const struct run *r)
{
	for (size_t i = 0; i < q->nrecent; i++)
		if (run_same(q->recent[i].id, r->id) && run_time(q->recent[i].id) + SAME_MS > r->at_ms)
			return q->recent[i].id;
	return NULL;
}

int
queue_lock(int state, unsigned tries)
{
	int fd = openat(state, "ingest.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (--tries == 0) {
			close(fd);
			return -1;
		}
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	return fd;
}

size_t
queue_records(int state, const char *place, struct arena *a, struct files_list *list)
{
	int dir;

	list->n = 0;
	if (files_open_dir(state, place, &dir) != FILES_OK)
		return 0;
	if (files_list(dir, a, list) != FILES_OK)
		list->n = 0;
	close(dir);
	return list->n;
}

bool
queue_id(const char *name, char id[RUN_ID_MAX])
{
	const char *dot = strstr(name, ".json");

	if (dot == NULL || dot[5] != '\0' || (size_t)(dot - name) >= RUN_ID_MAX)
		return false;
	snprintf(id, RUN_ID_MAX, "%.*s", (int)(dot - name), name);
	return run_time(id) != 0;
}

int
queue_resolve(int state, struct span id, char whole[RUN_ID_MAX], struct err *err)
{
	static const char *const places[] = { "runs", "queue" };
	struct arena *a = arena_new(LIST_MAX);
	struct files_list list;
	char each[RUN_ID_MAX], found[RUN_ID_MAX] = "";
	unsigned n = 0;

	for (size_t k = 0; k < 2 && id.len > 0; k++)
		for (size_t i = 0, names = queue_records(state, places[k], a, &list); i < names; i++) {
			const char *last;

			if (!queue_id(list.entries[i].name, each) || strcmp(each, found) == 0)
				continue;
			last = strrchr(each, '-') + 1;
			if (!span_is(span_of(each, strnlen(each, id.len)), id) &&
			    !span_is(span_of(last, strnlen(last, id.len)), id))
				continue;
			n++;
			snprintf(found, sizeof(found), "%s", each);
		}
	arena_free(a);
	snprintf(whole, RUN_ID_MAX, "%s", found);
	if (n == 0)
		return run_refuse_unknown(id, err);
	return n == 1 ? 0 :
			err_set(err, ERR_INVALID_ARGUMENTS, "%u memory runs begin with \"%.*s\"; give more of the id",
			    n, (int)(id.len < 100 ? id.len : 100), (const char *)id.p);
}

static void
find_runs(struct queue *q, int state, struct arena *a)
{
	static const char *const places[] = { "runs", "queue" };
	uint64_t now = clock_unix_ms();
	struct files_list list;
	char id[RUN_ID_MAX];
	struct run *r;
	struct err err;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0, n = queue_records(state, places[k], a, &list); i < n; i++) {
			if (!queue_id(list.entries[i].name, id))
				continue;
			if (k == 0 && run_time(id) + SAME_MS <= now)
				continue;
			if ((r = run_load(state, span_str(id), &err)) == NULL) {
				log_warn("%s", err.message);
				continue;
			}
			if (run_time(id) + SAME_MS > now && r->stage != RUN_ERROR && !r->reverted)
				queue_remember(q, id);
			if (k == 0) {
				run_free(r);
				continue;
			}
			r->resumed = true;
			queue_add(q, r);
		}
}

/*
 * Whether this is the only memory process of the project: all of them share alive.lock.  Journals are written without
 * the writers' lock, so only a single process may recover leftover ones.  *fd is kept open until the end.
 */
static bool
is_alone(int state, int *fd)
{
	bool alone;

	if ((*fd = openat(state, "alive.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
		return false;
	alone = flock(*fd, LOCK_EX | LOCK_NB) == 0;
	if (!alone)
		/* Another process holds the lock exclusively only while it starts. */
		for (unsigned i = 0; i < QUEUE_TRIES && flock(*fd, LOCK_SH | LOCK_NB) != 0; i++)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 5000000 }, NULL);
	return alone;
}

/* Remove the files that a writer left unfinished when it died. */
static void
sweep_places(const struct memory *m, int state, bool alone)
{
	static const char *const own[] = { "queue", "runs" };
	int lock = queue_lock(state, 1), place, dir;
	struct err err;

	if (lock < 0)
		return;
	for (const struct run *r = m->queue->first; r != NULL; r = r->next)
		if (r->stage == RUN_WRITE)
			apply_recover(m, r);
	for (size_t i = 0; alone && i < 2; i++)
		if (files_open_dir(state, own[i], &dir) == FILES_OK) {
			(void)atomic_sweep(dir, NULL);
			close(dir);
		}
	if ((place = memory_open_place(m, "wiki", &err)) >= 0) {
		if (files_open_dir(place, "global", &dir) == FILES_OK) {
			(void)atomic_sweep(dir, NULL);
			close(dir);
		}
		close(place);
	}
	if ((place = memory_open_place(m, "semantic-layer", &err)) >= 0) {
		for (size_t i = 0; i < m->nconnections; i++)
			if (files_open_dir(place, m->connections[i].id, &dir) == FILES_OK) {
				(void)atomic_sweep(dir, NULL);
				close(dir);
			}
		close(place);
	}
	close(lock);
}

void
queue_open(struct memory *m)
{
	struct queue *q = mem_new(1, sizeof(*q));
	struct arena *a;
	struct err err;
	bool alone;
	int state;

	m->queue = q;
	q->last = &q->first;
	q->alive = q->held = -1;
	q->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if ((state = memory_open_place(m, QUEUE_STATE, &err)) < 0)
		return;
	alone = is_alone(state, &q->alive);
	a = arena_new(LIST_MAX);
	find_runs(q, state, a);
	arena_free(a);
	sweep_places(m, state, alone);
	if (q->alive >= 0)
		(void)flock(q->alive, LOCK_SH | LOCK_NB);
	close(state);
}

void
queue_close(struct memory *m)
{
	if (m->queue == NULL)
		return;
	while (m->queue->first != NULL)
		drop_first(m->queue);
	if (m->queue->wake >= 0)
		close(m->queue->wake);
	if (m->queue->alive >= 0)
		close(m->queue->alive);
	if (m->queue->held >= 0)
		close(m->queue->held);
	free(m->queue->recent);
	free(m->queue);
	m->queue = NULL;
}

int
queue_watch(const struct memory *m)
{
	return m->queue->wake;
}

/* Asks the supervisor for the run's commit; the run continues after the answer. */
static void
ask_commit(struct queue *q, struct run *r)
{
	q->asked = r;
	q->asked_ns = clock_ns();
	q->answered = false;
	if (serve_commit(++q->serial, r->id) != 0) {
		work_committed(r,
		    &(struct ipc_committed){
			.outcome = IPC_COMMIT_LOST, .reason = SPAN("the supervisor does not listen") });
		q->answered = true;
	}
}

void
queue_committed(struct memory *m, const struct ipc_committed *msg)
{
	struct queue *q = m->queue;

	if (q->asked == NULL || q->answered || msg->serial != q->serial)
		return;
	/* carrel-git was killed: ask again, as a new one finds an existing commit. */
	if (msg->outcome == IPC_COMMIT_LOST && ++q->losses < LOSSES_MAX) {
		ask_commit(q, q->asked);
		return;
	}
	work_committed(q->asked, msg);
	q->answered = true;
	wake(q);
}

bool
queue_is_settled(struct queue *q)
{
	if (!q->answered && clock_ns() - q->asked_ns > COMMIT_NS) {
		work_committed(q->asked,
		    &(struct ipc_committed){ .outcome = IPC_COMMIT_LOST, .reason = SPAN("it took too long") });
		q->answered = true;
	}
	return q->answered;
}

bool
queue_go(struct memory *m, struct run *r, int state, struct err *err)
{
	struct queue *q = m->queue;

	if (q->asked == r) {
		if (!queue_is_settled(q))
			return false;
		q->asked = NULL;
	} else {
		if (work_write(m, r, state, err) != 0) {
			log_warn("run %s waits: %s", r->id, err->message);
			return false;
		}
		q->losses = 0;
		if (r->stage == RUN_COMMIT && work_has_files(r)) {
			ask_commit(q, r);
			if (!q->answered)
				return false;
			q->asked = NULL;
		}
	}
	if (work_finish(r, state) != 0)
		return false;
	if (r->reverted || (r->stage == RUN_ERROR && r->step == RUN_STEP_INGEST))
		queue_forget(q, r->id);
	return true;
}

/* Whether the record is still unfinished; another process may have finished it. */
static bool
still_waits(const struct run *r, int state)
{
	struct files_stamp stamp;
	char path[RUN_ID_MAX + 16];

	snprintf(path, sizeof(path), "queue/%s.json", r->id);
	return files_stat(state, path, &stamp, NULL) != FILES_MISSING;
}

void
queue_step(struct memory *m, int state)
{
	struct queue *q = m->queue;
	struct err err;

	/* A waiting run is still journaled in the queue; an ended one is not. */
	if (q->asked != q->first && !still_waits(q->first, state)) {
		drop_first(q);
	} else if (!queue_go(m, q->first, state, &err))
		return;
	else if (!run_owes_end(q->first))
		drop_first(q);
	if (q->first != NULL)
		wake(q);
}

/*
 * Lets the first run consult, without the lock: calls are served meanwhile.  False: it has to wait, or is no longer
 * the first.
 */
static bool
consult_first(struct memory *m, int state)
{
	struct queue *q = m->queue;
	struct run *r = q->first;
	bool ready;

	if (clock_ns() < q->not_before_ns)
		return false;
	if (!r->consulted && !still_waits(r, state)) {
		/* Another process has ended the run: queue_step() removes it. */
		r->consulted = true;
		return true;
	}
	ready = consult_run(m, r, state);
	q->not_before_ns = ready ? 0 : clock_ns() + RETRY_NS;
	return ready && q->first == r;
}

/* With an empty queue: a note from the store that nodes share. */
static void
take_shared(struct memory *m, int state)
{
	struct queue *q = m->queue;
	struct run *r;
	bool more;

	if (!m->shared || q->first != NULL || clock_ns() < q->asks_store_ns)
		return;
	r = shared_notes_take(m, state, &more);
	q->asks_store_ns = more ? 0 : clock_ns() + SHARED_NOTES_MS * CLOCK_MS;
	if (r != NULL)
		queue_add(q, r);
}

/* The first run is another node's now: undo what an earlier process changed, and forget it. */
static void
leave_first(struct memory *m, struct run *r, int state)
{
	int lock = queue_lock(state, 1);
	struct err err;

	if (lock < 0) {
		m->queue->not_before_ns = clock_ns() + RETRY_NS;
		return;
	}
	log_info("run %s is another node's now", r->id);
	if (r->stage == RUN_WRITE && apply_undo(m, r, &err) != 0)
		log_warn("run %s could not be taken back: %s", r->id, err.message);
	run_dequeue(r, state);
	if (m->queue->first == r)
		drop_first(m->queue);
	close(lock);
}

/* Whether the first run may change files; false: it waits for the store, or another node has it. */
static bool
may_first(struct memory *m, int state)
{
	struct queue *q = m->queue;
	struct run *r = q->first;

	switch (m->shared ? shared_notes_may(r) : SHARED_NOTES_GO) {
	case SHARED_NOTES_GO:
		r->permitted = true;
		return q->first == r;
	case SHARED_NOTES_GONE:
		leave_first(m, r, state);
		return false;
	default:
		q->not_before_ns = clock_ns() + RETRY_NS;
		return false;
	}
}

/* The first run has ended, and the store is told. */
static void
end_first(struct memory *m, int state)
{
	struct queue *q = m->queue;
	struct run *r = q->first;
	enum shared_notes_end end;
	struct err err;

	if (clock_ns() < q->not_before_ns)
		return;
	end = m->shared ? shared_notes_end(r, r->stage == RUN_DONE && work_has_files(r)) : SHARED_NOTES_OVER;
	(void)fault_point("memory.told");
	q->not_before_ns = end == SHARED_NOTES_LATER ? clock_ns() + RETRY_NS : 0;
	if (end == SHARED_NOTES_LATER || q->first != r)
		return;
	if (end == SHARED_NOTES_UNDO) {
		log_warn("run %s was released while this node was away: it is reverted here", r->id);
		if (work_begin(r, RUN_STEP_REVERT, state, &err) != 0)
			log_warn("run %s waits: %s", r->id, err.message);
	} else {
		run_dequeue(r, state);
		drop_first(q);
	}
	if (q->first != NULL)
		wake(q);
}

void
queue_idle(struct memory *m)
{
	struct queue *q = m->queue;
	uint64_t count;
	struct err err;
	int state;

	/* Also when no run waits: the commit of a run that a call finished wakes as well. */
	if (q->wake >= 0 && read(q->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		log_warn("the wake counter cannot be read");
	if (q->first == NULL && !m->shared)
		return;
	if ((state = memory_open_place(m, QUEUE_STATE, &err)) < 0)
		return;
	take_shared(m, state);
	if (q->first != NULL && q->asked == NULL && run_owes_end(q->first)) {
		end_first(m, state);
		close(state);
		return;
	}
	if (q->first == NULL || (q->asked == NULL && (!consult_first(m, state) || !may_first(m, state)))) {
		close(state);
		return;
	}
	/* Held while waiting for a commit, so that no other run writes in between. */
	if (q->held >= 0 || (q->held = queue_lock(state, 1)) >= 0) {
		queue_step(m, state);
		if (q->asked == NULL) {
			close(q->held);
			q->held = -1;
		}
	}
	close(state);
}

void
queue_hand_over(struct queue *q, struct run *r, int *lock)
{
	r->next = q->first;
	q->first = r;
	if (r->next == NULL)
		q->last = &r->next;
	q->nwaiting++;
	if (q->asked == r) {
		q->held = *lock;
		*lock = -1;
	}
	wake(q);
}
