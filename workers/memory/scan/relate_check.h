/*
 * relate_check - checks candidates by SQL, and decides; see relate.h.
 *
 * First the best candidate of every column is checked, then the second ones of columns whose first failed, and so on;
 * composite keys last.  The order of the answers has no influence.
 */
#pragma once

#include "workers/memory/scan/relate.h"

/*
 * Checks the candidates by SQL and decides.  A failed check leaves its candidate for review; -1 with *err when the
 * call is over.  Progress runs from..to.
 */
int relate_check(struct relate *r, const struct deep *d, unsigned from, unsigned to, struct err *err);
