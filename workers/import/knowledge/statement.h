/* statement - the tables of a statement, and the columns by which it joins and filters them; it is never run. */
#pragma once

#include "workers/import/knowledge/evidence.h"

enum statement_reading {
	STATEMENT_READ,
	STATEMENT_OTHER,	/* it reads no rows */
	STATEMENT_BROKEN,
	STATEMENT_LARGE,
	STATEMENT_READINGS
};

/* Counts what the statement tells, which was run that many times.  Of one that is not READ nothing is counted. */
enum statement_reading statement_read(struct log_evidence *e, enum sqltext_dialect text, struct span sql,
    uint64_t calls);
