/*
 * metrics - the metrics and their text for Prometheus.  The table is metrics.def.
 *
 * Each process counts in its own set.  Fronts report theirs to the supervisor, which sums them; the front that is
 * asked gets the sum and writes it.  The layout follows the tables of this build, so only processes of the same build
 * understand it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "policy/audit_words.h"
#include "policy/tools.h"

#define METRICS_POOLS_MAX	1024u	/* in a set; further ones are not counted */

enum metric {
#define METRIC(NAME, ...)	METRIC_##NAME,
#include "policy/metrics.def"
#undef METRIC
	METRICS
};

enum metric_reason {
#define REASON(NAME, name)	METRIC_REASON_##NAME,
#include "policy/metrics.def"
#undef REASON
	METRIC_REASONS
};

/* The counting process. */
enum metric_source { METRIC_BY_FRONT = 1, METRIC_BY_SUPERVISOR = 2, METRIC_BY_SEARCH = 4, METRIC_BY_AUTH = 8,
	METRIC_BY_TELEMETRY = 16 };

/* The part of a set that is added to another one: an ended process has no gauges. */
enum metric_part { METRIC_ALL, METRIC_COUNTERS };

struct metrics;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);	/* NULL is allowed */

size_t metric_row_of_tool(const struct policy_tool *tool);
size_t metric_row_of_call(const struct policy_tool *tool, enum audit_outcome outcome);
size_t metric_row_of_code(enum err_code code);
size_t metric_row_of_role(enum ipc_role role);
size_t metric_row_of_restart(enum ipc_role role, enum metric_reason reason);
/* connection is empty but for role sql.  The row is made if it is missing. */
size_t metric_row_of_pool(struct metrics *m, enum ipc_role role, struct span connection);

void metric_add(struct metrics *m, enum metric metric, size_t row, uint64_t n);
void metric_set(struct metrics *m, enum metric metric, size_t row, uint64_t n);
/* A duration, of a HISTOGRAM. */
void metric_observe(struct metrics *m, enum metric metric, size_t row, uint64_t ns);

/* Append the numbers that are not zero, as a map. */
void metrics_pack(const struct metrics *m, struct buf *out);

/*
 * Add the numbers of packed, from sources (a mask of METRIC_BY_*) alone.  Anybody's bytes: what is not as
 * metrics_pack() writes it is left out.
 */
void metrics_take(struct metrics *m, struct span packed, unsigned sources, enum metric_part part);

/* Set what is read from a worker's report, a map. */
void metrics_take_report(struct metrics *m, enum metric_source source, struct span report);

/* One line of the exposition.  Of a HISTOGRAM buckets has one number more than bounds, the last of what is beyond. */
struct metric_point {
	const char	*name, *unit, *help;	/* unit may be empty */
	bool		 counts;		/* it only grows */
	size_t		 nlabels;
	struct {
		const char	*name, *value;
	}		 labels[2];
	double		 value;			/* of a histogram the sum */
	size_t		 nbounds;		/* 0: it is no histogram */
	const double	*bounds;
	const uint64_t	*buckets;
};

/* Every line that metrics_text() would write, the lines of a metric one after the other. */
void metrics_each(const struct metrics *m, void (*fn)(void *arg, const struct metric_point *p), void *arg);

#define METRICS_TYPE_OPEN	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define METRICS_TYPE_PLAIN	"text/plain; version=0.0.4; charset=utf-8"

/* The whole exposition.  open: as OpenMetrics, else as Prometheus' older text format. */
void metrics_text(const struct metrics *m, bool open, struct buf *out);
