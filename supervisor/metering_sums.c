#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "supervisor/metering_sums.h"

void
metering_ended(struct child *c, const struct death *d)
{
	struct metrics *m = c->sup->metrics;

	c->ended_by = death_reason(d);
	if (c->ended_by == METRIC_REASON_SYSCALL)
		metric_add(m, METRIC_SANDBOX_KILLS, metric_row_of_role(c->role), 1);
	if (c->role != IPC_FRONT)
		return;
	metrics_take(m, buf_view(&c->report), METRIC_BY_FRONT, METRIC_COUNTERS);
	buf_reset(&c->report, SIZE_MAX);
}

void
metering_restarted(struct child *c)
{
	metric_add(c->sup->metrics, METRIC_RESTARTS, metric_row_of_restart(c->role, c->ended_by), 1);
}

bool
metering_revision(const struct supervisor *sup, char commit[REPOSITORY_COMMIT + 1])
{
	struct repository *r = mem_alloc(sizeof(*r));
	bool known = repository_find(sup->project_dir, r, NULL) == 1 && repository_commit(r, commit);

	free(r);
	return known;
}

/* 52 bits, which every reader of numbers keeps. */
static uint64_t
revision_number(const struct supervisor *sup)
{
	char commit[REPOSITORY_COMMIT + 1];

	if (!metering_revision(sup, commit))
		return 0;
	commit[13] = '\0';
	return strtoull(commit, NULL, 16);
}

void
metering_pack(struct supervisor *sup, struct buf *out)
{
	struct metrics *sum = metrics_new();
	struct buf ours = { .max = 0 };
	const struct child *c;

	metrics_pack(sup->metrics, &ours);
	metrics_take(sum, buf_view(&ours), METRIC_BY_FRONT | METRIC_BY_SUPERVISOR, METRIC_ALL);
	TAILQ_FOREACH(c, &sup->children, entry) {
		if (c->role == IPC_FRONT)
			metrics_take(sum, buf_view(&c->report), METRIC_BY_FRONT, METRIC_ALL);
		else if (c->life.state != LIFE_LEAVING) {
			size_t row = metric_row_of_pool(sum, c->role, span_str(c->connection));

			metric_add(sum, METRIC_POOL_PROCESSES, row, 1);
			metric_add(sum, METRIC_POOL_SERVING, row, child_is_serving(c));
		}
	}
	metric_set(sum, METRIC_PROJECT_REVISION, 0, revision_number(sup));
	metrics_pack(sum, out);
	buf_fini(&ours);
	metrics_free(sum);
}
