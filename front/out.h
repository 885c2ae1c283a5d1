/*
 * out - what a client is still owed, in order, without growing.
 *
 * Bytes are kept only when the socket does not take them at once; a shared
 * blob (tools/list) is kept by reference; a source makes its bytes block by
 * block as the socket drains, so that a slow reader of a large result costs
 * one block.
 */
#ifndef FRONT_OUT_H
#define FRONT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define OUT_BLOCK	(64u * 1024)	/* a source aims at this many bytes a call */

/* Immutable bytes shared by several owners. */
struct blob {
	unsigned	refs;
	size_t		len;
	uint8_t		bytes[];
};

struct blob *blob_new(struct span s);	/* one reference, the caller's */
struct blob *blob_ref(struct blob *b);
void blob_unref(struct blob *b);

struct source {
	/* Append about OUT_BLOCK more bytes.  False: nothing comes after them. */
	bool	(*fill)(void *arg, struct buf *out);
	/* No longer needed, finished or not. */
	void	(*release)(void *arg);
	void	*arg;
};

enum out_kind { OUT_BYTES, OUT_BLOB, OUT_SOURCE };

struct out_item {
	enum out_kind	 kind;
	bool		 chunked;	/* SOURCE: with HTTP chunk sizes around each block */
	size_t		 left;		/* BYTES, BLOB: not yet written */
	union {
		struct blob	*blob;
		struct source	 source;
	};
};

struct out {
	struct buf	 bytes;		/* of all OUT_BYTES items, in order */
	size_t		 sent;		/* of bytes */
	struct buf	 spill;		/* of the source in front: made, not written */
	size_t		 spilled;	/* of spill: written */
	struct out_item	*items;
	unsigned	 first, n, cap;
};

enum out_status { OUT_EMPTY, OUT_MORE, OUT_DEAD };

static inline bool
out_is_empty(const struct out *o)
{
	return o->n == 0;
}

/* Bytes in memory that wait for the socket, sources aside. */
size_t out_pending(const struct out *o);

/*
 * Append.  out_blob() takes a reference of its own; out_source() takes the
 * source over; chunked puts HTTP chunk sizes around its blocks, the last
 * chunk being the caller's.
 */
void out_bytes(struct out *o, struct span s);
void out_blob(struct out *o, struct blob *b);
void out_source(struct out *o, struct source source, bool chunked);

/* Write as much as fd takes.  OUT_DEAD: the peer is gone. */
enum out_status out_flush(struct out *o, int fd);

/* Write up to three spans at once when nothing waits, keep what is left. */
enum out_status out_send(struct out *o, int fd, struct span a, struct blob *b, struct span c);

void out_fini(struct out *o);

#endif
