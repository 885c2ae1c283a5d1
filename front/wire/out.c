#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "front/wire/out.h"

#define IOV_MAX_OURS	8
#define KEEP		1024	/* buffer capacity in bytes that an idle client may keep */
#define SPILL_ROOM	4096	/* of a source that has little to say, in one allocation */
#define CHUNK_HEAD	10	/* "0000ffff\r\n": leading zeros are allowed, RFC 9112 7.1 */

struct blob *
blob_new(struct span s)
{
	struct blob *b = mem_alloc(sizeof(*b) + s.len);

	b->refs = 1;
	b->len = s.len;
	if (s.len > 0)
		memcpy(b->bytes, s.p, s.len);
	return b;
}

struct blob *
blob_ref(struct blob *b)
{
	b->refs++;
	return b;
}

void
blob_unref(struct blob *b)
{
	if (b != NULL && --b->refs == 0)
		free(b);
}

/* buf_reserve(), which wipes what it frees. */
static void
make_room(struct buf *b, size_t n)
{
	struct buf old = *b;

	if (n <= old.cap - old.len)
		return;
	*b = (struct buf){ .max = old.max };
	(void)buf_reserve(b, old.len + n);
	buf_span(b, buf_view(&old));
	buf_wipe(&old);
}

/* Empty b, and keep little of its room. */
static void
forget_bytes(struct buf *b)
{
	if (b->cap > KEEP)
		buf_wipe(b);
	else if (b->len > 0)
		explicit_bzero(b->p, b->cap);
	b->len = 0;
}

static struct out_item *
out_push(struct out *o)
{
	if (o->first + o->n == o->cap) {
		if (o->first > 0) {
			memmove(o->items, o->items + o->first, o->n * sizeof(*o->items));
			o->first = 0;
		} else {
			o->cap = o->cap == 0 ? 4 : o->cap * 2;
			o->items = mem_resize(o->items, o->cap, sizeof(*o->items));
		}
	}
	return &o->items[o->first + o->n++];
}

static void
pop(struct out *o)
{
	struct out_item *i = &o->items[o->first];

	if (i->kind == OUT_BLOB)
		blob_unref(i->blob);
	else if (i->kind == OUT_SOURCE && i->source.fill != NULL)
		i->source.release(i->source.arg);
	o->first++;
	if (--o->n == 0) {
		o->first = 0;
		forget_bytes(&o->bytes);
		o->sent = 0;
		buf_wipe(&o->spill);
		o->spilled = 0;
	}
}

size_t
out_pending(const struct out *o)
{
	return o->bytes.len - o->sent + o->spill.len - o->spilled;
}

void
out_bytes(struct out *o, struct span s)
{
	struct out_item *last = o->n == 0 ? NULL : &o->items[o->first + o->n - 1];

	if (s.len == 0)
		return;
	if (o->sent > OUT_BLOCK) {
		buf_consume(&o->bytes, o->sent);
		o->sent = 0;
	}
	make_room(&o->bytes, s.len);
	buf_span(&o->bytes, s);
	if (last == NULL || last->kind != OUT_BYTES) {
		last = out_push(o);
		*last = (struct out_item){ .kind = OUT_BYTES };
	}
	last->left += s.len;
}

void
out_blob(struct out *o, struct blob *b)
{
	struct out_item *i = out_push(o);

	*i = (struct out_item){ .kind = OUT_BLOB, .left = b->len, .blob = blob_ref(b) };
}

void
out_source(struct out *o, struct out_source source, bool chunked)
{
	struct out_item *i = out_push(o);

	*i = (struct out_item){ .kind = OUT_SOURCE, .chunked = chunked, .source = source };
}

void
out_fini(struct out *o)
{
	while (o->n > 0)
		pop(o);
	buf_wipe(&o->bytes);
	buf_wipe(&o->spill);
	free(o->items);
	*o = (struct out){ .items = NULL };
}

/* Bytes written, 0 when the socket is full, -1 when it is dead. */
static ssize_t
write_some(int fd, const struct iovec *iov, int n)
{
	ssize_t done;

	do
		done = writev(fd, iov, n);
	while (done < 0 && errno == EINTR);
	if (done >= 0)
		return done;
	return errno == EAGAIN ? 0 : -1;
}

