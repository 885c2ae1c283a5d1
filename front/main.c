/*
 * main.c - carrel-front: parses untrusted requests and routes them to workers.  Has no database
 * handle, no file access and no outgoing connections; the profile "front" in policy/ lists what is
 * allowed.
 *
 * The turn of the loop
 *
 * One thread runs everything: there are no locks, and a function that does not return stops all clients.  So no
 * function waits.  What has to wait (a request for carrel-auth, a call for its worker, an answer for its audit entry)
 * is kept in a structure with its deadline, and a later event continues it.
 *
 * main_serve() repeats one turn.  libevent first handles all sockets that are ready: clients that were let in before,
 * local clients, workers, and the supervisor.  A request is parsed, checked and dispatched within its event; a call is
 * only appended to the buffer of its worker.  Then the turn does what these events have caused, in a fixed order:
 *
 *	conns_turn	parse what clients sent behind an answered request; free connections that have ended
 *	conns_comments	keep silent event streams open, 32 of them
 *	locals_turn	the same as conns_turn for local clients
 *	subscribe_turn	notify some subscribers of what has changed: a burst of changes is one message to each
 *	endings_turn	close the sessions of credentials that ended, once their last answers were sent
 *	router_turn	write each worker's buffer, with all calls of the turn at once; free workers that are gone
 *	conns_strangers	read from at most 8 clients that no request was let in of, and accept new ones
 *
 * The order has three reasons.  Strangers come last and in small numbers, so a flood of them delays a known client by
 * one such batch.  Steps that could take long for many clients have a bound and return true when work is left; the
 * next turn then looks for events without sleeping.  And structures are freed here only, when none of their functions
 * is on the stack: conn_drop() and router_detach() only mark.
 *
 * Deadlines need no timer each.  on_tick() looks at all parts every 100 ms, every second while there is no client; each
 * part keeps its waiting entries sorted, or few.  The tick also copies the number of requests into the page that the
 * supervisor watches: a front that answers no PING in time is killed and started again, which its clients see as a
 * closed connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <time.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/mem.h"
#include "front/mcp/admission.h"
#include "front/who/auth_ask.h"
#include "front/auth_link.h"
#include "front/ending.h"
#include "front/mcp/changes_forward.h"
#include "front/http/conn.h"
#include "front/from_supervisor.h"
#include "front/mcp/legacy/hub.h"
#include "front/mcp/legacy/legacy_http.h"
#include "front/local_client.h"
#include "front/calls/metering.h"
#include "front/metrics_page.h"
#include "front/who/foreign_token.h"
#include "front/who/oauth_issuer.h"
#include "front/wire/peer_uid.h"
#include "front/calls/router_admin.h"
#include "front/site.h"
#include "front/status.h"
#include "front/to_supervisor.h"
#include "front/mcp/session_over.h"
#include "front/mcp/tasks.h"
#include "front/mcp/subscribe.h"
#include "front/who/verify_credential.h"
#include "workers/shared/child.h"
#include "workers/shared/seccomp.h"
#include "policy/profiles.h"

#define BINARY		"carrel-front"
#define RESULT_SLACK	(1u << 20)		/* members other than the rows; limits.result_bytes counts rows only */

static int
take_access(struct access *a, const struct ipc_configure_front *m)
{
	if (m->host.len >= sizeof(a->host))
		return -1;
	memcpy(a->host, m->host.p, m->host.len);
	a->port = (unsigned)m->port;
	a->loopback_bind = access_is_loopback_name(m->host);
	a->loopback_open = m->loopback_open != 0;
	a->secure = m->public_url.len >= 8 && memcmp(m->public_url.p, "https://", 8) == 0;
	if (m->public_url.len > 0)
		a->public_url = mem_text(span_of(m->public_url.p,
		    m->public_url.len - (m->public_url.p[m->public_url.len - 1] == '/')));
	a->proxy_header = mem_text(m->proxy_header);
	for (char *p = a->proxy_header; *p != '\0'; p++)
		*p = (char)ascii_lower((uint8_t)*p);
	a->owner_uid = (uint32_t)m->owner_uid;
	snprintf(a->token_prefix, sizeof(a->token_prefix), "%.*s", SPAN_FMT(m->token_prefix));
	a->has_token = m->token_sha256.len == sizeof(a->token_sha256);
	if (a->has_token)
		memcpy(a->token_sha256, m->token_sha256.p, sizeof(a->token_sha256));
	else if (m->token_sha256.len != 0)
		return -1;
	return access_take_lists(a, m->allowed_hosts, m->allowed_origins, m->trusted_proxies, m->proxy_uids);
}

