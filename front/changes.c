/* changes.c - see changes.h. */
#include "base/mp.h"
#include "front/changes.h"
#include "front/front.h"
#include "front/subscribe.h"

#define URIS_MAX	1024u	/* looked up one by one; workers name a quarter of that, more are everything */

static uint64_t *
digest_of(struct front *f, enum ipc_role role)
{
	unsigned bit = 0;

	while (bit < FRONT_ROLES - 1 && (1u << bit) != (unsigned)role)
		bit++;
	return &f->digests[bit];
}

void
changes_take(void *front, enum ipc_role role, const struct ipc_changed *msg)
{
	struct front *f = front;
	uint64_t *digest = digest_of(f, role);
	struct span named[URIS_MAX];
	struct mp_value uris, uri;
	struct mp_iter it;
	size_t n = 0;
	bool greeting = msg->lists == 0 && !msg->everything && mp_value(msg->uris, &uris) && uris.n == 0;
	bool another = greeting && *digest != 0 && msg->digest != 0 && *digest != msg->digest;

	if (msg->digest != 0)
		*digest = msg->digest;
	if (msg->everything || another) {
		subscribe_changed(f, (unsigned)msg->lists | CHANGE_RESOURCES);
		subscribe_updated_all(f);
		return;
	}
	if (msg->lists != 0)
		subscribe_changed(f, (unsigned)msg->lists);
	if (!mp_value(msg->uris, &uris))
		return;
	it = mp_iter(&uris);
	if (uris.n > URIS_MAX) {
		subscribe_updated_all(f);
		return;
	}
	while (mp_next(&it, &uri))
		if (uri.class == MP_STR)
			named[n++] = uri.s;
	subscribe_updated(f, named, n);
}
