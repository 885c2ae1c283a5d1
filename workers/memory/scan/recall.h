/*
 * recall - caches the measurements of a connection's deep scans below .carrel/memory/scans/, for a scan that continues
 * an interrupted one, and for the next scan of tables whose rows have not changed.
 *
 * A log of entries with checksums, appended one by one: a process that is killed loses at most the last one.  The lock
 * of the connection's scans is held.  A damaged file is read up to the damage; one that cannot be read or written only
 * costs time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define RECALL_KEY	16
#define RECALL_MAX	((size_t)192 << 20)	/* largest file in bytes; further entries are dropped */
#define RECALL_HOURS	6			/* lifetime of an entry whose key does not contain the data's version */

struct recall_entry {
	uint8_t		key[RECALL_KEY];
	uint64_t	at_ms;		/* time of the measurement */
	size_t		at, len;	/* the value in text */
	bool		lasting;	/* the key includes the version of the data */
	bool		used;		/* used by the current scan */
};

struct recall {
	int			 dir, fd;	/* fd -1: nothing can be added */
	char			 name[300];
	struct buf		 text;		/* the file, with additions */
	size_t			 n, cap;
	struct recall_entry	*v;
	size_t			 ncells;
	uint32_t		*cells;		/* hash table of entry number + 1; 0: empty */
	uint64_t		 now_ms;
	size_t			 nreused;
};

/* Reads the file name in dir, which stays the caller's, and opens it for additions. */
void recall_open(struct recall *r, int dir, const char *name, uint64_t now_ms);

/* Makes the key of a question (kind and arguments) about data of this version (empty: unknown). */
void recall_key(uint8_t key[RECALL_KEY], const char *kind, struct span args, struct span version);

/* The value of key, a msgpack map valid until the next recall_add(); false: none. */
bool recall_find(struct recall *r, const uint8_t key[RECALL_KEY], struct span *value);

/* Adds value, a msgpack map.  lasting: key includes the data's version. */
void recall_add(struct recall *r, const uint8_t key[RECALL_KEY], bool lasting, struct span value);

/*
 * The scan is complete: drops entries that it did not use, and those that are not lasting.  Otherwise all entries stay
 * for the next scan.
 */
void recall_settle(struct recall *r);

/* Frees the members of r; a zeroed struct is allowed. */
void recall_fini(struct recall *r);
