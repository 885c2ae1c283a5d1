#include <stdio.h>
#include <string.h>

#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/change.h"
#include "workers/auth/nodes.h"
#include "workers/auth/lease.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define SETTING		"connectivity"	/* "on" or "off" in the store; absent: off */

static struct ipc_connectivity
connectivity_message(const struct auth *a)
{
	return (struct ipc_connectivity){ .enabled = a->enabled, .failing = span_str(lease_failing(a)) };
}

void
connectivity_greet(struct auth *a, uint64_t peer)
{
	struct ipc_connectivity msg = connectivity_message(a);

	(void)serve_send(peer, IPC_MSG_CONNECTIVITY, 0, &msg);
}

void
connectivity_tell(struct auth *a)
{
	struct ipc_connectivity msg = connectivity_message(a);

	snprintf(a->told_failing, sizeof(a->told_failing), "%s", lease_failing(a));
	fronts_tell(&a->fronts, IPC_MSG_CONNECTIVITY, 0, &msg);
}

int
connectivity_read(struct auth *a, struct err *err)
{
	struct buf value = BUF_MAX(16);
	int found = 0;
	bool on = a->conf.connectivity == IPC_CONNECTIVITY_ON;

	if (a->conf.connectivity == IPC_CONNECTIVITY_UNSET) {
		found = store_setting(a->store, SETTING, &value, err);
		on = found == 1 && span_is(buf_view(&value), SPAN("on"));
	}
	buf_fini(&value);
	if (found < 0)
		return -1;
	if (on == a->enabled)
		return 0;
	a->enabled = on;
	connectivity_tell(a);
	return 0;
}

static int
write_setting(struct auth *a, const struct call *c, bool on, struct err *err)
{
	int result;

	if (store_begin(a->store, err) != 0)
		return -1;
	if ((result = store_set_setting(a->store, SETTING, on ? SPAN("on") : SPAN("off"), err)) == 0)
		result = change_record(a, c, on ? AUDIT_ACTION_CONNECTIVITY_ENABLE : AUDIT_ACTION_CONNECTIVITY_DISABLE,
		    NULL, err);
	return change_end(a, result, err);
}

static void
put_head(const struct auth *a, struct buf *out)
{
	mp_pair_bool(out, "enabled", a->enabled);
	mp_pair_cstr(out, "bind_host", a->conf.bind_host);
	mp_pair_uint(out, "port", a->conf.port);
}

void
connectivity_put_ended(const struct fronts_cut *ended, uint64_t grants, struct buf *out)
{
	struct buf nodes = { 0 };

	nodes_put(&ended->heard, &nodes);
	mp_put_cstr(out, "ended");
	mp_put_pairs(out, mp_uint("grants", grants), mp_uint("sessions", ended->sessions),
	    mp_uint("streams", ended->streams), mp_uint("calls", ended->calls),
	    mp_when(nodes.len > 0, mp_raw("nodes", buf_view(&nodes))));
	buf_fini(&nodes);
}

struct active {
	uint64_t	now_ms;
	char		ids[AUTH_USES][STORE_TOKEN_ID + 1];
	size_t		n;
};

static bool
note_active(void *arg, const struct store_token *t)
{
	struct active *l = arg;

	if (token_state(t, l->now_ms) == TOKEN_ACTIVE)
		memcpy(l->ids[l->n++], t->id, sizeof(t->id));
	return l->n < AUTH_USES;
}

/* Cut off all holders of tokens; their tokens work again when tokens are accepted again. */
static int
end_all(struct auth *a, struct call *c, struct fronts_cut *total, struct err *err)
{
	struct active active = { .now_ms = store_now_ms(a->store) };

	if (store_tokens(a->store, note_active, &active, err) != 0)
		return -1;
	fronts_begin(&a->fronts);
	for (size_t i = 0; i < active.n; i++) {
		struct ipc_end msg = { .scopes = 0, .verdict = IPC_VERDICT_INVALID };
		char principal[32];

		snprintf(principal, sizeof(principal), "token:%s", active.ids[i]);
		msg.principal = span_str(principal);
		fronts_say(&a->fronts, c, &msg);
	}
	fronts_wait(&a->fronts, c);
	nodes_wait(c);
	*total = a->fronts.total;
	return 0;
}

int
connectivity_set(struct call *c, const struct mp_value *args, struct err *err)
{
	return connectivity_switch(c, mp_get_bool(args, "enabled", false), err);
}

int
connectivity_switch(struct call *c, bool on, struct err *err)
{
	struct auth *a = call_state(c);
	struct fronts_cut ended = { .calls = 0 };
	struct buf out = { 0 };

	if (a->conf.connectivity != IPC_CONNECTIVITY_UNSET)
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "the configuration decides alone, and by it tokens are %s: change connectivity.enabled there "
		    "(on a network also connectivity.allow_lan) and reload, or remove it for this command to decide",
		    a->conf.connectivity == IPC_CONNECTIVITY_ON ? "taken" : "not taken");
	if (on != a->enabled && write_setting(a, c, on, err) != 0)
		return -1;
	if (connectivity_read(a, err) != 0)
		return -1;
	if (!on && end_all(a, c, &ended, err) != 0)
		return -1;
	mp_put_map(&out, on ? 3 : 4);
	put_head(a, &out);
	if (!on)
		connectivity_put_ended(&ended, 0, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}

struct connectivity_listing {
	const struct auth	*a;
	uint64_t		 now_ms;
	struct buf		*out;
	size_t			 n;
};

static bool
list_one(void *arg, const struct store_token *t)
{
	struct connectivity_listing *l = arg;

	token_put(l->a, t, l->now_ms, l->out);
	l->n++;
	return true;
}

int
connectivity_state(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct buf out = { 0 };
	struct connectivity_listing l = { .a = a, .now_ms = store_now_ms(a->store), .out = &out };
	size_t mark;
	int result;

	(void)args;
	mp_put_map(&out, 6);
	put_head(a, &out);
	usage_put(&a->usage, limits_in_flight(a->limits), a->failures, &out);
	mark = mp_pair_open_array(&out, "tokens");
	if ((result = store_tokens(a->store, list_one, &l, err)) == 0) {
		mp_close(&out, mark, l.n);
		call_result(c, buf_view(&out));
	}
	buf_fini(&out);
	return result;
}
