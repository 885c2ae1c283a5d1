/* commit.c - carrel-git: one short-lived process for each commit that the memory worker asks for. */
#include <stdlib.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "project/repository.h"
#include "supervisor/errand.h"
#include "supervisor/configure.h"
#include "supervisor/post.h"
#include "ipc/control.h"

static int
commit_configure(struct supervisor *sup, const struct errand *e, struct configuration *out, uint64_t *outcome,
    struct err *err)
{
	struct repository *where = mem_alloc(sizeof(*where));
	int found = repository_find(sup->cfg->project_dir, where, err);

	(void)e;
	free(where);
	*outcome = found == 0 ? IPC_COMMIT_NO_REPOSITORY : IPC_COMMIT_REFUSED;
	if (found <= 0 || configure_pack(sup, sup->cfg, IPC_GIT, "", out, err) != 0)
		return -1;
	*outcome = IPC_COMMIT_LOST;
	return 0;
}

static void
commit_begin(const struct errand *e, const struct process *p)
{
	struct ipc_commit msg = { .serial = e->serial, .run = span_str(e->what) };

	(void)control_send(p->control, IPC_MSG_COMMIT, &msg, -1);
}

static bool
commit_answered(const struct errand *e, unsigned type, const union ipc_any *msg)
{
	if (type != IPC_MSG_COMMITTED || msg->committed.serial != e->serial)
		return false;
	if (e->from != NULL)
		post(e->from, IPC_MSG_COMMITTED, &msg->committed, -1);
	return true;
}

static void
commit_fail(struct child *from, uint64_t serial, uint64_t outcome, struct span reason)
{
	struct ipc_committed msg = { .serial = serial, .outcome = outcome, .reason = reason };

	post(from, IPC_MSG_COMMITTED, &msg, -1);
}

/* carrel-git waits 2 s for git's own locks.  When the supervisor ends first, the next start resumes the run. */
const struct errand_kind commit_kind = { .role = IPC_GIT, .life_ns = 60 * CLOCK_SECOND, .waiting_max = 64,
	.unable = IPC_COMMIT_REFUSED, .lost = IPC_COMMIT_LOST, .configure = commit_configure, .begin = commit_begin,
	.answered = commit_answered, .fail = commit_fail };
