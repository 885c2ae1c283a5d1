#include <string.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "workers/auth/fronts.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define ENDED_MS	3000	/* a front cancels and closes within milliseconds */
#define LOOK_MS		2
#define KEEP_MS		60000	/* the longest that a front may use a verdict without asking again */

void
fronts_add(struct fronts *f, uint64_t peer)
{
	if (f->n >= FRONTS_MAX)
		return;
	f->owes[f->n] = f->unanswered[f->n] = 0;
	f->peers[f->n++] = peer;
}

void
fronts_remove(struct fronts *f, uint64_t peer)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->peers[i] == peer) {
			f->n--;
			f->peers[i] = f->peers[f->n];
			f->owes[i] = f->owes[f->n];
			f->unanswered[i] = f->unanswered[f->n];
			return;
		}
}

uint64_t
fronts_keep_ms(uint64_t lease_ms, uint64_t expires_ms, uint64_t now_ms)
{
	uint64_t most = lease_ms < KEEP_MS ? lease_ms : KEEP_MS;

	return expires_ms != 0 && expires_ms - now_ms < most ? expires_ms - now_ms : most;
}

void
fronts_tell(struct fronts *f, unsigned type, uint64_t id, const void *msg)
{
	for (size_t i = 0; i < f->n; i++) {
		f->unanswered[i] += type == IPC_MSG_END;
		(void)serve_send(f->peers[i], type, id, msg);
	}
}

void
fronts_end(struct fronts *f, const char *principal, enum ipc_verdict verdict)
{
	struct ipc_end msg = { .principal = span_str(principal), .scopes = 0, .verdict = verdict };

	fronts_tell(f, IPC_MSG_END, ++f->last_id, &msg);
}

void
fronts_end_grant(struct fronts *f, const char *user, const char *grant)
{
	struct buf principal = BUF_MAX(256);
	struct ipc_end msg = { .grant = span_str(grant), .verdict = IPC_VERDICT_REVOKED };

	buf_printf(&principal, "user:%s", user);
	msg.principal = buf_view(&principal);
	fronts_tell(f, IPC_MSG_END, ++f->last_id, &msg);
	buf_fini(&principal);
}

void
fronts_narrow(struct fronts *f, const char *principal, uint32_t scopes, bool calls)
{
	struct ipc_end msg = { .principal = span_str(principal), .scopes = scopes, .calls = calls,
		.verdict = scopes == 0 ? IPC_VERDICT_REVOKED : IPC_VERDICT_GOOD };

	fronts_tell(f, IPC_MSG_END, ++f->last_id, &msg);
}

/* Whether some front owes at least n answers. */
static bool
is_owed(const struct fronts *f, unsigned n)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->owes[i] >= n)
			return true;
	return false;
}

static void
wait_below(struct fronts *f, struct call *c, unsigned n)
{
	struct err err;

	while (is_owed(f, n) && clock_ns() < f->until_ns && call_wait(c, -1, false, LOOK_MS, &err))
		continue;
}

void
fronts_begin(struct fronts *f)
{
	memset(&f->total, 0, sizeof(f->total));
	memset(f->owes, 0, sizeof(f->owes));
	f->waits_from = f->last_id + 1;
	f->until_ns = clock_ns() + ENDED_MS * CLOCK_MS;
}

void
fronts_say(struct fronts *f, struct call *c, const struct ipc_end *msg)
{
	wait_below(f, c, FRONTS_OWED);
	for (size_t i = 0; i < f->n; i++)
		f->owes[i]++;
	fronts_tell(f, IPC_MSG_END, ++f->last_id, msg);
}

void
fronts_wait(struct fronts *f, struct call *c)
{
	wait_below(f, c, 1);
	if (is_owed(f, 1))
		log_warn("a front has not said what it cut off");
	memset(f->owes, 0, sizeof(f->owes));
	f->waits_from = 0;
}

void
fronts_end_and_wait(struct fronts *f, struct call *c, const char *principal, enum ipc_verdict verdict)
{
	struct ipc_end msg = { .principal = span_str(principal), .scopes = 0, .verdict = verdict };

	fronts_say_and_wait(f, c, &msg);
}

void
fronts_say_and_wait(struct fronts *f, struct call *c, const struct ipc_end *msg)
{
	fronts_begin(f);
	fronts_say(f, c, msg);
	fronts_wait(f, c);
}

bool
fronts_all_ended(const struct fronts *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->unanswered[i] > 0)
			return false;
	return true;
}

void
fronts_ended(struct fronts *f, uint64_t peer, uint64_t id, const struct ipc_ended *msg)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->peers[i] == peer && f->unanswered[i] > 0)
			f->unanswered[i]--;
		if (f->peers[i] == peer && f->owes[i] > 0 && f->waits_from != 0 && id >= f->waits_from) {
			f->owes[i]--;
			f->total.sessions += msg->sessions;
			f->total.streams += msg->streams;
			f->total.calls += msg->calls;
		}
	}
}
