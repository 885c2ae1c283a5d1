/*
 * ingest.c - see ingest.h.
 *
 * A call journals its run and answers; the run itself is idle work, one a
 * step.  Only while its call is open can other workers be asked, so search and
 * the compiler are asked then, after the journal and before the answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/utf8.h"
#include "project/atomic.h"
#include "project/files.h"
#include "workers/memory/apply.h"
#include "workers/memory/compose.h"
#include "workers/memory/ingest.h"
#include "workers/memory/measure.h"
#include "workers/memory/page.h"
#include "workers/memory/run.h"
#include "workers/memory/work.h"

#define STATE		".carrel/memory"
#define SAME_MS		UINT64_C(600000)	/* the same content within is the same run */
#define WAITING_MAX	1000u
#define CONTENT_MAX	(256u << 10)
#define ASK_NS		(UINT64_C(2000) * CLOCK_MS)
#define LOSSES_MAX	16u	/* of carrel-git in one commit */
#define COMMIT_NS	(120 * CLOCK_SECOND)
#define WAIT_MS		2	/* between looks whether a commit was made */
#define LOCK_TRIES	200
#define LIST_MAX	((size_t)64 << 20)

struct recent {
	char	id[RUN_ID_MAX];
};

struct ingest {
	int		 wake;		/* an eventfd, readable while runs wait */
	int		 alive;		/* a lock that all memory processes of the project share; -1: none */
	struct run	*first, **last;
	size_t		 nwaiting;
	struct recent	*recent;	/* ids of the last ten minutes */
	size_t		 nrecent, cap;
	int		 held;		/* the writers' lock while a commit is waited for; -1: not */
	struct run	*asked;		/* whose commit was asked for; NULL: nobody's */
	uint64_t	 serial, asked_ns;
	bool		 answered;
	unsigned	 losses;
};

/* --- runs that wait -------------------------------------------------------------------- */

static void
wake(const struct ingest *in)
{
	const uint64_t one = 1;

	if (in->wake >= 0 && write(in->wake, &one, sizeof(one)) < 0)
		log_debug("the wake counter is full");
}

static void
add_waiting(struct ingest *in, struct run *r)
{
	*in->last = r;
	in->last = &r->next;
	r->next = NULL;
	in->nwaiting++;
	wake(in);
}

static void
drop_first(struct ingest *in)
{
	struct run *r = in->first;

	if ((in->first = r->next) == NULL)
		in->last = &in->first;
	in->nwaiting--;
	run_free(r);
}

static void
remember(struct ingest *in, const char *id)
{
	uint64_t now = clock_unix_ms();
	size_t kept = 0;

	for (size_t i = 0; i < in->nrecent; i++)
		if (run_time(in->recent[i].id) + SAME_MS > now)
			in->recent[kept++] = in->recent[i];
	in->nrecent = kept;
	if (in->nrecent == in->cap) {
		in->cap = in->cap == 0 ? 64 : in->cap * 2;
		if ((in->recent = reallocarray(in->recent, in->cap, sizeof(*in->recent))) == NULL)
			abort();	/* out of memory */
	}
	snprintf(in->recent[in->nrecent++].id, RUN_ID_MAX, "%s", id);
}

/* A run that failed or was taken back is no answer to the same text once more. */
static void
forget(struct ingest *in, const char *id)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->nrecent; i++)
		if (strcmp(in->recent[i].id, id) != 0)
			in->recent[kept++] = in->recent[i];
	in->nrecent = kept;
}

/* The id of an equal run of the last ten minutes; NULL: none. */
static const char *
seen(const struct ingest *in, const struct run *r)
{
	for (size_t i = 0; i < in->nrecent; i++)
		if (run_same(in->recent[i].id, r->id) && run_time(in->recent[i].id) + SAME_MS > r->at_ms)
			return in->recent[i].id;
	return NULL;
}

/* One writer at a time, across processes.  -1: somebody else writes. */
static int
lock_project(int state, unsigned tries)
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

/* --- life -------------------------------------------------------------------------------- */

