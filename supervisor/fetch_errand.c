/*
 * fetch_errand.c - carrel-fetch: one short-lived process for each document of a client that carrel-auth asks for, and
 * for each step at the identity provider.
 *
 * carrel-auth never chooses an address there: that of the configuration follows from auth.oidc.issuer, those of the
 * key set and the token endpoint are kept here as the configuration had them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "policy/sign_in.h"
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

static void
keep_endpoints(struct supervisor *sup, const struct ipc_identified *m)
{
	free(sup->provider.issuer);
	free(sup->provider.token_endpoint);
	free(sup->provider.jwks_uri);
	sup->provider.issuer = mem_text(span_str(sup->cfg->oidc.issuer));
	sup->provider.token_endpoint = mem_text(m->token_endpoint);
	sup->provider.jwks_uri = mem_text(m->jwks_uri);
	sup->provider.post = m->post != 0;
}

static bool
read_order(const struct errand *e, union ipc_any *m)
{
	return ipc_unpack_any(IPC_MSG_IDENTIFY, IPC_AUTH, IPC_SUPERVISOR, span_of(e->what, e->len), m) == IPC_OK;
}

static int
identity_configure(struct supervisor *sup, const struct errand *e, struct configuration *out, uint64_t *outcome,
    struct err *err)
{
	union ipc_any m;

	(void)outcome;
	return read_order(e, &m) ? configure_step(sup, &m.identify, out, err) :
				   err_set(err, ERR_INTERNAL, "the order cannot be read");
}

static bool
identity_answered(const struct errand *e, unsigned type, const union ipc_any *msg)
{
	struct ipc_identified answer = msg->identified;
	union ipc_any order;

	if (type != IPC_MSG_IDENTIFIED)
		return false;
	answer.serial = e->serial;
	if (e->from == NULL)
		return true;
	/* A reload may have taken auth.oidc away meanwhile. */
	if (answer.outcome == SIGN_IN_DONE && e->from->sup->cfg->oidc.issuer != NULL && read_order(e, &order) &&
	    order.identify.step == IPC_STEP_DISCOVER)
		keep_endpoints(e->from->sup, &answer);
	post(e->from, IPC_MSG_IDENTIFIED, &answer, -1);
	return true;
}

static void
identity_fail(struct child *from, uint64_t serial, uint64_t outcome, struct span reason)
{
	struct ipc_identified msg = { .serial = serial, .outcome = outcome, .reason = reason, .keys = SPAN("\xc0"),
		.groups = SPAN("\xc0") };

	post(from, IPC_MSG_IDENTIFIED, &msg, -1);
}

const struct errand_kind identity_kind = { .role = IPC_FETCH, .life_ns = LIFE_NS, .waiting_max = 16,
	.unable = SIGN_IN_LOST, .lost = SIGN_IN_LOST, .configure = identity_configure, .answered = identity_answered,
	.fail = identity_fail };
