/*
 * quarantine - holds back statements that killed workers, so that one bad query cannot take down a
 * whole pool.  What a dead worker was running is kept in a grave until it is known how it died.  Pure: the
 * caller passes the time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "ipc/print.h"

#define QUARANTINE_DEATHS	2
/* period in which deaths are counted, and for which a statement is held */
#define QUARANTINE_NS		(UINT64_C(600) * 1000000000)
#define QUARANTINE_MAX		256	/* entries; beyond: the entry that ends first is dropped */
#define QUARANTINE_GRAVES	64u	/* beyond: the oldest is dropped */

struct suspect {
	struct print	print;
	char			connection[129];
	unsigned		deaths;		/* 0: free slot */
	bool			stuck;		/* the database server did not cancel the statement */
	uint64_t		until;		/* the entry expires then */
};

struct grave {
	uint64_t	generation;	/* of the dead worker; 0: free slot */
	struct print	print;
	char		connection[129];
};

struct quarantine {
	struct suspect	suspects[QUARANTINE_MAX];
	unsigned	count;		/* used entries; while it is 0, statements need not be hashed */
	struct grave	graves[QUARANTINE_GRAVES];
	unsigned	next_grave;
};

/* The worker of this generation died while running the statement. */
void quarantine_bury(struct quarantine *q, uint64_t generation, struct span connection, struct span statement);

/* It is known how that worker died: by its own fault, which counts against the statement, or not. */
void quarantine_settle(struct quarantine *q, uint64_t generation, bool own, uint64_t now);

/* The database server did not cancel the statement: hold it at once. */
void quarantine_hold(struct quarantine *q, const struct print *print, struct span connection, uint64_t now);

/* Remaining nanoseconds; 0: the statement may run.  *stuck: held because of the server. */
uint64_t quarantine_held(struct quarantine *q, struct span connection, struct span statement,
    uint64_t now, bool *stuck);

/* -1 with *err when the statement may not run now. */
int quarantine_check(struct quarantine *q, struct span connection, struct span statement, uint64_t now,
    struct err *err);

/* Drop all entries; returns how many statements were held. */
unsigned quarantine_clear(struct quarantine *q, uint64_t now);

/*
 * Append a JSON array of the held statements: connection, first 16 hex digits of the hash, stuck or
 * not, seconds left.
 */
void quarantine_put(const struct quarantine *q, uint64_t now, struct buf *out);
