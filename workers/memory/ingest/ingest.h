/* ingest - the tools that keep what research found out, and the runs behind them. */
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
