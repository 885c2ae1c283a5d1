/*
 * knowledge - writes what was imported from another tool (workers/import/knowledge) into the project's own formats.
 *
 * Each table of the model becomes an overlay on the scanned entry, semantic-layer/CONNECTION/_imported/KIND-PROJECT/
 * SOURCE.yaml, and each page a page of the wiki.  A first line has a digest of the file: a file that its owner edited
 * is the owner's, stays, and what would go there is skipped.  Files written by hand come after imported ones and win.
 * What compiles and runs, for no rows, is taken; the rest is skipped, each by name and with a reason.
 */
#pragma once

#include "workers/memory/ingest/run.h"

struct call;

/*
 * Computes the changes that the model in r->content makes to the project now, into *out, and the report of r: what
 * became of each object.  Asks the compiler and the database within the open call.  *evidence (may be NULL) is set if
 * the model is evidence, which may only be proposed.  -1 with *err: the model cannot be read, or the database
 * did not answer.
 */
int knowledge_compose(struct call *c, struct run *r, struct run_changes *out, bool *evidence, struct err *err);
