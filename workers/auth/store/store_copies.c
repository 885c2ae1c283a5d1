/* store_copies.c - see store_copies.h. */
#include "workers/auth/store/store_copies.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "workers/auth/store/store_driver.h"

#define CHAIN_COLUMNS	10	/* of STORE_CHAIN_COLUMNS */

/* Types of PostgreSQL's elements. */
enum { ELEMENT_BYTEA = 17, ELEMENT_INT8 = 20, ELEMENT_TEXT = 25 };

static void
read_chain(struct store_query *q, struct store_chain *c)
{
	*c = (struct store_chain){ .age_ms = 0 };
	(void)store_column_blob(q, 0, c->id, sizeof(c->id));
	store_column_text(q, 1, c->node, sizeof(c->node));
	c->newest.seq = store_column_uint(q, 2);
	(void)store_column_blob(q, 3, c->newest.hash, AUDIT_HASH);
	(void)store_column_blob(q, 4, c->mac, sizeof(c->mac));
	c->kept = store_column_uint(q, 5);
	c->checkpoint.seq = store_column_uint(q, 6);
	(void)store_column_blob(q, 7, c->checkpoint.hash, AUDIT_HASH);
	c->substance = store_column_uint(q, 8);
	c->days = store_column_uint(q, 9);
}

int
store_chain(struct store *s, const uint8_t id[AUDIT_CHAIN], uint64_t upto, struct store_chain *out,
    uint8_t hash[AUDIT_HASH], bool *has_hash, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CHAIN, err, STORE_B(id, AUDIT_CHAIN), STORE_N(upto));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	read_chain(q, out);
	*has_hash = store_column_blob(q, CHAIN_COLUMNS, hash, AUDIT_HASH);
	return store_found(q);
}

int
store_chain_forget(struct store *s, const uint8_t id[AUDIT_CHAIN], struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CHAIN_FORGET, err, STORE_B(id, AUDIT_CHAIN)), NULL, err);
}

int
store_chains(struct store *s, void (*fn)(void *arg, const struct store_chain *c), void *arg, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_CHAINS, err);
	struct store_chain c;
	int found;

	while ((found = store_look(q, err)) == 1) {
		read_chain(q, &c);
		c.age_ms = store_column_uint(q, CHAIN_COLUMNS);
		c.first = store_column_uint(q, CHAIN_COLUMNS + 1);
		c.last = store_column_uint(q, CHAIN_COLUMNS + 2);
		fn(arg, &c);
	}
	return found;
}

static void
put_number(struct buf *out, uint64_t n, size_t bytes)
{
	uint64_t big = htobe64(n);

	buf_append(out, (const uint8_t *)&big + sizeof(big) - bytes, bytes);
}

/* The head of an array of one dimension, as PostgreSQL has it in binary form. */
static void
begin_array(struct buf *out, unsigned element, size_t n)
{
	put_number(out, 1, 4); /* dimensions */
	put_number(out, 0, 4); /* without NULLs */
	put_number(out, element, 4);
	put_number(out, n, 4);
	put_number(out, 1, 4); /* the first index */
}

static void
put_element(struct buf *out, struct span bytes)
{
	put_number(out, bytes.len, 4);
	buf_span(out, bytes);
}

static void
put_element_number(struct buf *out, uint64_t n)
{
	put_number(out, 8, 4);
	put_number(out, n, 8);
}

enum { SEQS, TIMES, CHECKPOINTS, RECEIPTS, HASHES, ENTRIES, ARRAYS };

static void
put_rows(struct buf arrays[ARRAYS], const struct store_copied *rows, size_t n)
{
	static const unsigned elements[ARRAYS] = { ELEMENT_INT8, ELEMENT_TEXT, ELEMENT_INT8, ELEMENT_INT8,
		ELEMENT_BYTEA, ELEMENT_BYTEA };

	for (size_t i = 0; i < ARRAYS; i++)
		begin_array(&arrays[i], elements[i], n);
	for (size_t i = 0; i < n; i++) {
		const struct store_copied *r = &rows[i];

		put_element_number(&arrays[SEQS], r->seq);
		put_element(&arrays[TIMES], r->at);
		put_element_number(&arrays[CHECKPOINTS], r->checkpoint);
		put_element_number(&arrays[RECEIPTS], r->receipt);
		put_element(&arrays[HASHES], span_of(r->hash, AUDIT_HASH));
		put_element(&arrays[ENTRIES], r->sealed);
	}
}

int
store_copies_send(struct store *s, const struct store_chain *c, const struct store_copied *rows, size_t n,
    struct err *err)
{
	struct buf arrays[ARRAYS] = { 0 };
	int result;

	put_rows(arrays, rows, n);
	const struct store_value values[] = { STORE_B(c->id, AUDIT_CHAIN),
		STORE_A(STORE_NUMBERS, buf_view(&arrays[SEQS])), STORE_A(STORE_TEXTS, buf_view(&arrays[TIMES])),
		STORE_A(STORE_NUMBERS, buf_view(&arrays[CHECKPOINTS])),
		STORE_A(STORE_NUMBERS, buf_view(&arrays[RECEIPTS])), STORE_A(STORE_BLOBS, buf_view(&arrays[HASHES])),
		STORE_A(STORE_BLOBS, buf_view(&arrays[ENTRIES])), STORE_T(c->node), STORE_N(c->newest.seq),
		STORE_B(c->newest.hash, AUDIT_HASH), STORE_B(c->mac, AUDIT_HASH), STORE_N(c->kept),
		STORE_N(c->checkpoint.seq), STORE_B(c->checkpoint.hash, AUDIT_HASH), STORE_N(c->substance),
		STORE_N(c->days) };

