#include "workers/auth/store/store_shared.h"

#include "workers/auth/store/store_driver.h"

int
store_session_over(struct store *s, const uint8_t id[STORE_SESSION], uint64_t expires_s, struct err *err)
{
	uint64_t number;

	return store_count(STORE_GIVEN(s, STORE_SESSION_OVER, err, STORE_B(id, STORE_SESSION), STORE_N(expires_s)),
	    &number, err);
}

uint64_t
store_sessions_newest(struct store *s)
{
	return s->sessions_newest;
}

int
store_sessions_over(struct store *s, uint64_t after,
    void (*fn)(void *arg, const uint8_t id[STORE_SESSION], uint64_t expires_s), void *arg, uint64_t *newest,
    struct err *err)
{
	uint8_t id[STORE_SESSION];
	int found;

	/* Some thousands at a time: a whole day's may be many. */
	for (*newest = after;; after = *newest) {
		struct store_query *q = STORE_GIVEN(s, STORE_SESSIONS_OVER, err, STORE_N(after));

		for (; (found = store_look(q, err)) == 1; *newest = store_column_uint(q, 0))
			if (store_column_blob(q, 1, id, sizeof(id)))
				fn(arg, id, store_column_uint(q, 2));
		if (found != 0 || *newest == after)
			return found;
	}
}

int
store_task_keep(struct store *s, const struct store_task *t, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TASK_KEEP, err, STORE_S(t->id), STORE_B(t->owner.p, t->owner.len),
				STORE_T(s->node), STORE_N(t->status), STORE_S(t->message), STORE_N(t->created_ms),
				STORE_N(t->updated_ms), STORE_N(t->ttl_ms), STORE_N(t->large),
				STORE_B(t->outcome.p, t->outcome.len)),
	    NULL, err);
}

int
store_task_look(struct store *s, struct span id, struct span owner,
    void (*fn)(void *arg, const struct store_task *t), void *arg, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_TASK_LOOK, err, STORE_S(id), STORE_B(owner.p, owner.len));
	struct store_task t = { .id = id, .owner = owner };
	int found = store_look(q, err);

	if (found != 1)
		return found;
	t.node = store_column(q, 0);
	t.gone = store_column_uint(q, 1) != 0;
	t.status = store_column_uint(q, 2);
	t.message = store_column(q, 3);
	t.created_ms = store_column_uint(q, 4);
	t.updated_ms = store_column_uint(q, 5);
	t.large = store_column_uint(q, 6) != 0;
	t.outcome = store_column(q, 7);
	fn(arg, &t);
	return store_found(q);
}

int
store_task_cancel(struct store *s, struct span id, struct span owner, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TASK_CANCEL, err, STORE_S(id), STORE_B(owner.p, owner.len)), NULL,
	    err);
}

uint64_t
store_tasks_unwanted(struct store *s)
{
	return s->tasks_unwanted;
}

int
store_tasks_cancelled(struct store *s, void (*fn)(void *arg, struct span id), void *arg, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_TASKS_CANCELLED, err, STORE_T(s->node));
	int found;

	while ((found = store_look(q, err)) == 1)
		fn(arg, store_column(q, 0));
	s->tasks_unwanted = found == 0 ? 0 : s->tasks_unwanted;
	return found;
}

int
store_tasks_lost(struct store *s, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_TASKS_LOST, err, STORE_T(s->node)), NULL, err);
}
