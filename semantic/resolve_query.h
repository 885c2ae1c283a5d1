/*
 * resolve_query - private to this folder: what a query asks for: its measures, segments, dimensions and filters; see
 * sem_plan.h.
 */
#pragma once

#include "semantic/sem_plan.h"

/* The measure that query item i, or the predefined measure def of node, stands for. */
struct plan_measure *resolve_measure_item(struct sem_plan *c, size_t i);

int resolve_segments(struct sem_plan *c);
int resolve_dimensions(struct sem_plan *c);
int resolve_filters(struct sem_plan *c);
