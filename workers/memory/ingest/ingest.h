/*
 * ingest - the tools that keep what research found out, and the runs behind them.
 *
 * A run goes through its stages (run.h) by these hands:
 *
 *	queued		ingest.c takes the call, puts the run on record and answers; queue.c
 *			keeps the order, holds the writers' lock and takes up what a crash left
 *	triage		consult.c asks signals.c whether the text is worth keeping at all
 *	propose		consult.c has propose.c read the text: its definitions and formulas, and
 *			what around them limits them (surroundings.c); and asks search which
 *			pages are about the same
 *	validate	consult.c asks the compiler and the database about each formula
 *	write		work.c goes from here on: compose.c works out every file's new text
 *			(compose_page.c the wiki's, compose_layer.c the semantic layer's), the
 *			record takes them, apply.c puts them in place
 *	commit		queue.c asks the supervisor for a commit and waits for it
 *	done, error	work.c writes the record's last form
 *
 * Each stage is on record before the next begins; run.c reads and writes that.
 */
#ifndef WORKERS_MEMORY_INGEST_INGEST_H
#define WORKERS_MEMORY_INGEST_INGEST_H

#include "workers/memory/memory.h"

/* The tools. */
int ingest_run(struct call *c, const struct mp_value *args, struct err *err);
int ingest_status(struct call *c, const struct mp_value *args, struct err *err);
int ingest_log(struct call *c, const struct mp_value *args, struct err *err);
int ingest_show(struct call *c, const struct mp_value *args, struct err *err);
int ingest_approve(struct call *c, const struct mp_value *args, struct err *err);
int ingest_revert(struct call *c, const struct mp_value *args, struct err *err);

#endif
