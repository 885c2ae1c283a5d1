/*
 * snapshot_plain - table files in the shape scans write them, read in one pass
 * without a tree in between; private to project/.
 *
 * What it does not know (escapes, other members, other types) it leaves to the
 * strict reader, which also says what is wrong with a file.
 */
#ifndef PROJECT_SNAPSHOT_PLAIN_H
#define PROJECT_SNAPSHOT_PLAIN_H

#include "project/snapshot.h"

/* *t borrows from json and from a.  False: not this shape, or a is full; *t is undefined. */
bool snapshot_plain_table(struct arena *a, struct span json, struct snapshot_table *t);

#endif
