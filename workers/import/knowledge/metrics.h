/* metrics - the metrics of MetricFlow, as measures. */
#pragma once

#include "workers/import/knowledge/metricflow.h"

/* Puts all metrics, and the measures that no metric is, into the models. */
void mf_take_metrics(struct mf *f);
