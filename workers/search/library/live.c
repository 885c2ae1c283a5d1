#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "workers/search/library/library.h"
#include "workers/search/library/live.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

#define EVERY_NS	(60 * CLOCK_SECOND)
#define WAIT_NS		(700 * CLOCK_MS)	/* no caller waits for a slower database */

static bool
is_time(const struct connection *from)
{
	const struct live *l = &from->live;
	const struct schema *s = from->scans.schema;

	/* A scan that tells nothing of the structure (ktx's own) cannot be compared. */
	if (s == NULL || s->fingerprint == NULL || from->state == IPC_POOL_CONNECTING ||
	    from->state == IPC_POOL_UNAVAILABLE)
		return false;
	return l->sync == NULL || strcmp(l->sync, s->sync_id) != 0 || clock_ns() - l->asked_ns >= EVERY_NS;
}

void
live_look(struct call *c, struct connection *from)
{
	struct live *l = &from->live;
	struct mp_value result;
	struct span text = { NULL, 0 };
	struct err err;

	if (!is_time(from))
		return;
	/* Recorded before asking: a call that is served meanwhile must not ask a second time. */
	l->asked_ns = clock_ns();
	if (l->sync == NULL || strcmp(l->sync, from->scans.schema->sync_id) != 0) {
		free(l->sync);
		l->sync = mem_text(span_str(from->scans.schema->sync_id));
		l->fingerprint[0] = '\0';
	}
	if (call_sub(c, &(struct call_ask){ .tool = "fingerprint", .connection = span_str(from->id),
	    .deadline_ns = l->asked_ns + WAIT_NS }, &result, &err) == 0)
		text = mp_get_str(&result, "fingerprint", text);
	buf_reset(call_details(c), SIZE_MAX);
	snprintf(l->fingerprint, LIVE_TEXT, "%.*s", (int)(text.len < LIVE_TEXT ? text.len : 0), (const char *)text.p);
}

enum live_state
live_state(const struct connection *from)
{
	const struct live *l = &from->live;
	const struct schema *s = from->scans.schema;
	size_t version = strcspn(l->fingerprint, "-");

	if (s == NULL || s->fingerprint == NULL || l->sync == NULL || strcmp(l->sync, s->sync_id) != 0 ||
	    l->fingerprint[0] == '\0')
		return LIVE_UNKNOWN;
	/* Made in another way, they say nothing about each other. */
	if (strncmp(l->fingerprint, s->fingerprint, version + 1) != 0)
		return LIVE_UNKNOWN;
	return strcmp(l->fingerprint, s->fingerprint) == 0 ? LIVE_SAME : LIVE_CHANGED;
}
