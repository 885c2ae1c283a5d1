#include "supervisor/synced.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "project/sync_record.h"
#include "supervisor/events.h"
#include "supervisor/household.h"
#include "supervisor/post.h"

/* Files came from another node: their connection is served from now on. */
static void
meet_imports(struct supervisor *sup)
{
	bool there = faccessat(sup->state_fd, "imports/" CONFIG_IMPORTS_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0,
	     met = false;

	for (size_t i = 0; i < sup->cfg->nconnections; i++)
		met = met || strcmp(sup->cfg->connections[i].id, CONFIG_IMPORTS) == 0;
	if (!there || met || sup->imports_met) {
		sup->imports_met = there;
		return;
	}
	sup->imports_met = true; /* once: a configuration that is wrong is told of once */
	log_info("files were imported on another node: the configuration is read again");
	household_reload(sup);
}

void
synced_tick(struct supervisor *sup, uint64_t now_ns)
{
	struct child *auth;
	struct repository *r;
	struct sync_record rec = { .begun = 0 };

	if (now_ns - sup->synced_ns < CLOCK_SECOND || sup->cfg == NULL || sup->cfg->state_url == NULL)
		return;
	sup->synced_ns = now_ns;
	if (sup->phase == PHASE_SERVING && sup->state_fd >= 0)
		meet_imports(sup);
	if (sup->cfg->sync_remote == NULL || (auth = events_hearer(sup)) == NULL)
		return;
	r = mem_alloc(sizeof(*r));
	if (repository_find(sup->project_dir, r, NULL) == 1)
		(void)sync_record_find(r->git_dir, &rec);
	free(r);
	post(auth, IPC_MSG_SYNCED,
	    &(struct ipc_synced){
		.begun = rec.begun, .done = rec.done, .served = span_str(rec.served), .remote = span_str(rec.remote) },
	    -1);
}
