#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "front/calls/metering.h"
#include "front/calls/router_admin.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/local_client.h"
#include "front/mcp/audit_requests.h"
#include "front/metrics_page.h"
#include "front/status.h"
#include "front/to_supervisor.h"
#include "policy/metrics.h"

#define REPORT_NS	CLOCK_SECOND	/* between reports to the supervisor */

struct metrics_page {
	TAILQ_HEAD(, conn)	 asking;	/* connections that wait at /metrics */
	bool			 asked;		/* the supervisor, for those that had come by then */
	uint64_t		 asked_ns, reported_ns;
	uint64_t		 reported;	/* digest of the last report */
};

struct metrics_page *
metrics_page_new(void)
{
	struct metrics_page *g = mem_new(1, sizeof(*g));

	TAILQ_INIT(&g->asking);
	return g;
}

void
metrics_page_free(struct metrics_page *g)
{
	free(g);
}

static void
take_gauges(struct front *f)
{
	struct metrics *m = metering_counted(f->metering);

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
	struct metrics_page *g = f->metrics_page;
	struct buf map = { .max = IPC_CONTROL_MAX / 2 };
	uint64_t digest;

	take_gauges(f);
	metrics_pack(metering_counted(f->metering), &map);
	digest = hash_of(buf_view(&map));
	g->reported_ns = now;
	if (digest != g->reported && !map.full && supervisor_report(buf_view(&map)))
		g->reported = digest;
	buf_fini(&map);
}

/* The numbers for /metrics: the supervisor's sum, and the workers' reports. */
static struct metrics *
sum_of(struct span status)
{
	struct metrics *m = metrics_new();
	static const struct {
		const char *role;
		enum metric_source source;
	} reporters[] = { { "search", METRIC_BY_SEARCH }, { "auth", METRIC_BY_AUTH },
		{ "telemetry", METRIC_BY_TELEMETRY } };
	struct mp_value map, v, report;

	if (!mp_value(status, &map) || map.class != MP_MAP || !mp_get(&map, "metrics", &v)) {
		metrics_free(m);
		return NULL;
	}
	metrics_take(m, v.raw, METRIC_BY_FRONT | METRIC_BY_SUPERVISOR, METRIC_ALL);
	for (size_t i = 0; mp_get(&map, "reports", &v) && i < sizeof(reporters) / sizeof(reporters[0]); i++)
		if (mp_get(&v, reporters[i].role, &report))
			metrics_take_report(m, reporters[i].source, report.raw);
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
	struct metrics_page *g = f->metrics_page;
	struct metrics *sum = sum_of(status);
	struct conn *c;

	g->asked = false;
	/* Requests that came after the question was sent are answered as well: the numbers are fresh enough. */
	while ((c = TAILQ_FIRST(&g->asking)) != NULL) {
		metrics_page_forget(c);
		answer_asking(c, sum);
	}
	metrics_free(sum);
}

static void
ask_supervisor(struct front *f, uint64_t now)
{
	struct metrics_page *g = f->metrics_page;

	if (TAILQ_EMPTY(&g->asking) || g->asked || now - g->asked_ns < METRICS_APART_MS * CLOCK_MS)
		return;
	g->asked = true;
	g->asked_ns = now;
	report(f, now);
	status_fetch(f, told_status, f);
}

void
metrics_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	(void)body;
	if (who != NULL && (who->scopes & POLICY_SCOPE_CONNECTIVITY_ADMIN) == 0) {
		conn_refuse(c, 403, "this needs the scope connectivity:admin, or the owner's own process on loopback",
		    &(struct http_reply){ .refusal = ERR_SCOPE_DENIED });
		return;
	}
	metrics_page_answer(c, q->accepts_openmetrics);
}

void
metrics_page_answer(struct conn *c, bool openmetrics)
{
	c->openmetrics = openmetrics;
	c->metrics = true;
	TAILQ_INSERT_TAIL(&c->front->metrics_page->asking, c, asking);
	ask_supervisor(c->front, clock_ns());
}

void
metrics_page_forget(struct conn *c)
{
	if (!c->metrics)
		return;
	c->metrics = false;
	TAILQ_REMOVE(&c->front->metrics_page->asking, c, asking);
}

void
metrics_page_tick(struct front *f, uint64_t now)
{
	log_flush();
	ask_supervisor(f, now);
	if (now - f->metrics_page->reported_ns >= REPORT_NS)
		report(f, now);
}