/* Names of records below .carrel/memory, in the order they came. */
static size_t
records(int state, const char *place, struct arena *a, struct files_list *list)
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

/* "mem-….json" without its end; false: no record's name. */
static bool
id_of(const char *name, char id[RUN_ID_MAX])
{
	const char *dot = strstr(name, ".json");

	if (dot == NULL || dot[5] != '\0' || (size_t)(dot - name) >= RUN_ID_MAX)
		return false;
	snprintf(id, RUN_ID_MAX, "%.*s", (int)(dot - name), name);
	return run_time(id) != 0;
}

static void
find_runs(struct ingest *in, int state, struct arena *a)
{
	static const char *const places[] = { "runs", "queue" };
	uint64_t now = clock_unix_ms();
	struct files_list list;
	char id[RUN_ID_MAX];
	struct run *r;
	struct err err;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0, n = records(state, places[k], a, &list); i < n; i++) {
			if (!id_of(list.entries[i].name, id))
				continue;
			if (k == 0 && run_time(id) + SAME_MS <= now)
				continue;
			if ((r = run_load(state, span_str(id), &err)) == NULL) {
				log_warn("%s", err.message);
				continue;
			}
			if (run_time(id) + SAME_MS > now && r->stage != RUN_ERROR && !r->reverted)
				remember(in, id);
			if (k == 0) {
				run_free(r);
				continue;
			}
			r->resumed = true;
			add_waiting(in, r);
		}
}

/*
 * Journals are written outside the lock of the writers, so only a process that
 * is alone may tell what was left there: all of them hold alive.lock together.
 * True when there is no other; *fd is kept until the end.
 */
