/*
 * left - server processes that workers left running on database servers,
 * remembered until they have ended.  Pure: wiring.c informs the other
 * processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define LEFT_MAX	64u	/* beyond that, the oldest is forgotten */
#define LEFT_PRINT	32u

/* A server process that a worker of the connection left while it ran a statement. */
struct left_behind {
	char		connection[129];	/* empty: a free place */
	uint64_t	pid, since_unix_ms;
	bool		known;			/* print is set */
	bool		stuck;			/* it was seen after it should have ended */
	uint8_t		print[LEFT_PRINT];
};

struct left {
	struct left_behind	places[LEFT_MAX];
};

typedef void left_fn(void *arg, const struct left_behind *l);

/* A worker reports that it left pid while it ran the statement with this print. */
void left_note(struct left *left, const char *connection, uint64_t pid, uint64_t since_unix_ms, struct span print);

/*
 * A worker saw these server processes of the connection: POOL_SEEN's list.
 * Processes that are not in it have ended.  waited: the abandoned ones have
 * had their time to end.  stuck is called once for each one that turns out not
 * to end.
 */
void left_seen(struct left *left, const char *connection, struct span list, bool waited, left_fn *stuck, void *arg);

/* Calls fn for those that do not end and whose statement is known. */
void left_each_known(const struct left *left, left_fn *fn, void *arg);

/* Puts the member "stuck" of a connection: an array of {pid, since, fingerprint}. */
void left_put(struct buf *out, const struct left *left, const char *connection);
