/* verify_order - private to this folder: the order of rows by a column of text that holds numbers. */
#pragma once

#include "workers/agent/verify/verify_found.h"

/*
 * Put the rows of a list in the order of its numbers, where all texts of the column it is ordered by are numbers: a
 * database puts 10 before 9.  Of a limited list all rows are read, as others come first.  V2 fails where the numbers
 * are most of the texts but not all, or not all rows are read.  -1 with *err only when the call must end.
 */
int verify_order(struct answer_check *v, const struct ask_query *q, struct data_rows *r, struct err *err);
