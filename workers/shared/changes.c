#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mp.h"
#include "workers/shared/runtime.h"
#include "workers/shared/changes.h"
#include "workers/shared/serve.h"

static bool
are_noted(const struct changes *c)
{
	return c->lists != 0 || c->everything || c->nuris > 0;
}

static bool
is_noted(const struct changes *c, struct span uri)
{
	const uint8_t *p = c->uris.p, *end = p + c->uris.len;
	struct mp_value v;

	for (size_t i = 0; i < c->nuris; i++) {
		p += mp_head(p, (size_t)(end - p), &v);
		if (span_is(v.s, uri))
			return true;
		p += v.s.len;
	}
	return false;
}

void
changes_note(struct runtime *rt, unsigned lists, bool everything, struct span uri)
{
	struct changes *c = &rt->changes;

	c->lists |= lists;
	c->everything |= everything;
	if (c->everything || uri.len == 0 || is_noted(c, uri))
		return;
	if (c->nuris == CHANGES_URIS_MAX || c->uris.len + uri.len + 5 > CHANGES_BYTES_MAX) {
		c->everything = true;
		return;
	}
	mp_put_str(&c->uris, uri);
	c->nuris++;
}

/* A front that does not read is told later that everything may have changed. */
static void
tell_one(struct worker_link *l, const struct ipc_changed *msg)
{
	if (l->peer != IPC_FRONT || l->dead || l->detached)
		return;
	if (channel_pending(&l->ch) >= SERVE_OUT_MAX)
		l->behind = true;
	else if (channel_send(&l->ch, IPC_MSG_CHANGED, 0, msg) != 0)
		log_error("the list of changes does not fit its message");
}

static bool
is_ready(const struct runtime *rt)
{
	return rt->role->ready != NULL && rt->role->ready(rt->state);
}

/* Send a new front the digest, or tell a front that changes were missed. */
static void
changes_greet(struct worker_link *l, uint64_t digest, bool ready)
{
	struct ipc_changed msg = { .digest = digest, .uris = SPAN("\x90"), .everything = l->behind, .ready = ready };

	if (l->peer != IPC_FRONT || l->dead || l->detached || (l->greeted && !l->behind) ||
	    channel_pending(&l->ch) >= SERVE_OUT_MAX)
		return;
	if (digest != 0 || l->behind)
		tell_one(l, &msg);
	l->greeted = true;
	l->behind = false;
}

static bool
is_anybody_new(const struct runtime *rt)
{
	for (const struct worker_link *l = rt->links; l != NULL; l = l->next)
		if (l->peer == IPC_FRONT && !l->dead && !l->detached && (!l->greeted || l->behind))
			return true;
	return false;
}

static void
tell_all(struct runtime *rt, uint64_t digest)
{
	struct changes *c = &rt->changes;
	struct ipc_changed msg = { .lists = c->lists, .everything = c->everything, .digest = digest,
		.ready = is_ready(rt) };
	struct buf uris = { .max = 0 };

	mp_put_array(&uris, c->everything ? 0 : c->nuris);
	if (!c->everything)
		buf_span(&uris, buf_view(&c->uris));
	msg.uris = buf_view(&uris);
	for (struct worker_link *l = rt->links; l != NULL; l = l->next)
		tell_one(l, &msg);
	buf_fini(&uris);
	c->lists = 0;
	c->everything = false;
	c->nuris = 0;
	buf_reset(&c->uris, 4096);
}

void
changes_tell(struct runtime *rt, uint64_t now)
{
	bool due = are_noted(&rt->changes) && now - rt->changes.told_ns >= CHANGES_NS;
	uint64_t digest = 0;

	if (!due && !is_anybody_new(rt))
		return;
	if (rt->role->content != NULL && (digest = rt->role->content(rt->state)) == 0) {
		rt->changes.told_ns = now; /* the digest is not known yet: try again after CHANGES_NS */
		return;
	}
	for (struct worker_link *l = rt->links; l != NULL; l = l->next)
		changes_greet(l, digest, is_ready(rt));
	if (due) {
		tell_all(rt, digest);
		rt->changes.told_ns = now;
	}
}

int
changes_patience(const struct runtime *rt, uint64_t now, int otherwise)
{
	uint64_t due = rt->changes.told_ns + CHANGES_NS;
	int left;

	if (!are_noted(&rt->changes))
		return otherwise;
	left = due <= now ? 0 : (int)((due - now) / CLOCK_MS) + 1;
	return otherwise >= 0 && otherwise < left ? otherwise : left;
}
