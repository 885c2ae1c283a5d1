#include "workers/telemetry/otlp_metrics.h"

#include <string.h>

#include "base/json/json_put.h"
#include "base/text/num.h"

#define CUMULATIVE	2u	/* AggregationTemporality of metrics.proto */

struct metrics_writer {
	struct buf	*out;
	const char	*open;		/* the metric whose points are written; NULL: none */
	bool		 counts, buckets;
	uint64_t	 started_ns, now_ns;
};

static void
close_metric(struct metrics_writer *w)
{
	if (w->open == NULL)
		return;
	json_end_list(w->out);
	if (w->counts || w->buckets)
		json_put_uint(w->out, "aggregationTemporality", CUMULATIVE);
	if (w->counts && !w->buckets)
		json_put_bool(w->out, "isMonotonic", true);
	json_end_object(w->out);
	json_end_object(w->out);
	w->open = NULL;
}

static void
open_metric(struct metrics_writer *w, const struct metric_point *p)
{
	const char *unit = strcmp(p->unit, "seconds") == 0 ? "s" : strcmp(p->unit, "bytes") == 0 ? "By" : p->unit;

	w->open = p->name;
	w->counts = p->counts;
	w->buckets = p->nbounds > 0;
	json_put_object(w->out, NULL);
	json_put_cstr(w->out, "name", p->name);
	json_put_cstr(w->out, "description", p->help);
	json_put_cstr(w->out, "unit", *unit == '\0' ? "1" : unit);
	json_put_object(w->out, w->buckets ? "histogram" : w->counts ? "sum" : "gauge");
	json_put_list(w->out, "dataPoints");
}

static void
put_double(struct buf *out, const char *key, double v)
{
	char text[32];

	json_put_raw(out, key, span_of(text, num_print_double(v, text)));
}

static void
put_buckets(struct metrics_writer *w, const struct metric_point *p)
{
	uint64_t n = 0;

	json_put_list(w->out, "bucketCounts");
	for (size_t i = 0; i <= p->nbounds; i++) {
		otlp_spans_put_long(w->out, NULL, p->buckets[i]);
		n += p->buckets[i];
	}
	json_end_list(w->out);
	json_put_list(w->out, "explicitBounds");
	for (size_t i = 0; i < p->nbounds; i++)
		put_double(w->out, NULL, p->bounds[i]);
	json_end_list(w->out);
	otlp_spans_put_long(w->out, "count", n);
	put_double(w->out, "sum", p->value);
}

static void
put_point(void *arg, const struct metric_point *p)
{
	struct metrics_writer *w = arg;

	if (w->open == NULL || strcmp(w->open, p->name) != 0) {
		close_metric(w);
		open_metric(w, p);
	}
	json_put_object(w->out, NULL);
	json_put_list(w->out, "attributes");
	for (size_t i = 0; i < p->nlabels; i++) {
		json_put_object(w->out, NULL);
		json_put_cstr(w->out, "key", p->labels[i].name);
		json_put_object(w->out, "value");
		json_put_cstr(w->out, "stringValue", p->labels[i].value);
		json_end_object(w->out);
		json_end_object(w->out);
	}
	json_end_list(w->out);
	if (p->counts)
		otlp_spans_put_long(w->out, "startTimeUnixNano", w->started_ns);
	otlp_spans_put_long(w->out, "timeUnixNano", w->now_ns);
	if (p->nbounds > 0)
		put_buckets(w, p);
	else
		put_double(w->out, "asDouble", p->value);
	json_end_object(w->out);
}

void
otlp_metrics_request(struct buf *out, const struct otlp_service *s, const struct metrics *m, uint64_t started_ns,
    uint64_t now_ns)
{
	struct metrics_writer w = { .out = out, .started_ns = started_ns, .now_ns = now_ns };

	json_put_object(out, NULL);
	json_put_list(out, "resourceMetrics");
	json_put_object(out, NULL);
	otlp_spans_resource(out, s);
	json_put_list(out, "scopeMetrics");
	json_put_object(out, NULL);
	otlp_spans_scope(out);
	json_put_list(out, "metrics");
	metrics_each(m, put_point, &w);
	close_metric(&w);
	json_end_list(out);
	json_end_object(out);
	json_end_list(out);
	json_end_object(out);
	json_end_list(out);
	json_end_object(out);
}
