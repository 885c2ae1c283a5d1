#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "workers/auth/tokens/usage.h"

void
usage_note(struct usage *u, const struct audit_entry *e)
{
	struct usage_call *last;

	if (e->kind != AUDIT_KIND_TOKEN || e->action != AUDIT_ACTION_TOOL_CALL)
		return;
	u->latencies[u->requests % USAGE_LATENCIES] =
	    e->duration_ms < UINT32_MAX ? (uint32_t)e->duration_ms : UINT32_MAX;
	last = &u->recent[u->requests % USAGE_RECENT];
	u->requests++;
	u->errors += e->outcome != AUDIT_OUTCOME_OK;
	last->at_unix_ms = e->at_unix_ms != 0 ? e->at_unix_ms : clock_unix_ms();
	last->duration_ms = e->duration_ms;
	last->ok = e->outcome == AUDIT_OUTCOME_OK;
	snprintf(last->tool, sizeof(last->tool), "%.*s", SPAN_FMT(e->target));
}

static int
latency_order(const void *a, const void *b)
{
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* The given percentile of the latencies, by the nearest rank. */
static uint32_t
usage_percentile(const uint32_t *sorted, size_t n, unsigned percent)
{
	return sorted[(n * percent + 99) / 100 - 1];
}

static void
put_latencies(const struct usage *u, struct buf *out)
{
	static const struct {
		const char *name;
		unsigned percent;
	} wanted[] = { { "p50", 50 }, { "p95", 95 }, { "p99", 99 } };
	size_t n = u->requests < USAGE_LATENCIES ? (size_t)u->requests : USAGE_LATENCIES;
	uint32_t sorted[USAGE_LATENCIES];

	memcpy(sorted, u->latencies, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), latency_order);
	mp_put_map(out, 3);
	for (size_t i = 0; i < 3; i++) {
		mp_put_cstr(out, wanted[i].name);
		if (n == 0)
			mp_put_nil(out);
		else
			mp_put_uint(out, usage_percentile(sorted, n, wanted[i].percent));
	}
}

void
usage_put(const struct usage *u, uint64_t active, uint64_t failures, struct buf *out)
{
	uint64_t shown = u->requests < USAGE_RECENT ? u->requests : USAGE_RECENT;
	char at[25];
	size_t map;

	mp_put_cstr(out, "metrics");
	map = mp_open_pairs(out, mp_uint("requests_total", u->requests), mp_uint("errors_total", u->errors));
	mp_put_cstr(out, "latency_ms");
	put_latencies(u, out);
	mp_add_pairs(out, mp_uint("active_connections", active), mp_uint("auth_failures", failures));
	mp_end(out, map);
	mp_pair_array(out, "recent_queries", (size_t)shown);
	for (uint64_t i = 1; i <= shown; i++) {
		const struct usage_call *c = &u->recent[(u->requests - i) % USAGE_RECENT];

		clock_iso8601(c->at_unix_ms, at);
		mp_put_pairs(out, mp_cstr("at", at), mp_cstr("tool", c->tool), mp_uint("duration_ms", c->duration_ms),
		    mp_bool("ok", c->ok));
	}
}