static int
main_configure(struct front *f, const struct ipc_configure_front *m, struct err *err)
{
	const struct router_hooks hooks = {
		.complain = supervisor_complain, .changed = changes_take, .auth = auth_link_hear,
		.heard = lease_look, .auth_channel = auth_link_channel, .arg = f,
	};

	if (take_access(&f->access, m) != 0)
		return err_set(err, ERR_INTERNAL,
		    "an entry of the allowed hosts, allowed origins, trusted proxies or proxy users is not valid");
	f->conf.project_dir = mem_text(m->project_dir);
	f->conf.scheme = mem_text(m->resource_scheme);
	f->conf.in_flight_max = (unsigned)m->in_flight;
	f->conf.brief = m->result_brief != 0;
	f->conf.export_rows = (unsigned)m->export_rows;
	f->conf.export_ms = (unsigned)m->export_ms;
	f->conf.export_link_s = (unsigned)m->export_link_s;
	f->conf.research_per_min = (unsigned)m->research_per_min;
	f->conf.auth_failures_per_min = (unsigned)m->auth_failures_per_min;
	f->conf.block_s = (unsigned)m->block_s;
	f->conf.body_max = m->body_bytes;
	f->conf.sweep_ns = m->sweep_s * CLOCK_SECOND;
	f->conf.private = m->private != 0;
	f->spans.principals = m->principals != 0;
	crypto_generichash(f->spans.key, sizeof(f->spans.key), (const uint8_t *)"telemetry", 9, m->signing_key.p,
	    m->signing_key.len);
	f->conf.audit_lenient = m->audit_warn != 0 || f->conf.private;
	f->conf.alone = m->fronts == 1;
	TAILQ_INIT(&f->tasks.list);
	TAILQ_INIT(&f->spare.list);
	f->results.max = m->result_memory;
	f->results.max_each = m->result_bytes + RESULT_SLACK;
	f->sessions = sessions_new(m->signing_key.p, m->idle_s);
	signer_init(&f->cursors, SIGNER_CURSOR, m->signing_key.p);
	signer_init(&f->states, SIGNER_STATE, m->signing_key.p);
	seal_init(&f->links, SEAL_EXPORT, m->signing_key.p);
	f->tools = tools_new(m->tool_prefix);
	f->router = router_new(f->base, f->tools, &f->results, m->signing_key.p, &hooks);
	if ((f->conns = conns_new(f, &site_user)) == NULL)
		return err_set(err, ERR_INTERNAL, "no descriptor is left for the clients; raise the limit (ulimit -n)");
	f->locals = locals_new(f);
	f->oauth = oauth_new(m);
	f->foreign = foreign_token_new(m->issuers, m->claims);
	f->verify = verify_new();
	f->audits = audits_new(m->journal_key);
	f->admissions = admissions_new();
	f->metering = metering_new();
	f->metrics_page = metrics_page_new();
	f->statuses = statuses_new();
	f->subscribers = subscribers_new();
	f->streams = streams_new();
	f->legacy = &legacy_era;
	TAILQ_INIT(&f->hubs.empty);
	sessions_hooks(f->sessions, hub_gone, hub_in_use);
	if (!f->conf.alone)
		sessions_share(f->sessions);
	f->serial = (uint64_t)randombytes_random() << 32;
	f->figures.began_unix_ms = clock_unix_ms();
	if (tools_take_team(f->tools, m->team, err) != 0)
		return -1;
	return router_configure(f->router, m->connections, (unsigned)m->sql_timeout_ms, err);
}

static struct event_base *
make_loop(void)
{
	struct event_config *conf = mem_must(event_config_new());
	struct event_base *base;

	event_config_set_flag(conf, EVENT_BASE_FLAG_NOLOCK);
	base = mem_must(event_base_new_with_config(conf));
	event_config_free(conf);
	return base;
}

/* Tick every FRONT_TICK_MS with clients, every second when idle. */
static void
arm_tick(struct front *f)
{
	bool idle = conns_count(f->conns) == 0 && locals_count(f->locals) == 0 && !f->stop.begun;
	struct timeval often = { 0, FRONT_TICK_MS * 1000 }, seldom = { 1, 0 };

	event_add(&f->tick, idle ? &seldom : &often);
}

