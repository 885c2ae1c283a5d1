/*
 * journal - entries of the audit between a front's answer and the state store: a file that one front and carrel-auth
 * map.
 *
 * What is put there is in the kernel's hands at once, without a call of it, and survives the death of every process.
 * carrel-auth takes it into the store soon, many entries at a time.  The file is a page of figures and a ring of
 * records:
 *
 *	record: uint64 position, uint64 Unix milliseconds, uint32 bytes of the entry, uint32 0, uint8[16] MAC,
 *	        the entry (a msgpack map), zeros up to a multiple of 8
 *
 * Positions count bytes over the life of the file.  The MAC is SipHash-2-4-128 over the record with zeros in its
 * place; since it covers the position, what was changed, inserted, moved, or put back from an earlier time is found.
 * That records were cut off at the end cannot be told from a death before they were written.
 *
 * Each figure is written by the process named with it; the other process checks it before use.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define JOURNAL_MAGIC		"carrelJ1"
#define JOURNAL_ID		16
#define JOURNAL_KEY		16
#define JOURNAL_PAGE		4096u
#define JOURNAL_RING		(2u << 20)	/* bytes, a power of two */
#define JOURNAL_FILE_BYTES	(JOURNAL_PAGE + JOURNAL_RING)
#define JOURNAL_HEAD		40u		/* bytes of a record in front of its entry */
#define JOURNAL_ENTRY_MAX	8192u		/* as AUDIT's */

struct journal_page {
	char			magic[8];	/* the supervisor, as the next three */
	uint8_t			id[JOURNAL_ID];	/* drawn when the file was made */
	char			boot[40];	/* of the kernel that was running when it was used last */
	uint64_t		restarted;	/* not 0: another one; the file may be of different moments */
	_Atomic uint64_t	taking;		/* carrel-auth: not 0: it looks here */
	_Atomic uint64_t	written;	/* the front: where the next record goes */
	_Atomic uint64_t	taken;		/* carrel-auth: up to here the store has it */
};

/* One end's view. */
struct journal {
	struct journal_page	*page;	/* NULL: not mapped */
	uint8_t			*ring;
	uint64_t		 at;	/* the writer's or the reader's place */
	uint8_t			 key[JOURNAL_KEY];
};

/* Map the file, which is closed in any case.  The writer's place is where the last one stopped.  False: errno. */
bool journal_map(struct journal *j, int fd, const uint8_t key[JOURNAL_KEY]);
void journal_unmap(struct journal *j);

/* carrel-auth takes entries from here: journal_put() may be tried. */
static inline bool
journal_is_taken(const struct journal *j)
{
	return j->page != NULL && atomic_load_explicit(&j->page->taking, memory_order_acquire) != 0;
}

/* record: JOURNAL_HEAD bytes of any content, then the entry.  False: there is no room at the moment. */
bool journal_put(struct journal *j, struct buf *record, uint64_t unix_ms);

enum journal_next { JOURNAL_NOTHING, JOURNAL_RECORD, JOURNAL_BROKEN };

/* The record at j->at, which moves behind it.  entry borrows from copy and is any bytes. */
enum journal_next journal_get(struct journal *j, struct buf *copy, uint64_t *unix_ms, struct span *entry);

/* Whether something was put behind j->at. */
static inline bool
journal_has_more(const struct journal *j)
{
	return atomic_load_explicit(&j->page->written, memory_order_acquire) != j->at;
}

/* Give up what is there. */
void journal_skip(struct journal *j);

/* The store has all up to j->at: entries before that are wiped. */
void journal_store_has(struct journal *j);
void journal_take_from(struct journal *j, bool taking);
