#include <fcntl.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "project/paths.h"
#include "workers/memory/ingest/apply.h"
#include "workers/memory/ingest/compose.h"
#include "workers/memory/ingest/work.h"
#include "workers/memory/worker.h"
#include "workers/shared/serve.h"

#define ATTEMPTS_MAX	4u

/* The run changed nothing, as its outcome says.  A failure of a later step does not change the run's state. */
static void
fail_run(struct run *r, const struct err *why)
{
	r->stage = RUN_ERROR;
	log_warn("run %s: %s", r->id, why->message);
	if (r->step != RUN_STEP_INGEST)
		return;
	r->error = arena_span(r->arena, span_str(why->message[0] != '\0' ? why->message : err_text(why->code)));
	r->finished_ms = clock_unix_ms();
	for (size_t i = 0; i < r->changes.n; i++)
		r->changes.v[i].action = RUN_SKIPPED;
}

int
work_begin_again(const struct memory *m, struct run *r, int state, struct err *err)
{
	struct err why;

	r->resumed = false;
	if (++r->attempts > ATTEMPTS_MAX && r->stage < RUN_COMMIT) {
		err_set(err, ERR_INTERNAL, "the memory worker stopped %u times in this run; it was taken back",
		    ATTEMPTS_MAX);
		if (r->stage == RUN_WRITE && apply_undo(m, r, &why) != 0)
			err_set(err, ERR_INTERNAL,
			    "the memory worker stopped %u times in this run, and it could not be taken back: "
			    "%s",
			    ATTEMPTS_MAX, why.message);
		fail_run(r, err);
		return 0;
	}
	if (run_save(r, state, err) == 0)
		return 0;
	r->resumed = true;
	r->attempts--;
	return -1;
}

static int
save_or_wait(struct run *r, enum run_stage back, int state, struct err *err)
{
	if (run_save(r, state, err) == 0)
		return 0;
	r->stage = back;
	return -1;
}

