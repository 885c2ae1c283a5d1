/*
 * recall - what deep scans of one connection found out from the data, kept
 * below .carrel/memory/scans/ so that it is not asked for again: by a scan
 * that goes on where an interrupted one stopped, and by the next one about
 * tables whose rows have not changed.
 *
 * A log of entries, appended as they come and each with a check sum: a process
 * that is killed loses at most the one it was writing.  The lock of the
 * connection's scans is held.  A file that is damaged is a shorter file; one
 * that cannot be read or written costs the scan time and nothing else.
 */
#ifndef WORKERS_MEMORY_SCAN_RECALL_H
#define WORKERS_MEMORY_SCAN_RECALL_H

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
	bool		lasting;	/* the key holds what changes with the data */
	bool		used;		/* used by the current scan */
};

struct recall {
	int			 dir, fd;	/* fd -1: nothing can be added */
	char			 name[300];
	struct buf		 text;		/* the file, and what was added */
	size_t			 n, cap;
	struct recall_entry	*v;
	size_t			 ncells;
	uint32_t		*cells;		/* entries + 1 by key, hashed; 0: empty */
	uint64_t		 now_ms;
	size_t			 nreused;
};

/* Read the file name in dir, which stays the caller's, and get ready to add to it. */
void recall_open(struct recall *r, int dir, const char *name, uint64_t now_ms);

/* The key of what was asked (kind and arguments) of data in this state (empty: not known). */
void recall_key(uint8_t key[RECALL_KEY], const char *kind, struct span args, struct span version);

/* The value of key, a msgpack map valid until the next recall_add(); false: it is not known. */
bool recall_find(struct recall *r, const uint8_t key[RECALL_KEY], struct span *value);

/* Keep value, a msgpack map.  lasting: key holds a version. */
void recall_add(struct recall *r, const uint8_t key[RECALL_KEY], bool lasting, struct span value);

/*
 * The scan is complete: what it did not use, and what does not last, is
 * forgotten.  Without this everything stays for the next one.
 */
void recall_settle(struct recall *r);

/* Frees the members of r; a zeroed struct is allowed. */
void recall_fini(struct recall *r);

#endif
