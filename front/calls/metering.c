#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "front/calls/metering.h"
#include "front/front.h"
#include "policy/audit_words.h"
#include "policy/metrics.h"

#define REFUSALS_A_SECOND	5u	/* lines in the log */

/* How much metering_log_refusal() has logged in this second. */
struct refusals {
	uint64_t	second;
	unsigned	said, unsaid;
};

struct metering {
	struct metrics		*counted;
	struct refusals		 refusals;	/* that were logged */
	struct buf		 line;		/* of the log, while it is made */
};

struct metering *
metering_new(void)
{
	struct metering *m = mem_new(1, sizeof(*m));

	m->counted = metrics_new();
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

struct metrics *
metering_counted(struct metering *m)
{
	return m->counted;
}

/* tool: NULL for a request that calls none. */
static void
count_http(struct metrics *m, const struct policy_tool *tool, enum err_code code, uint64_t ns)
{
	if (tool != NULL) {
		metric_add(m, METRIC_EXT_REQUESTS, metric_row_of_tool(tool), 1);
		metric_observe(m, METRIC_EXT_LATENCY, metric_row_of_tool(tool), ns);
	}
	metric_add(m, METRIC_EXT_ERRORS, metric_row_of_code(code), code != ERR_NONE && code != ERR_QUERY_CANCELLED);
	metric_add(m, METRIC_EXT_AUTH_FAILURES, 0,
	    code == ERR_AUTH_INVALID || code == ERR_AUTH_REVOKED || code == ERR_AUTH_EXPIRED);
}

/* Log one line per call: principal, tool and outcome; never arguments or rows. */
static void
log_request_end(struct buf *out, const struct metered *q, uint64_t ns)
{
	const char *tool = q->tool->name;
	struct result_facts facts;
	char request_id[REQUEST_ID_MAX], message[128];

	request_id_print(q->serial, request_id);
	buf_reset(out, 4096);
	json_put_cstr(out, "principal", q->principal);
	json_put_cstr(out, "tool", tool);
	json_put_cstr(out, "outcome", audit_outcome_name(audit_outcome_by(q->code)));
	if (q->code != ERR_NONE)
		json_put_cstr(out, "code", err_name(q->code));
	json_put_uint(out, "duration_ms", ns / CLOCK_MS);
	if (q->result != NULL && result_facts(q->result, &facts))
		json_put_uint(out, "rows", facts.rows);
	snprintf(message, sizeof(message), "%s: %s", tool, q->code == ERR_NONE ? "ok" : err_name(q->code));
	json_put_cstr(out, "message", message);
	log_call(request_id, q->trace, buf_cstr(out));
}

void
metering_request(struct metering *g, const struct metered *q)
{
	struct metrics *m = g->counted;
	enum audit_outcome outcome = audit_outcome_by(q->code);
	uint64_t ns = clock_ns() - q->began_ns;

	if (outcome == AUDIT_OUTCOME_REFUSED)
		metric_add(m, METRIC_REFUSALS, metric_row_of_code(q->code), 1);
	if (q->external)
		count_http(m, q->tool, q->code, ns);
	if (q->tool == NULL)
		return;
	metric_add(m, METRIC_CALLS, metric_row_of_call(q->tool, outcome), 1);
	metric_observe(m, METRIC_CALL_DURATION, metric_row_of_tool(q->tool), ns);
	log_request_end(&g->line, q, ns);
}

void
metering_refusal(struct front *f, enum err_code code)
{
	f->figures.refused++;
	count_http(f->metering->counted, NULL, code, 0);
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
