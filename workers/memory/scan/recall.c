#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/system/io.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "project/format/atomic.h"
#include "project/format/files.h"
#include "workers/memory/scan/recall.h"

/*
 * The file: MAGIC, then entries of a head and a value.  The head's numbers are
 * little-endian: length of the value (4 bytes), lasting (1), time in
 * milliseconds (8), key; then the sum of all of these and the value.
 */
#define MAGIC		"carrel recall 1\n"
#define SUM		8
#define HEAD		(4 + 1 + 8 + RECALL_KEY + SUM)
#define HOUR_MS		UINT64_C(3600000)

static void
put_number(uint8_t *out, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		out[i] = (uint8_t)v;
}

static uint64_t
get_number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static void
sum_of(const uint8_t *head, struct span value, uint8_t sum[SUM])
{
	crypto_generichash_state state;
	uint8_t out[crypto_generichash_BYTES_MIN];

	crypto_generichash_init(&state, NULL, 0, sizeof(out));
	crypto_generichash_update(&state, head, HEAD - SUM);
	crypto_generichash_update(&state, value.p, value.len);
	crypto_generichash_final(&state, out, sizeof(out));
	memcpy(sum, out, SUM);
}

void
recall_key(uint8_t key[RECALL_KEY], const char *kind, struct span args, struct span version)
{
	crypto_generichash_state state;
	uint8_t lengths[16];

	put_number(lengths, 8, args.len);
	put_number(lengths + 8, 8, version.len);
	crypto_generichash_init(&state, NULL, 0, RECALL_KEY);
	crypto_generichash_update(&state, (const uint8_t *)kind, strlen(kind) + 1);
	crypto_generichash_update(&state, lengths, sizeof(lengths));
	crypto_generichash_update(&state, args.p, args.len);
	crypto_generichash_update(&state, version.p, version.len);
	crypto_generichash_final(&state, key, RECALL_KEY);
}

/* Keys are digests, so their first bytes serve as a hash. */
static size_t
place_of(const struct recall *r, const uint8_t *key)
{
	size_t i = (size_t)get_number(key, 8) & (r->ncells - 1);

	while (r->cells[i] != 0 && memcmp(r->v[r->cells[i] - 1].key, key, RECALL_KEY) != 0)
		i = (i + 1) & (r->ncells - 1);
	return i;
}

static void
recall_grow(struct recall *r)
{
	r->cap = r->cap == 0 ? 256 : r->cap * 2;
	r->ncells = r->cap * 2;
	free(r->cells);
	r->v = mem_resize(r->v, r->cap, sizeof(*r->v));
	r->cells = mem_new(r->ncells, sizeof(*r->cells));
	for (size_t i = 0; i < r->n; i++)
		r->cells[place_of(r, r->v[i].key)] = (uint32_t)(i + 1);
}

/* The newest entry of a key counts. */
static void
note_entry(struct recall *r, const struct recall_entry *e)
{
	size_t cell;

	if (r->n == r->cap)
		recall_grow(r);
	cell = place_of(r, e->key);
	if (r->cells[cell] != 0) {
		r->v[r->cells[cell] - 1] = *e;
		return;
	}
	r->v[r->n++] = *e;
	r->cells[cell] = (uint32_t)r->n;
}

/* Reads the entry at the start of s; returns its length, 0: none. */
static size_t
read_entry(const struct recall *r, struct span s, struct recall_entry *e)
{
	uint8_t sum[SUM];
	struct span value;
	struct mp_value v;

	if (s.len < HEAD || get_number(s.p, 4) > s.len - HEAD)
		return 0;
	value = span_of(s.p + HEAD, (size_t)get_number(s.p, 4));
	sum_of(s.p, value, sum);
	if (memcmp(sum, s.p + HEAD - SUM, SUM) != 0 || mp_scan(value) != MP_OK || !mp_value(value, &v) ||
	    v.class != MP_MAP)
		return 0;
	*e = (struct recall_entry){ .at_ms = get_number(s.p + 5, 8), .lasting = s.p[4] == 1,
		.at = (size_t)(value.p - r->text.p), .len = value.len };
	memcpy(e->key, s.p + 13, RECALL_KEY);
	return HEAD + value.len;
}

