/*
 * scanned - private to this folder: which table of the scan the `table` of a hand-written source names; see
 * model_inner.h.
 */
#pragma once

#include "semantic/model_inner.h"

/* fills in the table of every source, and which sources of a scan are covered by hand-written ones. */
void scanned_find(struct sem_model *m);