/* Whether the directories for the run's changes exist. */
static bool
has_places(const struct memory *m, const struct run *r)
{
	int wiki = memory_open_place(m, "wiki", NULL), below = -1, layer = -1;
	bool found;

	if (wiki >= 0) {
		below = openat(wiki, "global", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(wiki);
	}
	if (r->connection.len > 0)
		layer = memory_open_place(m, "semantic-layer", NULL);
	found = below >= 0 && (r->connection.len == 0 || layer >= 0);
	if (below >= 0)
		close(below);
	if (layer >= 0)
		close(layer);
	return found;
}

/* Leaves a mark for the supervisor, to create the directories; false: the mark exists, or cannot be made. */
static bool
ask_for_places(int state)
{
	int fd = openat(state, PATHS_PLACES_WANTED, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int
compose_changes(const struct memory *m, struct run *r, int state, struct err *err)
{
	if (r->signals != 0 && !has_places(m, r) && ask_for_places(state)) {
		/*
		 * Only a new process may write there: the sandbox of this one is closed.  The supervisor creates them.
		 */
		serve_stop_after_call(EXIT_RECYCLE,
		    "the project has no place for what is to be kept; it is made for the next one");
		return err_set(err, ERR_SERVICE_UNAVAILABLE, "a place for it is made first");
	}
	if (compose_run(m, r, err) != 0) {
		fail_run(r, err);
		return 0;
	}
	r->stage = RUN_WRITE;
	return save_or_wait(r, RUN_VALIDATE, state, err);
}

int
work_write(const struct memory *m, struct run *r, int state, struct err *err)
{
	err->message[0] = '\0';
	if (r->resumed && r->stage < RUN_DONE && work_begin_again(m, r, state, err) != 0)
		return -1;
	if (r->stage < RUN_WRITE && compose_changes(m, r, state, err) != 0)
		return -1;
	(void)fault_point("memory.planned");
	if (r->stage == RUN_WRITE) {
		if (apply_step(m, r, err) != 0)
			fail_run(r, err);
		else
			r->stage = RUN_COMMIT;
		(void)fault_point("memory.applied");
		/* Journaled now, so that a later edit is recognised as such, even after a crash. */
		if (r->stage == RUN_COMMIT && work_has_files(r))
			return save_or_wait(r, RUN_WRITE, state, err);
	}
	return 0;
}

bool
work_has_files(const struct run *r)
{
	const struct run_changes *list = run_moves(r);

	for (size_t i = 0; i < list->n; i++)
		if (run_writes(&list->v[i]))
			return true;
	return false;
}

void
work_committed(struct run *r, const struct ipc_committed *msg)
{
	r->uncommitted = SPAN_NONE;
	if (msg->outcome == IPC_COMMIT_REFUSED || msg->outcome == IPC_COMMIT_LOST) {
		r->uncommitted =
		    arena_span(r->arena, msg->reason.len > 0 ? msg->reason : SPAN("carrel-git gave no reason"));
		log_warn("run %s was written and not committed: %.*s", r->id, SPAN_FMT(r->uncommitted));
	} else if (msg->commit.len > 0 && r->step == RUN_STEP_REVERT)
		r->revert_commit = arena_span(r->arena, msg->commit);
	else if (msg->commit.len > 0)
		r->commit = arena_span(r->arena, msg->commit);
}

/* Combines two changes of one file; false: together they change nothing. */
static bool
join_change(struct run_change *first, const struct run_change *then)
{
	struct run_side before, after, ignored;

	run_sides(first, false, &before, &ignored);
	run_sides(then, false, &ignored, &after);
	if (!before.there && !after.there)
		return false;
	first->action = !before.there ? RUN_CREATED : !after.there ? RUN_REMOVED : RUN_UPDATED;
	first->after = after.text;
	first->summary = then->summary;
	first->reason = then->reason;
	return true;
}

/* Joins the proposal and its approval into net changes: the final texts against those before the run. */
static void
join_moves(struct run *r)
{
	struct run_changes net;

	run_changes_begin(&net, r->arena, r->changes.n + r->moves.n + 1);
	for (size_t i = 0; i < r->changes.n; i++) {
		struct run_change c = r->changes.v[i];
		bool stays = run_writes(&c);

		for (size_t k = 0; k < r->moves.n; k++)
			if (stays && run_writes(&r->moves.v[k]) && span_is(r->moves.v[k].path, c.path))
				stays = join_change(&c, &r->moves.v[k]);
		if (stays)
			net.v[net.n++] = c;
	}
	for (size_t k = 0; k < r->moves.n; k++) {
		bool known = false;

		for (size_t i = 0; i < r->changes.n; i++)
			known = known ||
			    (run_writes(&r->moves.v[k]) && run_writes(&r->changes.v[i]) &&
				span_is(r->changes.v[i].path, r->moves.v[k].path));
		if (!known)
			net.v[net.n++] = r->moves.v[k];
	}
	r->changes = net;
	r->moves.n = 0;
}

int
work_finish(struct run *r, int state)
{
	struct err err;

	/* A later step failed: the record of the earlier one exists and stays valid. */
	if (r->stage == RUN_ERROR && r->step != RUN_STEP_INGEST) {
		run_dequeue(r, state);
		return 0;
	}
	if (r->stage == RUN_COMMIT) {
		if (r->step == RUN_STEP_INGEST)
			r->finished_ms = clock_unix_ms();
		else if (r->step == RUN_STEP_APPROVE) {
			join_moves(r);
			r->review = RUN_APPROVED;
		} else
			r->reverted = true;
		r->stage = RUN_DONE;
	}
	if (run_save(r, state, &err) != 0) {
		log_warn("the end of run %s is not on record yet: %s", r->id, err.message);
		return -1;
	}
	(void)fault_point("memory.recorded");
	if (!run_owes_end(r))
		run_dequeue(r, state);
	return 0;
}

int
work_begin(struct run *r, enum run_step step, int state, struct err *err)
{
	r->step = step;
	r->steps++;
	r->stage = RUN_WRITE;
	r->attempts = 0;
	return run_save(r, state, err);
}
