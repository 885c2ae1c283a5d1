/* export_metricflow - the semantic layer as semantic models and metrics of MetricFlow. */
#pragma once

#include "cli/export/export.h"

void export_metricflow(struct export *x);
