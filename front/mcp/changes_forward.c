#include "base/mp.h"
#include "front/mcp/changes_forward.h"
#include "front/front.h"
#include "front/mcp/subscribe.h"
#include "front/team_check.h"

/* URIs looked up one by one; beyond: all resources count as changed. Workers name a quarter of that at most. */
#define URIS_MAX	1024u

static uint64_t *
digest_of(struct front *f, enum ipc_role role)
{
	unsigned bit = 0;

	while (bit < FRONT_ROLES - 1 && (1u << bit) != (unsigned)role)
		bit++;
	return &f->digests[bit];
}

static void
tell_named(struct front *f, const struct mp_value *uris)
{
	struct span named[URIS_MAX];
	struct mp_iter it = mp_iter(uris);
	struct mp_value uri;
	size_t n = 0;

	while (n < URIS_MAX && mp_next(&it, &uri))
		if (uri.class == MP_STR)
			named[n++] = uri.s;
	subscribe_updated(f, named, n);
}

bool
changes_take(void *front, enum ipc_role role, const struct ipc_changed *msg)
{
	struct front *f = front;
	uint64_t *digest = digest_of(f, role), before = *digest;
	bool everything = msg->everything != 0;
	struct mp_value uris;

	if (!mp_value(msg->uris, &uris) || uris.class != MP_ARRAY)
		return false;
	if (role == IPC_SEARCH && tools_ready(f->tools, msg->ready != 0))
		subscribe_changed(f, IPC_LISTS_TOOLS);
	if (role == IPC_SEARCH)
		team_check_queries(f);
	if (msg->digest != 0)
		*digest = msg->digest;
	if (msg->lists == 0 && !everything && uris.n == 0) /* a worker's greeting after its start */
		everything = before != 0 && before != *digest;
	if (everything || uris.n > URIS_MAX) {
		subscribe_changed(f, (unsigned)msg->lists | IPC_LISTS_RESOURCES);
		subscribe_updated_all(f);
		return true;
	}
	if (msg->lists != 0)
		subscribe_changed(f, (unsigned)msg->lists);
	tell_named(f, &uris);
	return true;
}
