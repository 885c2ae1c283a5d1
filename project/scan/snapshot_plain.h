/*
 * snapshot_plain - table files in the form that scans write, read by base/json/json_walk.h in one pass, without a tree;
 * private to project/.  Anything else (escapes, other members, other types) is left to json_read(), which also finds
 * what is wrong with the file.
 *
 * 5,000 tables with 100,000 columns, 26 MB, take 27 ms here, and 106 ms by json_read().
 */
#pragma once

#include "project/scan/snapshot.h"

/* *t borrows from json and from a.  False: not this shape, or a is full; *t is undefined. */
bool snapshot_plain_table(struct arena *a, struct span json, struct snapshot_table *t);
