/*
 * out - the output queue of a client, in bounded memory.
 *
 * Bytes are copied only when the socket does not accept them at once.  A shared blob (tools/list) is
 * kept by reference.  A source produces its bytes block by block as the socket drains, so that a slow
 * reader of a large result costs one block.  The memory of what was queued is wiped: it may be a secret.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define OUT_BLOCK	(64u * 1024)	/* a source appends about this many bytes per call */

/* Immutable bytes shared by several owners. */
struct blob {
	unsigned	refs;
	size_t		len;
	uint8_t		bytes[];
};

struct blob *blob_new(struct span s);	/* with one reference, which the caller owns */
struct blob *blob_ref(struct blob *b);
void blob_unref(struct blob *b);

struct out_source {
	/* Append about OUT_BLOCK more bytes.  False: the source has ended. */
	bool	(*fill)(void *arg, struct buf *out);
	/* Free the source's data, whether or not the source has ended. */
	void	(*release)(void *arg);
	void	*arg;
};

enum out_kind { OUT_BYTES, OUT_BLOB, OUT_SOURCE };

struct out_item {
	enum out_kind	 kind;
	bool		 chunked;	/* SOURCE: frame each block as an HTTP chunk */
	size_t		 left;		/* BYTES, BLOB: bytes not yet written */
	union {
		struct blob	*blob;
		struct out_source	 source;
	};
};

struct out {
	struct buf	 bytes;		/* content of all OUT_BYTES items, in order */
	size_t		 sent;		/* bytes already written */
	struct buf	 spill;		/* block of the first source: produced, not yet written */
	size_t		 spilled;	/* bytes of spill already written */
	struct out_item	*items;
	unsigned	 first, n, cap;
};

enum out_status { OUT_EMPTY, OUT_MORE, OUT_DEAD };

static inline bool
out_is_empty(const struct out *o)
{
	return o->n == 0;
}

/* Bytes in memory that wait for the socket, without sources. */
size_t out_pending(const struct out *o);

/*
 * Append.  out_blob() takes a reference of its own.  out_source() takes ownership of the source.
 * chunked frames its blocks as HTTP chunks; the caller adds the last chunk.
 */
void out_bytes(struct out *o, struct span s);
void out_blob(struct out *o, struct blob *b);
void out_source(struct out *o, struct out_source source, bool chunked);

/* Write as much as fd accepts.  OUT_DEAD: the peer is gone. */
enum out_status out_flush(struct out *o, int fd);

/* Write up to three spans at once when the queue is empty; queue the rest. */
enum out_status out_send(struct out *o, int fd, struct span a, struct blob *b, struct span c);

void out_fini(struct out *o);
