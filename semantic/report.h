/*
 * report - private to this folder: the plan as people read it: sources and joins, filters, dimensions, measures, notes.
 */
#pragma once

#include "semantic/sem_plan.h"

int report_put(struct sem_plan *c, struct buf *out);
