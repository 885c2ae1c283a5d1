/* fetch_errand.c - carrel-fetch: one short-lived process for each document that carrel-auth asks for. */
#include "base/system/clock.h"
#include "supervisor/errand.h"
#include "supervisor/configure.h"
#include "supervisor/post.h"

#define LIFE_NS	(10 * CLOCK_SECOND)	/* it gives up by itself after five, unless a name takes longer */

static int
fetch_configure(struct supervisor *sup, const struct errand *e, struct configuration *out, uint64_t *outcome,
    struct err *err)
{
	(void)outcome;
	return configure_pack(sup, sup->cfg, IPC_FETCH, e->what, out, err);
}

static bool
fetch_answered(const struct errand *e, unsigned type, const union ipc_any *msg)
{
	struct ipc_fetched answer = msg->fetched;

	if (type != IPC_MSG_FETCHED)
		return false;
	answer.serial = e->serial;
	if (e->from != NULL)
		post(e->from, IPC_MSG_FETCHED, &answer, -1);
	return true;
}

static void
fetch_fail(struct child *from, uint64_t serial, uint64_t outcome, struct span reason)
{
	struct ipc_fetched msg = { .serial = serial, .outcome = outcome, .reason = reason, .redirects = SPAN("\x90") };

	post(from, IPC_MSG_FETCHED, &msg, -1);
}

const struct errand_kind fetch_kind = { .role = IPC_FETCH, .life_ns = LIFE_NS, .waiting_max = 16,
	.unable = IPC_FETCH_UNFIT, .lost = IPC_FETCH_LOST, .configure = fetch_configure, .answered = fetch_answered,
	.fail = fetch_fail };
