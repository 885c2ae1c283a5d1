/*
 * select - private to this folder: the planned query as one SELECT.
 *
 * One fact: one SELECT with joins.  Several: each fact's groups in a CTE of its own, stacked with UNION ALL and grouped
 * again, so that keys meet also where they are NULL and no join can multiply anything.
 */
#pragma once

#include "semantic/sem_plan.h"

int select_put(struct sem_plan *c, struct buf *out);
