#include <stdlib.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "base/utf8.h"
#include "supervisor/events.h"
#include "supervisor/post.h"

#define REASON_MAX	256

/* Packed entries that wait, oldest first. */
struct events {
	struct buf	list[EVENTS_MAX];
	size_t		n;
	uint64_t	lost;
};

struct child *
events_hearer(struct supervisor *sup)
{
	struct child *c;

	TAILQ_FOREACH(c, &sup->children, entry)
		if (c->role == IPC_AUTH && c->process.greet == GREET_READY && c->process.pid >= 0)
			return c;
	return NULL;
}

static void
events_send(struct child *auth, struct span entry)
{
	post(auth, IPC_MSG_EVENT, &(struct ipc_event){ .entry = entry }, -1);
}

static void
events_pack(struct buf *out, enum audit_action action, enum audit_outcome outcome, const char *target,
    const char *reason)
{
	struct span why = span_str(reason);
	size_t map = mp_open_pairs(out, mp_cstr("action", audit_action_name(action)),
	    mp_cstr("outcome", audit_outcome_name(outcome)),
	    mp_cstr("surface", audit_surface_name(AUDIT_SURFACE_DAEMON)), mp_uint("at", clock_unix_ms()),
	    mp_cstr("target", target));

	mp_put_cstr(out, "policy");
	if (why.len == 0)
		mp_put_nil(out);
	else
		mp_put_pairs(out, mp_str("reason", span_of(why.p, utf8_cut(why.p, why.len, REASON_MAX))));
	mp_end(out, map);
}

static void
events_keep(struct supervisor *sup, const struct buf *entry)
{
	struct events *e = sup->events;

	if (e == NULL)
		e = sup->events = mem_new(1, sizeof(*e));
	if (e->n >= EVENTS_MAX) {
		if (e->lost++ == 0)
			log_error("carrel-auth has been away for so long that events are missing from the audit");
		return;
	}
	buf_span(&e->list[e->n++], buf_view(entry));
}

void
events_tell(struct supervisor *sup, enum audit_action action, enum audit_outcome outcome, const char *target,
    const char *reason)
{
	struct buf entry = { 0 };
	struct child *auth;

	if (sup->state_fd < 0)
		return;
	events_pack(&entry, action, outcome, target, reason);
	/* Queued events are sent first. */
	if ((auth = events_hearer(sup)) != NULL && (sup->events == NULL || sup->events->n == 0))
		events_send(auth, buf_view(&entry));
	else
		events_keep(sup, &entry);
	buf_fini(&entry);
}

void
events_flush(struct supervisor *sup)
{
	struct events *e = sup->events;
	struct child *auth = events_hearer(sup);

	if (e == NULL || auth == NULL)
		return;
	for (size_t i = 0; i < e->n; i++) {
		events_send(auth, buf_view(&e->list[i]));
		buf_fini(&e->list[i]);
	}
	e->n = 0;
	e->lost = 0;
}

void
events_close(struct supervisor *sup)
{
	struct events *e = sup->events;

	for (size_t i = 0; e != NULL && i < e->n; i++)
		buf_fini(&e->list[i]);
	free(e);
	sup->events = NULL;
}