/* Read the next block of the first source into spill, with its framing. */
static bool
fill_spill(struct out *o)
{
	struct out_item *i = &o->items[o->first];
	char size[CHUNK_HEAD + 1];
	bool more;

	buf_reset(&o->spill, 2 * OUT_BLOCK);
	o->spilled = 0;
	(void)buf_reserve(&o->spill, SPILL_ROOM);
	if (!i->chunked)
		return i->source.fill(i->source.arg, &o->spill);
	buf_append(&o->spill, "0000ffff\r\n", CHUNK_HEAD);
	more = i->source.fill(i->source.arg, &o->spill);
	snprintf(size, sizeof(size), "%08zx\r\n", o->spill.len - CHUNK_HEAD);
	memcpy(o->spill.p, size, CHUNK_HEAD);
	if (o->spill.len == CHUNK_HEAD)
		o->spill.len = 0; /* an empty chunk would end the body */
	else
		buf_append(&o->spill, "\r\n", 2);
	return more;
}

/* OUT_EMPTY: the source is finished and removed. */
static enum out_status
flush_source(struct out *o, int fd)
{
	struct out_item *i = &o->items[o->first];

	for (;;) {
		struct iovec iov = { o->spill.p + o->spilled, o->spill.len - o->spilled };
		ssize_t done;

		if (iov.iov_len > 0) {
			if ((done = write_some(fd, &iov, 1)) < 0)
				return OUT_DEAD;
			o->spilled += (size_t)done;
			if (o->spilled < o->spill.len)
				return OUT_MORE;
		}
		if (i->source.fill == NULL)
			break;
		if (!fill_spill(o)) {
			i->source.fill = NULL; /* release the source while the last block is written */
			i->source.release(i->source.arg);
		}
	}
	buf_wipe(&o->spill);
	o->spilled = 0;
	pop(o);
	return OUT_EMPTY;
}

static int
out_gather(const struct out *o, struct iovec iov[IOV_MAX_OURS])
{
	size_t at = o->sent;
	int n = 0;

	for (unsigned k = 0; k < o->n && n < IOV_MAX_OURS; k++) {
		const struct out_item *i = &o->items[o->first + k];

		if (i->kind == OUT_SOURCE)
			break;
		iov[n].iov_len = i->left;
		if (i->kind == OUT_BYTES) {
			iov[n++].iov_base = o->bytes.p + at;
			at += i->left;
		} else
			iov[n++].iov_base = i->blob->bytes + (i->blob->len - i->left);
	}
	return n;
}

static void
drop_written(struct out *o, size_t done)
{
	while (done > 0) {
		struct out_item *i = &o->items[o->first];
		size_t n = done < i->left ? done : i->left;

		i->left -= n;
		done -= n;
		if (i->kind == OUT_BYTES)
			o->sent += n;
		if (i->left == 0)
			pop(o);
	}
}

enum out_status
out_flush(struct out *o, int fd)
{
	struct iovec iov[IOV_MAX_OURS];

	while (o->n > 0) {
		size_t want = 0;
		ssize_t done;
		int n;

		if (o->items[o->first].kind == OUT_SOURCE) {
			enum out_status status = flush_source(o, fd);

			if (status != OUT_EMPTY)
				return status;
			continue;
		}
		n = out_gather(o, iov);
		for (int k = 0; k < n; k++)
			want += iov[k].iov_len;
		if ((done = write_some(fd, iov, n)) < 0)
			return OUT_DEAD;
		drop_written(o, (size_t)done);
		if ((size_t)done < want)
			return OUT_MORE;
	}
	return OUT_EMPTY;
}

/* Queue what remains of s after the first done bytes. */
static size_t
keep_rest(struct out *o, struct span s, size_t done)
{
	size_t n = done < s.len ? done : s.len;

	out_bytes(o, span_of(s.p + n, s.len - n));
	return done - n;
}

enum out_status
out_send(struct out *o, int fd, struct span a, struct blob *b, struct span c)
{
	struct iovec iov[3] = {
		{ (void *)(uintptr_t)a.p, a.len },
		{ b == NULL ? NULL : b->bytes, b == NULL ? 0 : b->len },
		{ (void *)(uintptr_t)c.p, c.len },
	};
	size_t want = iov[0].iov_len + iov[1].iov_len + iov[2].iov_len, left;
	ssize_t done = 0;

	if (o->n == 0) {
		/* Shortcut for one span, the usual response. */
		done = write_some(fd, iov, want == a.len ? 1 : 3);
		if (done < 0)
			return OUT_DEAD;
		if ((size_t)done == want)
			return OUT_EMPTY;
	}
	left = keep_rest(o, a, (size_t)done);
	if (b != NULL && left < b->len) {
		out_blob(o, b);
		o->items[o->first + o->n - 1].left -= left;
		left = 0;
	} else if (b != NULL)
		left -= b->len;
	keep_rest(o, c, left);
	return OUT_MORE;
}
