#include "supervisor/synced.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "project/sync_record.h"
#include "supervisor/events.h"
#include "supervisor/post.h"

void
synced_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct child *auth;
	struct repository *r;
	struct sync_record rec = { .begun = 0 };

	if (now_ns - sup->synced_ns < CLOCK_SECOND || sup->cfg == NULL || sup->cfg->state_url == NULL ||
	    sup->cfg->sync_remote == NULL || (auth = events_hearer(sup)) == NULL)
		return;
	sup->synced_ns = now_ns;
	r = mem_alloc(sizeof(*r));
	if (repository_find(sup->project_dir, r, NULL) == 1)
		(void)sync_record_find(r->git_dir, &rec);
	free(r);
	post(auth, IPC_MSG_SYNCED,
	    &(struct ipc_synced){
		.begun = rec.begun, .done = rec.done, .served = span_str(rec.served), .remote = span_str(rec.remote) },
	    -1);
}
