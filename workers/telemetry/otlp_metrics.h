/* otlp_metrics - the metrics in the JSON of opentelemetry-proto (ExportMetricsServiceRequest). */
#pragma once

#include "policy/metrics.h"
#include "workers/telemetry/otlp_spans.h"

/* Sums are cumulative, from started_ns on; both are Unix nanoseconds. */
void otlp_metrics_request(struct buf *out, const struct otlp_service *s, const struct metrics *m, uint64_t started_ns,
    uint64_t now_ns);