/* False: the file has another format or is damaged. */
static bool
read_all(struct recall *r)
{
	size_t at = strlen(MAGIC), n;
	struct recall_entry e;

	if (files_read(r->dir, r->name, RECALL_MAX, &r->text, NULL) != FILES_OK || r->text.len < at ||
	    memcmp(r->text.p, MAGIC, at) != 0) {
		r->text.len = 0;
		return false;
	}
	for (; at < r->text.len; at += n) {
		if ((n = read_entry(r, span_of(r->text.p + at, r->text.len - at), &e)) == 0) {
			r->text.len = at;
			return false;
		}
		/* A time in the future was written before the clock was set back. */
		if (e.lasting || (e.at_ms <= r->now_ms && r->now_ms - e.at_ms < RECALL_HOURS * HOUR_MS))
			note_entry(r, &e);
	}
	return true;
}

void
recall_open(struct recall *r, int dir, const char *name, uint64_t now_ms)
{
	struct err err;

	*r = (struct recall){ .dir = dir, .fd = -1, .now_ms = now_ms, .text = BUF_MAX(RECALL_MAX) };
	snprintf(r->name, sizeof(r->name), "%s", name);
	if (!read_all(r)) {
		if (r->text.len == 0)
			buf_str(&r->text, MAGIC);
		if (atomic_replace(dir, name, buf_view(&r->text), &err) != 0) {
			log_warn("what a scan finds out is not kept: %s", err.message);
			return;
		}
	}
	r->fd = openat(dir, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
}

bool
recall_find(struct recall *r, const uint8_t key[RECALL_KEY], struct span *value)
{
	struct recall_entry *e;
	uint32_t i;

	if (r->n == 0 || (i = r->cells[place_of(r, key)]) == 0)
		return false;
	e = &r->v[i - 1];
	r->nreused += !e->used;
	e->used = true;
	*value = span_of(r->text.p + e->at, e->len);
	return true;
}

/* Write all n bytes; after a failure nothing more is written. */
static void
recall_append(struct recall *r, const uint8_t *p, size_t n)
{
	if (r->fd >= 0 && io_write(r->fd, span_of(p, n)) != 0) {
		close(r->fd);
		r->fd = -1;
	}
}

static void
put_entry(struct buf *out, const struct recall_entry *e, struct span value)
{
	uint8_t head[HEAD];

	put_number(head, 4, value.len);
	head[4] = e->lasting;
	put_number(head + 5, 8, e->at_ms);
	memcpy(head + 13, e->key, RECALL_KEY);
	sum_of(head, value, head + HEAD - SUM);
	buf_append(out, head, HEAD);
	buf_span(out, value);
}

void
recall_add(struct recall *r, const uint8_t key[RECALL_KEY], bool lasting, struct span value)
{
	struct recall_entry e = { .at_ms = r->now_ms, .lasting = lasting, .used = true, .len = value.len };
	size_t start = r->text.len;

	/* An entry without room is measured again by the next scan. */
	if (r->text.len == 0 || value.len > RECALL_MAX - HEAD || r->text.len > RECALL_MAX - HEAD - value.len)
		return;
	memcpy(e.key, key, RECALL_KEY);
	put_entry(&r->text, &e, value);
	e.at = start + HEAD;
	note_entry(r, &e);
	recall_append(r, r->text.p + start, r->text.len - start);
}

void
recall_settle(struct recall *r)
{
	struct buf out = { .max = RECALL_MAX };
	struct err err;

	buf_str(&out, MAGIC);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].used && r->v[i].lasting)
			put_entry(&out, &r->v[i], span_of(r->text.p + r->v[i].at, r->v[i].len));
	if (!out.full && !span_is(buf_view(&out), buf_view(&r->text)) &&
	    atomic_replace(r->dir, r->name, buf_view(&out), &err) != 0)
		log_warn("what a scan found out cannot be put in order: %s", err.message);
	buf_fini(&out);
}

void
recall_fini(struct recall *r)
{
	if (r->name[0] != '\0' && r->fd >= 0)
		close(r->fd);
	buf_fini(&r->text);
	free(r->v);
	free(r->cells);
	*r = (struct recall){ .dir = -1, .fd = -1 };
}
