/* metering.c - see metering.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "base/hash.h"
#include "base/json/json.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "front/mcp/audit_requests.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/to_supervisor.h"
#include "front/local_client.h"
#include "front/mcp/mcp.h"
#include "front/metering.h"
#include "front/calls/router_admin.h"
#include "front/status.h"
#include "policy/metrics.h"

#define REPORT_NS	CLOCK_SECOND	/* between reports to the supervisor */
#define REFUSALS_A_SECOND	5u	/* lines in the log */

/* How much metering_log_refusal() has logged in this second. */
struct refusals {
	uint64_t	second;
	unsigned	said, unsaid;
};

struct metering {
	struct metrics		*counted;
	struct refusals		 refusals;	/* that were logged */
	TAILQ_HEAD(, conn)	 asking;	/* connections that wait at /metrics */
	bool			 asked;		/* the supervisor, for those that had come by then */
	uint64_t		 asked_ns, reported_ns;
	uint64_t		 reported;	/* digest of the last report */
	struct buf		 line;		/* of the log, while it is made */
};

struct metering *
metering_new(void)
{
	struct metering *m = mem_new(1, sizeof(*m));

	m->counted = metrics_new();
	TAILQ_INIT(&m->asking);
	return m;
}

void
metering_free(struct metering *m)
{
	if (m == NULL)
		return;
	log_flush();
	metrics_free(m->counted);
	buf_fini(&m->line);
	free(m);
}

/* --- counting ----------------------------------------------------------------------------------------- */

static void
count_http(struct metrics *m, enum err_code code, uint64_t ns)
{
	metric_add(m, METRIC_EXT_REQUESTS, 0, 1);
	metric_add(m, METRIC_EXT_ERRORS, 0, code != ERR_NONE && code != ERR_QUERY_CANCELLED);
	metric_add(m, METRIC_EXT_AUTH_FAILURES, 0,
	    code == ERR_AUTH_INVALID || code == ERR_AUTH_REVOKED || code == ERR_AUTH_EXPIRED);
	metric_observe(m, METRIC_EXT_LATENCY, 0, ns);
}

/* A member whose value needs no escape. */
static void
put_log_member(struct buf *out, const char *name, const char *value)
{
	buf_str(out, ",\"");
	buf_str(out, name);
	buf_str(out, "\":\"");
	buf_str(out, value);
	buf_byte(out, '"');
}

/* One line a call: who, what, what became of it.  Nothing of its arguments or its rows. */
static void
log_exchange(const struct exchange *x, enum err_code code, const struct mcp_answer *a, uint64_t ns)
{
	const char *tool = x->target.tool->policy->name;
	struct buf *out = &x->front->metering->line;
	struct result_facts facts;
	char request_id[REQUEST_ID_MAX];

	request_id_print(x->serial, request_id);
	buf_reset(out, 4096);
	buf_str(out, ",\"principal\":");
	json_write_string(out, span_str(x->who->id));
	put_log_member(out, "tool", tool);
	put_log_member(out, "outcome", audit_outcome_name(audit_outcome_by(code)));
	if (code != ERR_NONE)
		put_log_member(out, "code", err_name(code));
	buf_str(out, ",\"duration_ms\":");
	buf_uint(out, ns / CLOCK_MS);
	if (a != NULL && a->result != NULL && result_facts(a->result, &facts)) {
		buf_str(out, ",\"rows\":");
		buf_uint(out, facts.rows);
	}
	buf_str(out, ",\"message\":\"");
	buf_str(out, tool);
	buf_str(out, code == ERR_NONE ? ": ok" : ": ");
	buf_str(out, code == ERR_NONE ? "" : err_name(code));
	buf_byte(out, '"');
	log_call(request_id, x->trace, buf_cstr(out));
}

void
metering_exchange(struct exchange *x, const struct mcp_answer *a)
{
	struct metrics *m = x->front->metering->counted;
	/* An exchange that ends while its answer waits for the audit entry has an outcome already. */
	enum err_code code = a != NULL || x->stage == EXCHANGE_RECORDING ? x->audit.note.code : ERR_QUERY_CANCELLED;
	enum audit_outcome outcome = audit_outcome_by(code);
	uint64_t ns = clock_ns() - x->began_ns;

	if (outcome == AUDIT_OUTCOME_REFUSED)
		metric_add(m, METRIC_REFUSALS, metric_row_of_code(code), 1);
	if (x->transport->surface == AUDIT_SURFACE_MCP || x->transport->surface == AUDIT_SURFACE_REST)
		count_http(m, code, ns);
	if (x->target.tool == NULL)
		return;
	metric_add(m, METRIC_CALLS, metric_row_of_call(x->target.tool->policy, outcome), 1);
	metric_observe(m, METRIC_CALL_DURATION, metric_row_of_tool(x->target.tool->policy), ns);
	log_exchange(x, code, a, ns);
}

void
metering_refusal(struct front *f, enum err_code code)
{
	f->figures.refused++;
	count_http(f->metering->counted, code, 0);
	metric_add(f->metering->counted, METRIC_REFUSALS, metric_row_of_code(code), 1);
}

