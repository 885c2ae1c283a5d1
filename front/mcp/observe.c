#include "front/mcp/observe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "front/calls/metering.h"
#include "front/calls/tool_result.h"
#include "front/front.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/exchange.h"
#include "ipc/control.h"
#include "policy/audit_words.h"
#include "policy/metrics.h"

void
observe_attach(struct front *f, int fd)
{
	if (f->spans.open)
		close(f->spans.fd);
	f->spans.open = true;
	f->spans.fd = fd;
}

static struct span
connection_of(const struct exchange *x)
{
	const struct audit_note *n = &x->audit.note;

	return n->action == AUDIT_ACTIONS || x->audit.texts.len < n->target + n->connection ?
	    SPAN("") :
	    span_of(x->audit.texts.p + n->target, n->connection);
}

/* With a key of this project: who guesses a statement cannot find out whether it was this one. */
static struct span
digest_of(const struct exchange *x, uint8_t out[16])
{
	const struct audit_note *n = &x->audit.note;

	if (n->action == AUDIT_ACTIONS || n->statement == 0 || n->asked)
		return SPAN("");
	crypto_generichash(out, 16, n->statement_sha256, sizeof(n->statement_sha256), x->front->spans.key,
	    sizeof(x->front->spans.key));
	return span_of(out, 16);
}

static uint64_t
since(const struct exchange *x, uint64_t ns)
{
	return ns > x->began_ns ? ns - x->began_ns : 0;
}

void
observe_exchange(const struct exchange *x, enum err_code code, const struct tool_result *result)
{
	struct front *f = x->front;
	const struct policy_tool *tool = x->target.tool != NULL ? x->target.tool->policy : NULL;
	const uint64_t now = clock_ns(), ns = now - x->began_ns;
	char receipt[REQUEST_ID_MAX];
	struct result_facts facts;
	uint8_t digest[16];
	struct ipc_observed m = { .sampled = 2, .end = ns };

	if (!f->spans.open || tool == NULL)
		return;
	request_id_print(x->serial, receipt);
	if (x->context.valid) {
		m.trace = span_of(x->context.id, sizeof(x->context.id));
		m.parent = span_of(x->context.parent, sizeof(x->context.parent));
		m.sampled = x->context.sampled;
	}
	m.tool = span_str(tool->name);
	m.surface = span_str(audit_surface_name(x->transport->surface));
	m.connection = connection_of(x);
	m.outcome = span_str(audit_outcome_name(audit_outcome_by(code)));
	m.code = span_str(code == ERR_NONE ? "" : err_name(code));
	m.receipt = span_str(receipt);
	m.digest = digest_of(x, digest);
	m.principal = f->spans.principals ? span_str(x->who->id) : SPAN("");
	m.start_unix_ns = clock_unix_ms() * CLOCK_MS - ns;
	m.admission_from = since(x, x->times.admission_ns);
	m.admission_to = x->times.admission_ns == 0 ? 0 : x->times.worker_ns != 0 ? since(x, x->times.worker_ns) : ns;
	if (x->times.worker_ns != 0) {
		m.worker = span_str(ipc_role_name(tool->role));
		m.worker_from = since(x, x->times.worker_ns);
		m.worker_to = x->times.answered_ns >= x->times.worker_ns ? since(x, x->times.answered_ns) : ns;
	}
	if (result != NULL) {
		m.has_rows = result_facts(result, &facts);
		m.rows = facts.rows;
		m.database_ns = result_elapsed_ns(result);
	}
	if (control_send(f->spans.fd, IPC_MSG_OBSERVED, &m, -1) == 0)
		return;
	metric_add(metering_counted(f->metering), METRIC_UNTRACED, 0, 1);
	if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
		close(f->spans.fd);
		f->spans.open = false;
	}
}
