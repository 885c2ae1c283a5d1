/*
 * fetch_errand.c - carrel-fetch: one short-lived process for each document of a client that carrel-auth asks for, and
 * for each step at the identity provider.
 *
 * carrel-auth never chooses an address there: that of the configuration follows from the issuers of auth, those of the
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
keep_endpoints(struct supervisor *sup, struct span of, const struct ipc_identified *m)
{
	struct provider_place *p = &sup->provider;
	const char *issuer = configure_issuer(sup->cfg, of);

	if (of.len > 0)
		p = configure_place(sup, of, true);
	free(p->issuer);
	free(p->token_endpoint);
	free(p->jwks_uri);
	p->issuer = mem_text(span_str(issuer));
	p->token_endpoint = mem_text(m->token_endpoint);
	p->jwks_uri = mem_text(m->jwks_uri);
	p->post = m->post != 0;
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
	/* A reload may have taken the issuer away meanwhile. */
	if (answer.outcome == SIGN_IN_DONE && read_order(e, &order) &&
	    (order.identify.step == IPC_STEP_DISCOVER || order.identify.step == IPC_STEP_ISSUER ||
		order.identify.step == IPC_STEP_SERVER) &&
	    configure_issuer(e->from->sup->cfg, order.identify.of) != NULL)
		keep_endpoints(e->from->sup, order.identify.of, &answer);
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
