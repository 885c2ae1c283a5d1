#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/calls/ahead.h"
#include "front/calls/router_parts.h"
#include "front/calls/router_worker.h"
#include "front/calls/subcall.h"
#include "policy/metrics.h"

static struct pool *
pool_new(struct router *r, enum ipc_role role, struct span name)
{
	struct pool *p = mem_new(1, sizeof(*p));
	size_t n = name.len < sizeof(p->name) ? name.len : sizeof(p->name) - 1;

	memcpy(p->name, name.p, n);
	p->role = role;
	p->state = ipc_role_is_pooled(role) ? IPC_POOL_CONNECTING : IPC_POOL_READY;
	LIST_INIT(&p->workers);
	TAILQ_INIT(&p->waiting);
	LIST_INSERT_HEAD(&r->pools, p, next);
	return p;
}

static void
put_connections(const struct router *r, struct buf *details)
{
	const struct pool *p;
	size_t mark, n = 0;

	mp_put_map(details, 1);
	mark = mp_pair_open_array(details, "connections");
	LIST_FOREACH(p, &r->pools, next)
		if (ipc_role_is_pooled(p->role)) {
			mp_put_cstr(details, p->name);
			n++;
		}
	mp_close(details, mark, n);
}

#define IMPORTS	"imports"	/* CONFIG_IMPORTS of project/config */

int
router_no_connection(const struct router *r, struct span connection, struct buf *details, struct err *err)
{
	const struct pool *p;
	bool any = false;

	LIST_FOREACH(p, &r->pools, next)
		any = any || ipc_role_is_pooled(p->role);
	put_connections(r, details);
	if (span_is_str(connection, IMPORTS))
		return err_set(err, ERR_CONNECTION_NOT_FOUND,
		    "There is no connection \"" IMPORTS
		    "\": no file was imported here. What was imported on another node "
		    "comes by itself: try again in a moment; `carrel status` on this node says what keeps it.");
	return any ?
	    err_set(err, ERR_CONNECTION_NOT_FOUND,
		"There is no connection \"%.*s\"; connection_list shows those there are.", SPAN_FMT(connection)) :
	    err_set(err, ERR_CONNECTION_NOT_FOUND,
		"There is no connection \"%.*s\": this project has none yet; "
		"`carrel connection add` makes one.",
		SPAN_FMT(connection));
}

static void
fail_waiting(struct pool *p)
{
	struct front_call *c;
	struct err e;

	(void)pool_unavailable(p, &e);
	while ((c = TAILQ_FIRST(&p->waiting)) != NULL)
		call_fail(c, &e, SPAN_NONE);
}

struct router *
router_new(struct event_base *base, struct tools *tools, struct result_budget *results,
    const uint8_t signing_key[32], const struct router_hooks *hooks)
{
	struct router *r = mem_new(1, sizeof(*r));

	r->base = base;
	r->tools = tools;
	r->results = results;
	r->hooks = *hooks;
	signer_init(&r->tickets, SIGNER_TICKET, signing_key);
	r->sql_timeout_ms = 30000;
	ahead_init(r);
	TAILQ_INIT(&r->dirty);
	TAILQ_INIT(&r->spare);
	for (unsigned i = 0; i < SLOTS; i++)
		r->free_slots[r->nfree++] = (uint16_t)(SLOTS - 1 - i);
	for (unsigned i = 0; i < IPC_ROLES; i++)
		if (ipc_roles[i].place == IPC_PLACE_SINGLE && ipc_roles[i].peer == IPC_FRONT)
			pool_new(r, ipc_roles[i].role, span_str(ipc_roles[i].name));
	return r;
}

void
router_free(struct router *r)
{
	struct worker *w;
	struct pool *p;
	struct front_call *c;

	if (r == NULL)
		return;
	ahead_fini(r);
	/* A sub-call frees its call, or leaves that to the worker: not twice. */
	LIST_FOREACH(w, &r->workers, all)
		subcall_drop_all(w);
	for (size_t i = 0; i < SLOTS; i++)
		if (r->calls[i] != NULL)
			call_free(r->calls[i]);
	while ((w = LIST_FIRST(&r->workers)) != NULL)
		worker_free(w);
	while ((p = LIST_FIRST(&r->pools)) != NULL) {
		LIST_REMOVE(p, next);
		free(p);
	}
	while ((c = TAILQ_FIRST(&r->spare)) != NULL) {
		TAILQ_REMOVE(&r->spare, c, queue);
		call_drop(c);
	}
	free(r);
}

