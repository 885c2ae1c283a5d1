/*
 * store_file - files that nodes share, in pieces; errors as in store.h.  Not for a store of the node's own alone.
 *
 * A revision of a file is visible once all of its pieces are there, and replaces the one before at that moment; the
 * newest revision of all is known with each question to the store.  The store knows neither names nor contents: a
 * name is a keyed digest, and so are those of the pieces (workers/auth/files).
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_FILE_DIGEST	32	/* bytes of a name, and of a piece's digest */

/* Spans die with the query. */
struct store_file {
	struct span	name, head, digests;	/* digests: one after the other; not listed */
	uint64_t	revision, size;
	uint64_t	at_ms;			/* when it was published, by the server's clock; listed alone */
	bool		removed, doubted;	/* doubted: a node could not use what the store has of it */
};

/* Call fn with each file that has a newer revision than `after`, or is doubted, the older revisions first. */
int store_file_list(struct store *s, uint64_t after, void (*fn)(void *arg, const struct store_file *f), void *arg,
    struct err *err);

/* The newest revision, and how many files are doubted, as this node's last question had it. */
uint64_t store_file_newest(const struct store *s);
uint64_t store_file_doubts(const struct store *s);

/* Append the digests of a revision, or a piece: 1; 0: it is gone; -1. */
int store_file_digests(struct store *s, struct span name, uint64_t revision, struct buf *out, struct err *err);
int store_file_piece(struct store *s, struct span name, struct span digest, struct buf *sealed, struct err *err);

/* Keep a piece of a revision that is to be published. */
int store_file_keep_piece(struct store *s, struct span name, struct span digest, struct span sealed, struct err *err);

enum store_file_published {
	STORE_FILE_PUBLISHED,
	STORE_FILE_AGAIN,	/* another file was published: revision is not the next number any more */
	STORE_FILE_CHANGED,	/* the file has not the revision base */
	STORE_FILE_FULL,	/* all files would take more than most */
	STORE_FILE_LACKING	/* pieces are missing */
};

/* Publish a revision in the place of base (0: there is no row).  enum store_file_published, or -1. */
int store_file_publish(struct store *s, const struct store_file *f, uint64_t base, uint64_t most, struct err *err);

/* Have a node that has the file of that revision send all of it again. */
int store_file_doubt(struct store *s, struct span name, uint64_t revision, struct err *err);
