/* ingest - the tools that keep what research found out, and the runs behind them. */
#ifndef WORKERS_MEMORY_INGEST_H
#define WORKERS_MEMORY_INGEST_H

#include "workers/memory/memory.h"

/* At start: find the runs that were cut short.  Before seccomp. */
void ingest_open(struct memory *m);
void ingest_close(struct memory *m);

/* One step of the runs that wait. */
void ingest_idle(struct memory *m);

/* What came of the commit that was asked for. */
void ingest_committed(struct memory *m, const struct ipc_committed *msg);

/* Readable while runs wait. */
int ingest_watch(const struct memory *m);

/* The tools. */
int ingest_run(struct call *c, const struct mp_value *args, struct err *err);
int ingest_meanwhile(struct call *c, const struct mp_value *args, struct err *err);
int ingest_status(struct call *c, const struct mp_value *args, struct err *err);
int ingest_log(struct call *c, const struct mp_value *args, struct err *err);
int ingest_show(struct call *c, const struct mp_value *args, struct err *err);
int ingest_approve(struct call *c, const struct mp_value *args, struct err *err);
int ingest_revert(struct call *c, const struct mp_value *args, struct err *err);

#endif