static void
session_is_idle(void *front, const uint8_t body[SESSION_BODY])
{
	supervisor_session_ended(front, body);
	audit_session_ended(front, SPAN_NONE);
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct front *f = arg;
	uint64_t now = clock_ns();

	(void)fd, (void)what;
	arm_tick(f);
	lease_look(f);
	router_tick(f->router, now);
	tasks_tick(f, now);
	session_over_tick(f, now);
	verify_tick(f, now);
	auth_link_tick(f, now);
	auth_ask_tick(f, now);
	admission_tick(f, now);
	audit_tick(f, now);
	conns_tick(f->conns, now);
	streams_tick(f, now);
	hubs_tick(f);
	status_tick(f, now);
	metrics_page_tick(f, now);
	if (now - f->swept_ns >= f->conf.sweep_ns) {
		f->swept_ns = now;
		sessions_sweep(f->sessions, clock_unix_ms() / 1000, &(struct sweep_hooks){
			.ended = session_is_idle, .ask = f->conf.alone ? NULL : supervisor_session_ask, .arg = f });
	}
	atomic_store_explicit(&f->watch->requests, f->figures.requests, memory_order_relaxed);
}

/* The shutdown is complete when no client waits for an answer, or at the latest when its time is up. */
static bool
is_done(struct front *f)
{
	if (f->stop.begun && !f->stop.done) {
		if (clock_ns() >= f->stop.close_ns)
			conns_close_idle(f->conns);
		locals_close_idle(f->locals);
		f->stop.done = (conns_count(f->conns) == 0 && locals_count(f->locals) == 0) ||
		    (f->stop.until_ns != 0 && clock_ns() >= f->stop.until_ns);
	}
	return f->stop.done;
}

/*
 * One turn handles all ready events, then the work that they caused.  Messages to workers are written
 * once per turn, so that many requests share one write.  Strangers
 * come last: the next turn looks first what the others did meanwhile.
 */
static void
main_serve(struct front *f)
{
	bool again = false;

	event_assign(&f->tick, f->base, -1, 0, on_tick, f);
	arm_tick(f);
	while (!is_done(f)) {
		event_base_loop(f->base, EVLOOP_ONCE | (again ? EVLOOP_NONBLOCK : 0));
		again = conns_turn(f->conns);
		again |= conns_comments(f->conns);
		again |= locals_turn(f->locals);
		again |= subscribe_turn(f);
		endings_turn(f);
		router_turn(f->router);
		supervisor_turn(f);
		again |= conns_strangers(f->conns);
	}
	event_del(&f->tick);
}

static void
take_down(struct front *f)
{
	struct principal *p;
	struct exchange *x;

	supervisor_turn(f);
	from_supervisor_end(f);
	locals_free(f->locals);
	conns_free(f->conns);
	sessions_free(f->sessions);
	while ((x = LIST_FIRST(&f->running)) != NULL)
		exchange_abandon(x); /* requests whose client has left */
	tasks_free(f);
	session_over_free(f);
	router_free(f->router);
	audits_free(f->audits);
	endings_free(f);
	verify_free(f->verify);
	oauth_free(f->oauth);
	foreign_token_free(f->foreign);
	buf_fini(&f->openapi.text);
	buf_fini(&f->unsaid);
	admissions_free(f->admissions);
	streams_free(f->streams);
	subscribers_free(f->subscribers);
	statuses_free(f->statuses);
	metrics_page_free(f->metrics_page);
	metering_free(f->metering);
	tools_free(f->tools);
	exchange_drain_pool(f);
	result_drain_pool(&f->results);
	while ((p = LIST_FIRST(&f->principals)) != NULL) {
		LIST_REMOVE(p, next);
		principal_free(p);
	}
	access_fini(&f->access);
	if (f->spans.open)
		close(f->spans.fd);
	free(f->conf.project_dir);
	free(f->conf.scheme);
	event_base_free(f->base);
}

int
main(void)
{
	const struct policy_profile *profile = policy_profile("front");
	struct confine_report report = { 0 };
	struct ipc_configure_front conf;
	struct buf secrets = { .max = 0 };
	struct err err = { .code = ERR_NONE };
	struct front f = { .watch = NULL };

	f.watch = child_begin(BINARY);
	if (sodium_init() < 0 || (f.netlink = peer_open(&err)) < 0)
		child_unable(EXIT_CONFINEMENT, &err);
	f.base = make_loop();
	tzset();
	if (child_greet(IPC_FRONT, IPC_MSG_CONFIGURE_FRONT, &secrets, &conf, sizeof(conf), &err) != 0 ||
	    main_configure(&f, &conf, &err) != 0)
		child_unable(EXIT_CONFIG, &err);
	if (confine_files(profile, &(struct confine_places){ .project_dir = NULL }, conf.memory_max,
	    conf.best_effort != 0, 0, &report, &err) != 0 ||
	    confine_calls(profile, conf.best_effort != 0, &report, &err) != 0)
		child_unable(EXIT_CONFINEMENT, &err);
	buf_wipe(&secrets);
	f.degraded = report.degraded;
	from_supervisor_begin(&f, profile);
	child_ready(&report, false);
	main_serve(&f);
	take_down(&f);
	return f.stop.exit_code;
}
