/*
 * quarantine - statements that brought workers down are held back, so that
 * one poison query cannot grind a pool down.  Pure: the caller brings the time.
 */
#ifndef FRONT_QUARANTINE_H
#define FRONT_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "ipc/print.h"

#define QUARANTINE_DEATHS	2
#define QUARANTINE_NS		(UINT64_C(600) * 1000000000)	/* counted and held for this long */
#define QUARANTINE_MAX		256	/* beyond: the one that ends first is forgotten */

struct suspect {
	struct print	print;
	char			connection[129];
	unsigned		deaths;		/* 0: free slot */
	bool			stuck;		/* the database server did not end it */
	uint64_t		until;		/* forgotten, or free again, after this */
};

struct quarantine {
	struct suspect	suspects[QUARANTINE_MAX];
	unsigned	count;		/* slots in use: nothing is hashed while it is 0 */
};

/* A worker died of its own making while it ran this. */
void quarantine_death(struct quarantine *q, const struct print *print,
    struct span connection, uint64_t now);

/* The database server does not end it: held at once. */
void quarantine_hold(struct quarantine *q, const struct print *print, struct span connection, uint64_t now);

/* Nanoseconds it is still held for; 0: it may run.  *stuck: because of the server. */
uint64_t quarantine_held(struct quarantine *q, struct span connection, struct span statement,
    uint64_t now, bool *stuck);

/* Forget everything; returns how many were held. */
unsigned quarantine_clear(struct quarantine *q, uint64_t now);

/* Append a JSON array of what is held: connection, first 16 hex digits, whether stuck, seconds left. */
void quarantine_put(const struct quarantine *q, uint64_t now, struct buf *out);

#endif