void
metering_log_refusal(struct front *f, const char *fmt, ...)
{
	struct refusals *r = &f->metering->refusals;
	uint64_t now = clock_ns() / CLOCK_SECOND;
	char line[512];
	va_list ap;

	if (now != r->second) {
		if (r->unsaid > 0)
			log_warn("%u more requests were refused", r->unsaid);
		r->second = now;
		r->said = r->unsaid = 0;
	}
	if (r->said >= REFUSALS_A_SECOND) {
		r->unsaid++;
		return;
	}
	r->said++;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_warn("%s", line);
}

void
metering_audit(struct front *f, uint64_t ns, bool written)
{
	struct metrics *m = f->metering->counted;

	if (written)
		metric_observe(m, METRIC_AUDIT_DURATION, 0, ns);
	else
		metric_add(m, METRIC_AUDIT_FAILURES, 0, 1);
}

/* --- the report --------------------------------------------------------------------------------------- */

static void
take_gauges(struct front *f)
{
	struct metrics *m = f->metering->counted;

	metric_set(m, METRIC_IN_FLIGHT, 0, router_in_flight(f->router));
	metric_set(m, METRIC_SESSIONS, 0, sessions_known(f->sessions));
	metric_set(m, METRIC_LOCAL_CLIENTS, 0, locals_count(f->locals));
	metric_set(m, METRIC_EXT_CONNECTIONS, 0, conns_count(f->conns));
	metric_set(m, METRIC_AUDIT_QUEUE, 0, audits_waiting(f->audits));
	router_put_metrics(f->router, m);
}

static void
report(struct front *f, uint64_t now)
{
	struct metering *g = f->metering;
	struct buf map = { .max = IPC_CONTROL_MAX / 2 };
	uint64_t digest;

	take_gauges(f);
	metrics_pack(g->counted, &map);
	digest = hash_of(buf_view(&map));
	g->reported_ns = now;
	if (digest != g->reported && !map.full && supervisor_report(buf_view(&map)))
		g->reported = digest;
	buf_fini(&map);
}

/* --- /metrics ----------------------------------------------------------------------------------------- */

/* The numbers for /metrics: the supervisor's sum, and the search worker's report. */
static struct metrics *
sum_of(struct span status)
{
	struct metrics *m = metrics_new();
	struct mp_value map, v, search;

	if (!mp_value(status, &map) || map.class != MP_MAP || !mp_get(&map, "metrics", &v)) {
		metrics_free(m);
		return NULL;
	}
	metrics_take(m, v.raw, METRIC_BY_FRONT | METRIC_BY_SUPERVISOR, METRIC_ALL);
	if (mp_get(&map, "reports", &v) && mp_get(&v, "search", &search))
		metrics_take_report(m, METRIC_BY_SEARCH, search.raw);
	return m;
}

static void
answer_asking(struct conn *c, const struct metrics *sum)
{
	struct http_reply r = {
		.status = 200, .type = c->openmetrics ? METRICS_TYPE_OPEN : METRICS_TYPE_PLAIN, .no_store = true
	};
	struct buf out = { .max = 0 };

	if (sum == NULL) {
		r.retry_after = 1;
		r.refusal = ERR_SERVICE_UNAVAILABLE;
		conn_refuse(c, 503, "the supervisor does not answer; try again", &r);
		return;
	}
	metrics_text(sum, c->openmetrics, &out);
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}

static void
told_status(void *arg, struct span status)
{
	struct front *f = arg;
	struct metering *g = f->metering;
	struct metrics *sum = sum_of(status);
	struct conn *c;

	g->asked = false;
	/* Requests that came after the question was sent are answered as well: the numbers are fresh enough. */
	while ((c = TAILQ_FIRST(&g->asking)) != NULL) {
		metering_forget(c);
		answer_asking(c, sum);
	}
	metrics_free(sum);
}

static void
ask_supervisor(struct front *f, uint64_t now)
{
	struct metering *g = f->metering;

	if (TAILQ_EMPTY(&g->asking) || g->asked || now - g->asked_ns < METERING_APART_MS * CLOCK_MS)
		return;
	g->asked = true;
	g->asked_ns = now;
	report(f, now);
	status_fetch(f, told_status, f);
}

void
metering_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)body;
	if (who != NULL && (who->scopes & POLICY_SCOPE_CONNECTIVITY_ADMIN) == 0) {
		conn_refuse(c, 403, "this needs the scope connectivity:admin, or the owner's own process on loopback",
		    &(struct http_reply){ .refusal = ERR_SCOPE_DENIED });
		return;
	}
	metering_answer(c, q->accepts_openmetrics);
}

void
metering_answer(struct conn *c, bool openmetrics)
{
	c->openmetrics = openmetrics;
	c->metering = true;
	TAILQ_INSERT_TAIL(&c->front->metering->asking, c, asking);
	ask_supervisor(c->front, clock_ns());
}

void
metering_forget(struct conn *c)
{
	if (!c->metering)
		return;
	c->metering = false;
	TAILQ_REMOVE(&c->front->metering->asking, c, asking);
}

void
metering_tick(struct front *f, uint64_t now)
{
	log_flush();
	ask_supervisor(f, now);
	if (now - f->metering->reported_ns >= REPORT_NS)
		report(f, now);
}