static bool
is_alone(int state, int *fd)
{
	bool alone;

	if ((*fd = openat(state, "alive.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
		return false;
	alone = flock(*fd, LOCK_EX | LOCK_NB) == 0;
	if (!alone)
		/* Held alone only as long as a start takes. */
		for (unsigned i = 0; i < LOCK_TRIES && flock(*fd, LOCK_SH | LOCK_NB) != 0; i++)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 5000000 }, NULL);
	return alone;
}

/* What a writer that died left in the directories it writes to. */
static void
sweep_places(const struct memory *m, int state, bool alone)
{
	static const char *const own[] = { "queue", "runs" };
	int lock = lock_project(state, 1), place, dir;
	struct err err;

	if (lock < 0)
		return;
	for (const struct run *r = m->ingest->first; r != NULL; r = r->next)
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
ingest_open(struct memory *m)
{
	struct ingest *in = calloc(1, sizeof(*in));
	struct arena *a;
	struct err err;
	bool alone;
	int state;

	if (in == NULL)
		abort();	/* out of memory */
	m->ingest = in;
	in->last = &in->first;
	in->alive = in->held = -1;
	in->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if ((state = memory_open_place(m, STATE, &err)) < 0)
		return;
	alone = is_alone(state, &in->alive);
	a = arena_new(LIST_MAX);
	find_runs(in, state, a);
	arena_free(a);
	sweep_places(m, state, alone);
	if (in->alive >= 0)
		(void)flock(in->alive, LOCK_SH | LOCK_NB);
	close(state);
}

void
ingest_close(struct memory *m)
{
	if (m->ingest == NULL)
		return;
	while (m->ingest->first != NULL)
		drop_first(m->ingest);
	if (m->ingest->wake >= 0)
		close(m->ingest->wake);
	if (m->ingest->alive >= 0)
		close(m->ingest->alive);
	if (m->ingest->held >= 0)
		close(m->ingest->held);
	free(m->ingest->recent);
	free(m->ingest);
	m->ingest = NULL;
}

int
ingest_watch(const struct memory *m)
{
	return m->ingest->wake;
}

/* --- a run --------------------------------------------------------------------------------- */

/* Ask for the run's commit; it goes on when the answer is there. */
static void
ask_commit(struct ingest *in, struct run *r)
{
	in->asked = r;
	in->asked_ns = clock_ns();
	in->answered = false;
	if (child_commit(++in->serial, r->id) != 0) {
		work_committed(r, &(struct ipc_committed){ .outcome = COMMIT_LOST, .reason = SPAN("the supervisor does not listen") });
		in->answered = true;
	}
}

void
ingest_committed(struct memory *m, const struct ipc_committed *msg)
{
	struct ingest *in = m->ingest;

	if (in->asked == NULL || in->answered || msg->serial != in->serial)
		return;
	/* carrel-git was killed: another one finds out how far it came. */
	if (msg->outcome == COMMIT_LOST && ++in->losses < LOSSES_MAX) {
		ask_commit(in, in->asked);
		return;
	}
	work_committed(in->asked, msg);
	in->answered = true;
	wake(in);
}

/* Whether the commit that was asked for is settled; one that nobody answers is given up. */
static bool
is_settled(struct ingest *in)
{
	if (!in->answered && clock_ns() - in->asked_ns > COMMIT_NS) {
		work_committed(in->asked, &(struct ipc_committed){ .outcome = COMMIT_LOST, .reason = SPAN("it took too long") });
		in->answered = true;
	}
	return in->answered;
}

/*
 * One go at a run: true when its step has ended and is on record.  *err says
 * how it failed, if it did.
 */
static bool
go(struct memory *m, struct run *r, int state, struct err *err)
{
	struct ingest *in = m->ingest;

	if (in->asked == r) {
		if (!is_settled(in))
			return false;
		in->asked = NULL;
	} else {
		if (work_write(m, r, state, err) != 0) {
			log_warn("run %s waits: %s", r->id, err->message);
			return false;
		}
		in->losses = 0;
		if (r->stage == RUN_COMMIT && work_has_files(r)) {
			ask_commit(in, r);
			if (!in->answered)
				return false;
			in->asked = NULL;
		}
	}
	if (work_finish(r, state) != 0)
		return false;
	if (r->reverted || (r->stage == RUN_ERROR && r->step == RUN_STEP_INGEST))
		forget(in, r->id);
	return true;
}

/* Whether the record is still to be worked on; another process may have been at it. */
static bool
still_waits(const struct run *r, int state)
{
	struct files_stamp stamp;
	char path[RUN_ID_MAX + 16];

	snprintf(path, sizeof(path), "queue/%s.json", r->id);
	return files_stat(state, path, &stamp, NULL) != FILES_MISSING;
}

/* The first of those that wait, as far as it goes now. */
static void
step(struct memory *m, int state)
{
	struct ingest *in = m->ingest;
	struct err err;

	/* One that waits has at least its place in the queue; an ended one only failed to be recorded. */
	if (in->asked != in->first && !still_waits(in->first, state)) {
		drop_first(in);
	} else if (!go(m, in->first, state, &err))
		return;
	else
		drop_first(in);
	if (in->first != NULL)
		wake(in);
}

void
ingest_idle(struct memory *m)
{
	struct ingest *in = m->ingest;
	uint64_t count;
	struct err err;
	int state;

	if (in->first == NULL)
		return;
	if (in->wake >= 0 && read(in->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		log_warn("the wake counter cannot be read");
	if ((state = memory_open_place(m, STATE, &err)) < 0)
		return;
	/* Kept over the wait for a commit: nobody else writes in between. */
	if (in->held >= 0 || (in->held = lock_project(state, 1)) >= 0) {
		step(m, state);
		if (in->asked == NULL) {
			close(in->held);
			in->held = -1;
		}
	}
	close(state);
}

/* --- memory_ingest --------------------------------------------------------------------------- */

static int
ignore_rows(void *arg, const struct mp_value *rows, struct err *err)
{
	(void)arg;
	(void)rows;
	(void)err;
	return 0;
}

static void
ask_search(struct call *c, struct run *r, const struct note *note)
{
	static const char place[] = "wiki/global/";
	struct buf args = { 0 };
	struct mp_value result, list, each;
	struct err err;

	mp_put_map(&args, 2);
	mp_put_cstr(&args, "query");
	mp_put_str(&args, note->title);
	mp_put_cstr(&args, "limit");
	mp_put_uint(&args, 5);
	if (call_sub(c, "wiki_search", SPAN(""), buf_view(&args), clock_ns() + ASK_NS, ignore_rows, NULL, NULL, &result,
	    &err) == 0 && mp_get(&result, "results", &list) && list.class == MP_ARRAY)
		for (struct mp_iter it = mp_iter(&list); mp_next(&it, &each) && r->npages < RUN_PAGES_MAX; ) {
			struct span path = mp_get_str(&each, "path", SPAN(""));

			if (path.len > sizeof(place) && memcmp(path.p, place, sizeof(place) - 1) == 0)
				r->pages[r->npages++] = arena_span(r->arena, mp_get_str(&each, "key", SPAN("")));
		}
	buf_fini(&args);
}

/* The proposal as a query of no rows: it compiles, and the database takes it. */
static void
ask_compiler(struct call *c, struct run *r, const struct measure *m)
{
	struct buf args = { 0 };
	struct mp_value result;
	struct err err = { .code = ERR_NONE };

	mp_put_map(&args, m->filter.len > 0 ? 4 : 3);
	mp_put_cstr(&args, "connectionId");
	mp_put_str(&args, r->connection);
	mp_put_cstr(&args, "measures");
	mp_put_array(&args, 1);
	mp_put_map(&args, 2);
	mp_put_cstr(&args, "expr");
	mp_put_str(&args, m->asked);
	mp_put_cstr(&args, "name");
	mp_put_str(&args, m->name);
	mp_put_cstr(&args, "limit");
	mp_put_uint(&args, 0);
	if (m->filter.len > 0) {
		mp_put_cstr(&args, "filters");
		mp_put_array(&args, 1);
		mp_put_str(&args, m->asked_filter);
	}
	if (call_sub(c, "sl_query", SPAN(""), buf_view(&args), clock_ns() + ASK_NS, ignore_rows, NULL, NULL, &result,
	    &err) == 0)
		r->tried = true;
	else if (err.code == ERR_INVALID_QUERY || err.code == ERR_DATABASE_ERROR || err.code == ERR_INVALID_SQL ||
	    err.code == ERR_FORBIDDEN_SQL || err.code == ERR_INVALID_ARGUMENTS || err.code == ERR_SCOPE_DENIED) {
		r->tried = true;
		r->refused = arena_span(r->arena, span_str(err.message));
	} else
		log_warn("run %s: its measure was not tried: %s", r->id, err.message);
	buf_fini(&args);
}

static void
ask(struct call *c, struct run *r)
{
	struct measure measure;
	struct note note;

	if (note_read(r->arena, r->content, &note) != 0)
		return;
	ask_search(c, r, &note);
	if (r->connection.len > 0 && measure_read(r->arena, r->content, note.title, &measure, NULL) > 0)
		ask_compiler(c, r, &measure);
}

static void
answer(struct call *c, const char *id)
{
	struct buf out = { 0 };

	mp_put_map(&out, 1);
	mp_put_cstr(&out, "runId");
	mp_put_cstr(&out, id);
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

static int
read_args(struct call *c, const struct mp_value *args, struct run *r, struct err *err)
{
	const struct memory *m = call_state(c);
	struct span connection = mp_get_str(args, "connectionId", SPAN(""));

	if (connection.len > 0 && memory_connection(m, connection) == NULL)
		return err_set(err, ERR_CONNECTION_NOT_FOUND, "There is no connection \"%.*s\"; connection_list names them.",
		    (int)(connection.len < 128 ? connection.len : 128), (const char *)connection.p);
	if (mp_get_str(args, "content", SPAN("")).len > CONTENT_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "content is larger than %u KiB; keep what matters, in several parts",
		    CONTENT_MAX >> 10);
	r->at_ms = clock_unix_ms();
	r->principal = arena_span(r->arena, call_principal(c));
	r->connection = arena_span(r->arena, connection);
	r->content = arena_span(r->arena, mp_get_str(args, "content", SPAN("")));
	run_identify(r);
	return 0;
}

/* On record, and in the queue.  NULL: *id names an equal run, or -- with *id NULL -- *err says why not. */
static struct run *
accept_run(struct call *c, const struct mp_value *args, const char **id, struct err *err)
{
	struct memory *m = call_state(c);
	struct run *r = run_new();
	int state = -1;

	*id = NULL;
	if (read_args(c, args, r, err) != 0)
		goto out;
	if ((*id = seen(m->ingest, r)) != NULL)
		goto out;
	if (m->ingest->nwaiting >= WAITING_MAX) {
		err_set(err, ERR_BUSY, "%u runs are waiting; try again", WAITING_MAX);
		goto out;
	}
	if ((state = memory_open_place(m, STATE, err)) < 0 || run_accept(r, state, err) != 0)
		goto out;
	close(state);
	remember(m->ingest, r->id);
	*id = r->id;
	add_waiting(m->ingest, r);
	return r;
out:
	if (state >= 0)
		close(state);
	run_free(r);
	return NULL;
}

int
ingest_run(struct call *c, const struct mp_value *args, struct err *err)
{
	const char *id;
	struct run *r = accept_run(c, args, &id, err);

	if (r == NULL && id == NULL)
		return -1;
	/* What came meanwhile from the same caller was only put on record; it is asked for here. */
	for (; r != NULL; r = r->next)
		if (span_is(r->principal, call_principal(c)) && r->stage == RUN_QUEUED) {
			ask(c, r);
			r->stage = RUN_VALIDATE;
		}
	answer(c, id);
	return 0;
}

int
ingest_meanwhile(struct call *c, const struct mp_value *args, struct err *err)
{
	const char *id;

	if (accept_run(c, args, &id, err) == NULL && id == NULL)
		return -1;
	answer(c, id);
	return 0;
}

/* --- looking and taking back -------------------------------------------------------------------- */

/* The run as it stands; *mine when it is to be freed. */
static const struct run *
find_run(const struct memory *m, struct span id, struct run **mine, struct err *err)
{
	int state;

	*mine = NULL;
	for (const struct run *r = m->ingest->first; r != NULL; r = r->next)
		if (span_is_str(id, r->id))
			return r;
	if ((state = memory_open_place(m, STATE, err)) < 0)
		return NULL;
	*mine = run_load(state, id, err);
	close(state);
	return *mine;
}

static int
show(struct call *c, const struct mp_value *args, enum run_detail detail, struct err *err)
{
	struct run *mine;
	const struct run *r = find_run(call_state(c), mp_get_str(args, "runId", SPAN("")), &mine, err);
	struct buf out = { 0 };

	if (r == NULL)
		return -1;
	run_put(r, detail, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	run_free(mine);
	return 0;
}

int
ingest_status(struct call *c, const struct mp_value *args, struct err *err)
{
	return show(c, args, RUN_STATUS, err);
}

int
ingest_show(struct call *c, const struct mp_value *args, struct err *err)
{
	return show(c, args, RUN_ALL, err);
}

int
ingest_log(struct call *c, const struct mp_value *args, struct err *err)
{
	const struct memory *m = call_state(c);
	uint64_t limit = mp_get_uint(args, "limit", 20), n = 0;
	struct buf out = { 0 };
	struct files_list list;
	char id[RUN_ID_MAX];
	struct run *r;
	size_t mark;
	int state;

	if ((state = memory_open_place(m, STATE, err)) < 0)
		return -1;
	mp_put_map(&out, 2);
	mp_put_cstr(&out, "waiting");
	mp_put_uint(&out, m->ingest->nwaiting);
	mp_put_cstr(&out, "runs");
	mark = mp_open_array(&out);
	for (size_t i = records(state, "runs", call_arena(c), &list); i-- > 0 && n < limit; ) {
		if (!id_of(list.entries[i].name, id) || (r = run_load(state, span_str(id), NULL)) == NULL)
			continue;
		run_put(r, RUN_LOG, &out);
		run_free(r);
		n++;
	}
	mp_close(&out, mark, n);
	close(state);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

/* Whether the step can be made on the run, and what it moves. */
static int
prepare(struct call *c, struct run *r, enum run_step step, struct err *err)
{
	struct measure measure;
	struct note note;

	if (r->stage != RUN_DONE)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the run %s is not done, so there is nothing to %s", r->id,
		    step == RUN_STEP_REVERT ? "take back" : "approve");
	if (r->reverted)
		return err_set(err, ERR_INVALID_ARGUMENTS, "the run %s was taken back before", r->id);
	if (step == RUN_STEP_REVERT)
		return 0;
	if (r->review != RUN_PROPOSED)
		return err_set(err, ERR_INVALID_ARGUMENTS, r->review == RUN_APPROVED ? "the run %s is approved already" :
		    "the run %s does not wait for approval", r->id);
	/* The model may be another one by now. */
	r->tried = false;
	r->refused = span_of(NULL, 0);
	if (r->connection.len > 0 && note_read(r->arena, r->content, &note) == 0 &&
	    measure_read(r->arena, r->content, note.title, &measure, NULL) > 0)
		ask_compiler(c, r, &measure);
	return compose_approval(call_state(c), r, err);
}

/* Until no commit is waited for, or the call must end. */
static int
await_commit(struct call *c, int state, struct err *err)
{
	struct memory *m = call_state(c);
	struct ingest *in = m->ingest;

	while (in->asked != NULL) {
		if (is_settled(in) && in->asked == in->first)
			step(m, state);
		else if (in->answered)
			return 0;
		if (in->asked != NULL && !call_wait(c, -1, false, WAIT_MS, err) && !call_poll(c, err))
			return -1;
	}
	if (in->held >= 0 && in->asked == NULL) {
		close(in->held);
		in->held = -1;
	}
	return 0;
}

/* The run goes on without its call: first in line, the lock with it. */
static void
hand_over(struct ingest *in, struct run *r, int *lock)
{
	r->next = in->first;
	in->first = r;
	if (r->next == NULL)
		in->last = &r->next;
	in->nwaiting++;
	if (in->asked == r) {
		in->held = *lock;
		*lock = -1;
	}
	wake(in);
}

/*
 * A step on a run that has ended, within the call.  1: it was handed over,
 * because the caller left or the journal cannot be written; *err says so.
 */
static int
take_step(struct call *c, struct run *r, enum run_step step, int state, int *lock, struct err *err)
{
	struct memory *m = call_state(c);
	struct ingest *in = m->ingest;
	struct err why = { .code = ERR_NONE };

	if (prepare(c, r, step, err) != 0 || work_begin(r, step, state, err) != 0)
		return -1;
	while (!go(m, r, state, &why)) {
		if (in->asked == r && (is_settled(in) || call_wait(c, -1, false, WAIT_MS, err)))
			continue;
		if (in->asked != r)
			err_set(err, ERR_SERVICE_UNAVAILABLE, "%s", why.message);
		hand_over(in, r, lock);
		return 1;
	}
	if (r->stage != RUN_ERROR)
		return 0;
	*err = why;
	return -1;
}

static int
step_on(struct call *c, const struct mp_value *args, enum run_step step, struct err *err)
{
	struct run *r = NULL;
	struct buf out = { 0 };
	int state, lock = -1, result = -1;

	if ((state = memory_open_place(call_state(c), STATE, err)) < 0)
		return -1;
	if (await_commit(c, state, err) != 0)
		goto out;
	if ((lock = lock_project(state, LOCK_TRIES)) < 0)
		err_set(err, ERR_BUSY, "another run is being written; try again");
	else if ((r = run_load(state, mp_get_str(args, "runId", SPAN("")), err)) != NULL)
		result = take_step(c, r, step, state, &lock, err);
	if (result == 0) {
		run_put(r, RUN_ALL, &out);
		call_result(c, buf_view(&out));
	}
	if (result <= 0)
		run_free(r);
out:
	buf_fini(&out);
	if (lock >= 0)
		close(lock);
	close(state);
	return result == 0 ? 0 : -1;
}

int
ingest_approve(struct call *c, const struct mp_value *args, struct err *err)
{
	return step_on(c, args, RUN_STEP_APPROVE, err);
}

int
ingest_revert(struct call *c, const struct mp_value *args, struct err *err)
{
	return step_on(c, args, RUN_STEP_REVERT, err);
}