	result = s->driver->post(s, STORE_COPIES_ADD, values, sizeof(values) / sizeof(values[0]), err);
	for (size_t i = 0; i < ARRAYS; i++)
		buf_fini(&arrays[i]);
	return result;
}

int
store_copies_sent(struct store *s, struct err *err)
{
	return s->driver->posted(s, err);
}

int
store_copies_up(struct store *s, const uint8_t id[AUDIT_CHAIN], uint64_t from, uint64_t n,
    bool (*fn)(void *arg, const struct store_copied *row), void *arg, struct err *err)
{
	struct store_query *q =
	    STORE_GIVEN(s, STORE_COPIES_UP, err, STORE_B(id, AUDIT_CHAIN), STORE_N(from), STORE_N(n));
	struct store_copied row = { .seq = 0 };
	int found;

	while ((found = store_look(q, err)) == 1) {
		row.seq = store_column_raw(q, 0);
		(void)store_column_blob(q, 1, row.hash, AUDIT_HASH);
		row.sealed = store_column(q, 2);
		if (!fn(arg, &row)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_copies_down(struct store *s, const struct store_copies_place *from, struct span since, uint64_t n,
    bool (*fn)(void *arg, const struct store_copies_place *at, const struct store_copied *row), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_COPIES_DOWN, err, STORE_T(from->at),
	    STORE_B(from->chain, AUDIT_CHAIN), STORE_N(from->seq), STORE_S(since), STORE_N(n));
	struct store_copies_place at;
	struct store_copied row = { .seq = 0 };
	int found;

	while ((found = store_look(q, err)) == 1) {
		store_column_text(q, 0, at.at, sizeof(at.at));
		(void)store_column_blob(q, 1, at.chain, AUDIT_CHAIN);
		at.seq = row.seq = store_column_raw(q, 2);
		(void)store_column_blob(q, 3, row.hash, AUDIT_HASH);
		row.sealed = store_column(q, 4);
		if (!fn(arg, &at, &row)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_copies_receipt(struct store *s, uint64_t number,
    bool (*fn)(void *arg, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_COPIES_RECEIPT, err, STORE_N(number));
	struct store_copied row = { .seq = 0 };
	uint8_t chain[AUDIT_CHAIN];
	int found;

	while ((found = store_look(q, err)) == 1) {
		(void)store_column_blob(q, 0, chain, AUDIT_CHAIN);
		row.seq = store_column_raw(q, 1);
		(void)store_column_blob(q, 2, row.hash, AUDIT_HASH);
		row.sealed = store_column(q, 3);
		if (!fn(arg, chain, &row)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_copies_sweep(struct store *s, const uint8_t (*there)[AUDIT_CHAIN], size_t n, struct err *err)
{
	struct buf ids = { .max = 0 };
	int result;

	begin_array(&ids, ELEMENT_BYTEA, n);
	for (size_t i = 0; i < n; i++)
		put_element(&ids, span_of(there[i], AUDIT_CHAIN));
	result = store_change(STORE_GIVEN(s, STORE_COPIES_SWEEP, err, STORE_A(STORE_BLOBS, buf_view(&ids))), NULL, err);
	if (result == 0)
		result = store_change(STORE_GIVEN(s, STORE_CHAINS_SWEEP, err, STORE_A(STORE_BLOBS, buf_view(&ids))),
		    NULL, err);
	buf_fini(&ids);
	return result;
}

/* The place of the row that is read, in the order of chains and numbers. */
struct move_place {
	uint8_t		chain[AUDIT_CHAIN];
	size_t		len;
	uint64_t	seq;
};

static int
move_row(struct store_query *q, struct store *to, struct move_place *at, struct err *err)
{
	struct span chain = store_column(q, 0), hash = store_column(q, 5), entry = store_column(q, 6);
	struct store_value values[] = { STORE_B(chain.p, chain.len), STORE_N(store_column_raw(q, 1)),
		STORE_S(store_column(q, 2)), STORE_N(store_column_raw(q, 3)), STORE_N(store_column_raw(q, 4)),
		STORE_B(hash.p, hash.len), STORE_B(entry.p, entry.len) };

	at->len = chain.len < AUDIT_CHAIN ? chain.len : AUDIT_CHAIN;
	memcpy(at->chain, chain.p, at->len);
	at->seq = store_column_raw(q, 1);
	return store_change(store_given(to, STORE_COPIES_WRITE, values, sizeof(values) / sizeof(values[0]), err), NULL,
	    err);
}

/* Some hundreds at a time: a whole audit may be larger than memory. */
int
store_copies_move(struct store *from, struct store *to, uint64_t *rows, struct err *err)
{
	struct move_place at = { .len = 0 };
	uint64_t before;
	int found;

	do {
		struct store_query *q =
		    STORE_GIVEN(from, STORE_COPIES_READ, err, STORE_B(at.chain, at.len), STORE_N(at.seq));

		for (before = *rows; (found = store_look(q, err)) == 1; ++*rows)
			if (move_row(q, to, &at, err) != 0) {
				store_found(q);
				return -1;
			}
	} while (found == 0 && *rows > before);
	return found;
}

int
store_copies_clear(struct store *s, struct err *err)
{
	return store_change(store_statement(s, STORE_COPIES_CLEAR, err), NULL, err);
}
