/*
 * ingest - the tools that keep research findings, and the runs behind them.
 *
 * A run passes through its stages (run.h) in these files:
 *
 * queued	ingest.c takes the call, journals the run and answers; queue.c
 *		orders the runs, holds the writers' lock and resumes runs after a crash
 * triage	consult.c asks signals.c whether the text is worth keeping
 * propose	consult.c has propose.c read the text: its definitions and formulas, and
 *		the conditions around them (surroundings.c); and asks search for
 *		pages about the same subject
 * validate	consult.c asks the compiler and the database about each formula
 * write	work.c takes over: compose.c computes every file's new text
 *		(compose_page.c for the wiki, compose_layer.c for the semantic layer), the
 *		journal records the texts, apply.c puts them in place
 * commit	queue.c asks the supervisor for a commit and waits for it
 * done, error	work.c writes the final record
 *
 * Each stage is journaled before the next begins; run.c reads and writes the journal.
 */
#pragma once

#include "workers/memory/memory.h"

/* The tools. */
int ingest_run(struct call *c, const struct mp_value *args, struct err *err);
int ingest_status(struct call *c, const struct mp_value *args, struct err *err);
int ingest_log(struct call *c, const struct mp_value *args, struct err *err);
int ingest_show(struct call *c, const struct mp_value *args, struct err *err);
/* ingest_log() with the runs of another node's answer (NULL: none) among this one's. */
int ingest_log_with(struct call *c, const struct mp_value *args, const struct mp_value *log, struct span node,
    struct err *err);

/* ingest_show() of a run of this node alone. */
int ingest_show_own(struct call *c, const struct mp_value *args, struct err *err);
int ingest_approve(struct call *c, const struct mp_value *args, struct err *err);
int ingest_revert(struct call *c, const struct mp_value *args, struct err *err);
/* Whether the run's step was made already: 1, and it is answered; 0: it was not, also when there is no such run; -1. */
int ingest_is_approved(struct call *c, const struct mp_value *args, struct err *err);
int ingest_is_reverted(struct call *c, const struct mp_value *args, struct err *err);
int ingest_knowledge(struct call *c, const struct mp_value *args, struct err *err);