int
router_configure(struct router *r, struct span connections, unsigned sql_timeout_ms, struct err *err)
{
	struct mp_value all, one;
	struct mp_iter it;

	r->sql_timeout_ms = sql_timeout_ms;
	if (!mp_value(connections, &all) || all.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "the list of connections is no array");
	it = mp_iter(&all);
	while (mp_next(&it, &one)) {
		struct span id = mp_get_str(&one, "id", SPAN_NONE);

		if (id.len == 0 || id.len > IPC_CONNECTION_MAX)
			return err_set(err, ERR_INTERNAL, "a connection has no usable id");
		if (pool_find(r, IPC_SQL, id) == NULL)
			pool_new(r, IPC_SQL, id);
	}
	return 0;
}

int
router_attach(struct router *r, enum ipc_role role, struct span connection, uint64_t generation, int fd)
{
	struct pool *p = pool_find(r, role, connection);

	if (p == NULL) {
		struct channel ch;

		channel_init(&ch, fd, IPC_FRONT, role, generation);
		channel_fini(&ch);
		return -1;
	}
	worker_new(r, p, generation, fd);
	pool_dispatch(p);
	return 0;
}

void
router_connection_state(struct router *r, struct span connection, enum ipc_pool_state state, struct span reason)
{
	struct pool *p = pool_find(r, IPC_SQL, connection);

	if (p == NULL)
		return;
	p->state = state;
	snprintf(p->reason, sizeof(p->reason), "%.*s", SPAN_FMT(reason));
	if (state == IPC_POOL_UNAVAILABLE && p->nworkers == 0)
		fail_waiting(p);
}

void
router_hold_back(struct router *r, struct span connection, struct span print)
{
	struct print p;

	if (print.len != sizeof(p.bytes))
		return;
	memcpy(p.bytes, print.p, sizeof(p.bytes));
	quarantine_hold(&r->quarantine, &p, connection, clock_ns());
}

unsigned
router_clear_quarantine(struct router *r)
{
	return quarantine_clear(&r->quarantine, clock_ns());
}

bool
router_is_ready(const struct router *r)
{
	const struct pool *p;

	LIST_FOREACH(p, &r->pools, next)
		if (!ipc_role_is_pooled(p->role) && p->nworkers == 0)
			return false;
	return true;
}

static const char *
state_of(const struct pool *p)
{
	if (ipc_role_is_pooled(p->role))
		return ipc_pool_state_name(p->state);
	return ipc_pool_state_name(p->nworkers > 0 ? IPC_POOL_READY : IPC_POOL_UNAVAILABLE);
}

static void
begin_pool(const struct pool *p, struct buf *out)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "name", p->name);
	json_put_cstr(out, "role", ipc_role_name(p->role));
	json_put_cstr(out, "state", state_of(p));
	json_put_uint(out, "workers", p->nworkers);
}

void
router_put_workers(const struct router *r, struct buf *out)
{
	const struct pool *p;

	json_put_list(out, "workers");
	LIST_FOREACH(p, &r->pools, next) {
		begin_pool(p, out);
		json_end_object(out);
	}
	json_end_list(out);
}

void
router_put_metrics(const struct router *r, struct metrics *m)
{
	const struct worker *w;
	const struct pool *p;

	LIST_FOREACH(p, &r->pools, next) {
		size_t row = metric_row_of_pool(m, p->role, pool_connection(p));
		unsigned running = 0;

		LIST_FOREACH(w, &p->workers, of_pool)
			running += w->ncalls;
		metric_set(m, METRIC_POOL_RUNNING, row, running);
		metric_set(m, METRIC_POOL_QUEUE, row, p->nwaiting);
	}
}

void
router_put_status(struct router *r, struct buf *out)
{
	struct pool *p;

	json_put_list(out, "pools");
	LIST_FOREACH(p, &r->pools, next) {
		begin_pool(p, out);
		json_put_uint(out, "waiting", p->nwaiting);
		json_put_uint(out, "calls", p->calls);
		json_put_uint(out, "deaths", p->deaths);
		if (p->reason[0] != '\0')
			json_put_cstr(out, "reason", p->reason);
		json_end_object(out);
	}
	json_end_list(out);
	json_put_key(out, "quarantine");
	quarantine_put(&r->quarantine, clock_ns(), out);
}
