/*
 * latest - the latest form of MetricFlow's YAML (dbt 1.12), in which models have the semantics of their columns and
 * metrics aggregate by themselves, as trees of the form before, which metricflow.c reads.
 */
#pragma once

#include "workers/import/knowledge/trees.h"

/* The semantic model that a model of dbt declares; NULL: it declares none. */
const struct yaml_node *latest_model(struct knowledge *k, const struct yaml_node *model);

/* A metric as it was before: the same node if it is one.  model: the semantic model that has it; empty: none. */
const struct yaml_node *latest_metric(struct knowledge *k, const struct yaml_node *metric, struct span model);
