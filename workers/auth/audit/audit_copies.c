/*
 * audit_copies.c - see audit_copies.h.
 *
 * Copies of audits
 *
 * Each node's audit is its own file, so that no call waits for another machine.  Copies in the store that nodes share
 * are there to search all of them at one place, to keep what a lost machine had, and to contradict a node whose files
 * were put back or rewritten by someone who has its key.
 *
 * Copying follows the file: entries that are on the disk are sent in batches, in their order, one batch at a time,
 * between calls and without waiting for the answer (store_driver.h, post).  A batch and the record of how far the
 * chain is copied are one statement.  How far that is, is asked of the store when the process begins; a row that is
 * there already stays.  So nothing is lost or copied twice, whichever process dies when: a batch without an answer is
 * sent again, and two processes of a node may send the same one.  The server need not sync its commit: if it crashes,
 * the connection is lost, and the next process asks how far it got.
 *
 * The record has a MAC, and the text of each entry is encrypted and bound to its chain, number and hash: the store's
 * administrator cannot read a statement, move a row, or say that more or less was copied than was.  An older record
 * can be put back, with the rows that belong to it: that the other nodes contradict.
 *
 * When the process begins, the record is a witness of the file's end, as the copy of the head is (audit_apart.h): a
 * file that was put back lacks entries that it names.
 *
 * Checkpoints: every 10 s, if there were entries since the last one, or if another node had entries that no checkpoint
 * of this one vouches for yet.  `substance` of a record is the newest entry that is more than such a vouching: a
 * checkpoint that only vouches for others is no reason for them to write one, or idle nodes would go on for ever.
 */
#include "workers/auth/audit/audit_copies.h"

#include <endian.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_node.h"
#include "workers/auth/store/store_token.h"

#define BATCH_BYTES	((size_t)96 << 10)
#define BATCH_LEAST	8u		/* rows, after batches that failed */
#define TEXT_MAX	((size_t)2 * AUDIT_ENTRY_MAX)	/* of a row; longer ones were not written by Carrel */
#define RETRY_NS	CLOCK_SECOND
#define PAUSE_NS	(200 * CLOCK_MS)	/* between batches that are not full */
#define LAG_NS		(500 * CLOCK_MS)
#define LOOK_NS		(10 * CLOCK_SECOND)	/* at other nodes' records, and between checkpoints */
#define SWEEP_NS	(10 * 60 * CLOCK_SECOND)
#define LAST_NS		(500 * CLOCK_MS)
#define LIVE_MS		(UINT64_C(24) * 3600 * 1000)	/* without new copies: vouched for no more */
#define MISDATED_MS	(UINT64_C(3600) * 1000)	/* a record is older by this than its node knows */
#define OTHERS_MAX	64u		/* nodes */
#define CROSS_MAX	10u		/* of them in one checkpoint; with more they take turns */
#define COPIED		"node.copied"	/* setting of the node's own store: how far it is copied */

/* Another node's chain. */
struct copies_other {
	struct store_chain	chain;
	uint64_t		vouched;	/* the newest checkpoint of it that one of this node's names */
	bool			there;
};

struct audit_copies {
	struct audit_copies_settings set;
	struct audit_copies_keys keys;
	bool			 begun;		/* `chain` is what the store says */
	struct store_chain	 chain, sent;	/* as confirmed; as the batch on its way says */
	bool			 in_flight;
	size_t			 batch;		/* rows of the next one */
	uint64_t		 barren;	/* up to this entry there is nothing to read */
	uint64_t		 retry_ns, sent_ns, lag_ns, look_ns, sweep_ns;
	uint64_t		 last;		/* the newest entry when the lag was measured */
	uint64_t		 copied_before;	/* as another process left it, until this one knows */
	uint64_t		 mark, mark_ns;	/* the newest entry of then, not copied yet; 0: none */
	uint64_t		 noted;		/* the setting COPIED */
	unsigned		 ntold;		/* failures in a row */
	struct copies_other	 others[OTHERS_MAX];
	size_t			 nothers, first_other;
	uint8_t			 (*leased)[AUDIT_CHAIN];	/* chains of nodes that had a lease at the last sweep */
	size_t			 nleased, leased_cap;
	uint64_t		 heard_ns;	/* the newest batch was confirmed; 0: none was */
	uint64_t		 own_age_ms;	/* of this node's record, by the store */
	bool			 misdated;
};

void
audit_copies_derive(const uint8_t key[AUDIT_COPIES_KEY], struct audit_copies_keys *out)
{
	static const char seal[] = "audit: copies of entries", mac[] = "audit: records of copies";

	crypto_generichash(out->seal, sizeof(out->seal), (const uint8_t *)seal, sizeof(seal) - 1, key,
	    AUDIT_COPIES_KEY);
	crypto_generichash(out->mac, sizeof(out->mac), (const uint8_t *)mac, sizeof(mac) - 1, key, AUDIT_COPIES_KEY);
}

static void
chain_mac(const struct audit_copies_keys *k, const struct store_chain *c, uint8_t mac[AUDIT_HASH])
{
	const uint64_t numbers[] = { htobe64(c->newest.seq), htobe64(c->kept), htobe64(c->checkpoint.seq),
		htobe64(c->substance), htobe64(c->days) };
	char node[STORE_NODE + 1] = { 0 };
	crypto_generichash_state state;

	snprintf(node, sizeof(node), "%s", c->node);
	crypto_generichash_init(&state, k->mac, sizeof(k->mac), AUDIT_HASH);
	crypto_generichash_update(&state, c->id, sizeof(c->id));
	crypto_generichash_update(&state, (const uint8_t *)node, sizeof(node));
	crypto_generichash_update(&state, (const uint8_t *)numbers, sizeof(numbers));
	crypto_generichash_update(&state, c->newest.hash, AUDIT_HASH);
	crypto_generichash_update(&state, c->checkpoint.hash, AUDIT_HASH);
	crypto_generichash_final(&state, mac, AUDIT_HASH);
}

bool
audit_copies_vouched(const struct audit_copies_keys *k, const struct store_chain *chain)
{
	uint8_t own[AUDIT_HASH];

	chain_mac(k, chain, own);
	return sodium_memcmp(own, chain->mac, AUDIT_HASH) == 0;
}

#define NONCE	crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG	crypto_aead_xchacha20poly1305_ietf_ABYTES
#define PLACE	(AUDIT_CHAIN + 8 + AUDIT_HASH)

/* What a sealed text is bound to. */
static void
seal_place(const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row, uint8_t out[PLACE])
{
	uint64_t seq = htobe64(row->seq);

	memcpy(out, chain, AUDIT_CHAIN);
	memcpy(out + AUDIT_CHAIN, &seq, sizeof(seq));
	memcpy(out + AUDIT_CHAIN + sizeof(seq), row->hash, AUDIT_HASH);
}

static void
seal_text(const struct audit_copies_keys *k, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row,
    struct span text, struct buf *out)
{
	uint8_t place[PLACE], *to = buf_reserve(out, NONCE + text.len + TAG);

	seal_place(chain, row, place);
	randombytes_buf(to, NONCE);
	crypto_aead_xchacha20poly1305_ietf_encrypt(to + NONCE, NULL, text.p, text.len, place, sizeof(place), NULL, to,
	    k->seal);
	out->len += NONCE + text.len + TAG;
}

bool
audit_copies_open(const struct audit_copies_keys *k, const uint8_t chain[AUDIT_CHAIN],
    const struct store_copied *row, struct buf *out)
{
	struct span s = row->sealed;
	uint8_t place[PLACE];

	buf_reset(out, SIZE_MAX);
	if (s.len < NONCE + TAG || s.len > NONCE + TAG + TEXT_MAX)
		return false;
	seal_place(chain, row, place);
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(buf_reserve(out, s.len), NULL, NULL, s.p + NONCE, s.len - NONCE,
		place, sizeof(place), s.p, k->seal) != 0)
		return false;
	out->len += s.len - NONCE - TAG;
	return true;
}

struct copies_batch {
	struct audit_copies	*c;
	struct store_chain	 then;	/* the record once it is done */
	size_t			 n, most;
	struct store_copied	 rows[STORE_COPIES_MAX];
	char			 at[STORE_COPIES_MAX][25];
	size_t			 ends[STORE_COPIES_MAX];	/* of the sealed text, in `sealed` */
	struct buf		 sealed;
};

/* As Carrel writes times; what else is there is no time. */
static void
copy_time(struct span text, char out[25])
{
	static const uint8_t form[] = "0000-00-00T00:00:00.000Z";
	struct span at = audit_chain_member(text, "at");
	bool good = at.len == 24;

	for (size_t i = 0; good && i < 24; i++)
		good = form[i] == '0' ? at.p[i] >= '0' && at.p[i] <= '9' : at.p[i] == form[i];
	snprintf(out, 25, "%.*s", good ? 24 : 0, (const char *)at.p);
}

static bool
batch_take(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct copies_batch *b = arg;
	struct store_copied *r = &b->rows[b->n];

	if (seq > audit_synced(b->c->set.audit))
		return false;
	if (text.len > TEXT_MAX)
		text = SPAN("");
	*r = (struct store_copied){ .seq = seq };
	if (!audit_unhex(hash, r->hash, AUDIT_HASH))
		memset(r->hash, 0, AUDIT_HASH);
	copy_time(text, b->at[b->n]);
	r->at = span_str(b->at[b->n]);
	r->checkpoint = span_is_str(audit_chain_member(text, "action"), "checkpoint");
	r->receipt = audit_receipt_number(audit_chain_member(text, "receipt"));
	seal_text(&b->c->keys, b->then.id, r, text, &b->sealed);
	b->ends[b->n++] = b->sealed.len;
	b->then.newest.seq = seq;
	memcpy(b->then.newest.hash, r->hash, AUDIT_HASH);
	if (r->checkpoint)
		b->then.checkpoint = b->then.newest;
	if (!r->checkpoint || audit_chain_member(text, "finding").len > 0)
		b->then.substance = seq;
	return b->n < b->most && b->sealed.len < BATCH_BYTES;
}

static int
batch_send(struct audit_copies *c, struct copies_batch *b, struct err *err)
{
	size_t from = 0;

	if (audit_first(c->set.audit) > b->then.kept)
		b->then.kept = audit_first(c->set.audit);
	snprintf(b->then.node, sizeof(b->then.node), "%s", c->set.node);
	b->then.days = c->set.retention_days;
	chain_mac(&c->keys, &b->then, b->then.mac);
	for (size_t i = 0; i < b->n; from = b->ends[i++])
		b->rows[i].sealed = span_of(b->sealed.p + from, b->ends[i] - from);
	if (store_copies_send(c->set.shared, &b->then, b->rows, b->n, err) != 0)
		return -1;
	c->sent = b->then;
	c->in_flight = true;
	(void)fault_point("auth.audit_copy_sent");
	return 0;
}

static void
batch_failed(struct audit_copies *c, uint64_t now_ns, const struct err *err)
{
	c->batch = c->batch / 2 > BATCH_LEAST ? c->batch / 2 : BATCH_LEAST;
	c->retry_ns = now_ns + RETRY_NS;
	if (c->ntold++ % 60 == 0 && store_away(c->set.shared) == NULL)
		log_warn("audit: entries are not copied into the state store: %s", err->message);
}

/* Send what comes next, if anything does. */
static void
send_next(struct audit_copies *c, uint64_t now_ns)
{
	uint64_t synced = audit_synced(c->set.audit);
	struct copies_batch *b;
	struct err err;
	int result;

	if (synced <= c->chain.newest.seq || synced <= c->barren)
		return;
	if (synced - c->chain.newest.seq < c->batch && now_ns - c->sent_ns < PAUSE_NS)
		return;
	c->sent_ns = now_ns;
	b = mem_new(1, sizeof(*b));
	b->c = c;
	b->then = c->chain;
	b->most = c->batch;
	result = store_audit_rows(c->set.own, c->chain.newest.seq + 1, true, b->most, batch_take, b, &err);
	if (result == 0 && b->n > 0)
		result = batch_send(c, b, &err);
	else if (result == 0)
		c->barren = synced;
	if (result != 0)
		batch_failed(c, now_ns, &err);
	buf_fini(&b->sealed);
	free(b);
}

/* A node's number together with its name: a copy of a node under another name has a chain of its own. */
static void
chain_id(struct span number, const char *node, uint8_t out[AUDIT_CHAIN])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, AUDIT_CHAIN);
	crypto_generichash_update(&state, number.p, number.len);
	crypto_generichash_update(&state, (const uint8_t *)node, strlen(node));
	crypto_generichash_final(&state, out, AUDIT_CHAIN);
}

static int
read_id(struct audit_copies *c, struct err *err)
{
	struct buf id = BUF_MAX(64);
	int found = store_node_id(c->set.own, &id, err);

	if (found == 1)
		chain_id(buf_view(&id), c->set.node, c->chain.id);
	buf_fini(&id);
	return found;
}

struct own_row {
	uint64_t	seq;
	uint8_t		hash[AUDIT_HASH];
	bool		found;
};

static bool
take_own_row(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct own_row *row = arg;

	(void)text;
	row->found = seq == row->seq && audit_unhex(hash, row->hash, AUDIT_HASH);
	return false;
}

/* The file is compared with the record of its copy; hash: of the copied row at the end of the shorter one. */
static int
compare_ends(struct audit_copies *c, uint64_t last, const uint8_t *hash, struct err *err)
{
	struct own_row row = { .seq = last < c->chain.newest.seq ? last : c->chain.newest.seq };
	struct audit_finding other = { AUDIT_CHANGED, row.seq, row.seq,
		"an entry is not the one that was copied into the state store" };
	struct audit_point newest = c->chain.newest;

	if (row.seq == newest.seq)
		hash = newest.hash;
	if (row.seq > 0 && hash != NULL && store_audit_rows(c->set.own, row.seq, true, 1, take_own_row, &row, err) != 0)
		return -1;
	if (last < newest.seq && audit_witness(c->set.audit, &newest, err) != 0)
		return -1;
	return row.found && memcmp(row.hash, hash, AUDIT_HASH) != 0 ? audit_report(c->set.audit, &other, err) : 0;
}

static void
put_cross(struct audit_copies *c)
{
	struct buf pairs = { 0 }, hex = { 0 };
	size_t list, n = 0;

	audit_hex(&hex, c->chain.id, AUDIT_CHAIN);
	mp_pair_cstr(&pairs, "node", c->set.node);
	mp_pair_str(&pairs, "chain", buf_view(&hex));
	list = mp_pair_open_array(&pairs, "others");
	for (size_t i = 0; i < c->nothers && n < CROSS_MAX; i++) {
		const struct copies_other *o = &c->others[(c->first_other + i) % c->nothers];
		char chain[2 * AUDIT_CHAIN + 1];

		if (!o->there || o->chain.checkpoint.seq == 0)
			continue;
		sodium_bin2hex(chain, sizeof(chain), o->chain.id, AUDIT_CHAIN);
		buf_reset(&hex, SIZE_MAX);
		audit_hex(&hex, o->chain.checkpoint.hash, AUDIT_HASH);
		mp_put_pairs(&pairs, mp_cstr("node", o->chain.node), mp_cstr("chain", chain),
		    mp_uint("seq", o->chain.checkpoint.seq), mp_str("hash", buf_view(&hex)));
		n++;
	}
	mp_end(&pairs, list);
	audit_set_cross(c->set.audit, buf_view(&pairs));
	buf_fini(&pairs);
	buf_fini(&hex);
}

static int
begin_copying(struct audit_copies *c, struct err *err)
{
	static const struct audit_finding forged = { AUDIT_HEAD, 0, 0,
		"the record of this audit's copy in the state store was not written by a node" };
	uint8_t id[AUDIT_CHAIN], hash[AUDIT_HASH];
	uint64_t first, last;
	bool has_hash = false;
	int found;

	if (read_id(c, err) != 1 || store_audit_bounds(c->set.own, &first, &last, err) != 0)
		return -1;
	memcpy(id, c->chain.id, sizeof(id));
	put_cross(c);
	if ((found = store_chain(c->set.shared, id, last, &c->chain, hash, &has_hash, err)) < 0)
		return -1;
	if (found == 1 && !audit_copies_vouched(&c->keys, &c->chain)) {
		/* Copied again from the beginning: what is there stays. */
		if (audit_report(c->set.audit, &forged, err) != 0 || store_chain_forget(c->set.shared, id, err) != 0)
			return -1;
		found = 0;
	}
	if (found == 0) {
		c->chain = (struct store_chain){ .kept = 0 };
		memcpy(c->chain.id, id, sizeof(id));
	} else if (compare_ends(c, last, has_hash ? hash : NULL, err) != 0)
		return -1;
	/* Entries of before are copied too, once they are known to be on the disk. */
	audit_sync(c->set.audit);
	c->begun = true;
	return 0;
}

/* The age of a record is the server's word alone. */
static bool
is_leased(const struct audit_copies *c, const uint8_t id[AUDIT_CHAIN])
{
	for (size_t i = 0; i < c->nleased; i++)
		if (memcmp(c->leased[i], id, AUDIT_CHAIN) == 0)
			return true;
	return false;
}

static void
see_chain(void *arg, const struct store_chain *seen)
{
	struct audit_copies *c = arg;
	size_t i = 0;

	if (memcmp(seen->id, c->chain.id, AUDIT_CHAIN) == 0)
		c->own_age_ms = seen->age_ms;
	if (memcmp(seen->id, c->chain.id, AUDIT_CHAIN) == 0 || (seen->age_ms > LIVE_MS && !is_leased(c, seen->id)) ||
	    !audit_copies_vouched(&c->keys, seen))
		return;
	while (i < c->nothers && memcmp(c->others[i].chain.id, seen->id, AUDIT_CHAIN) != 0)
		i++;
	if (i == OTHERS_MAX)
		return;
	if (i == c->nothers)
		c->others[c->nothers++] = (struct copies_other){ .vouched = 0 };
	/* An older record that was put back changes nothing. */
	if (seen->checkpoint.seq >= c->others[i].chain.checkpoint.seq)
		c->others[i].chain = *seen;
	c->others[i].there = true;
}

/* Another node has entries that no checkpoint of this one vouches for, and its own newest checkpoint does. */
static bool
others_are_due(const struct audit_copies *c)
{
	for (size_t i = 0; i < c->nothers; i++)
		if (c->others[i].there && c->others[i].chain.checkpoint.seq > c->others[i].vouched &&
		    c->others[i].chain.substance > c->others[i].vouched)
			return true;
	return false;
}

/* Those that put_cross() took are vouched for. */
static void
note_vouched(struct audit_copies *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nothers && n < CROSS_MAX; i++) {
		struct copies_other *o = &c->others[(c->first_other + i) % c->nothers];

		if (!o->there || o->chain.checkpoint.seq == 0)
			continue;
		o->vouched = o->chain.checkpoint.seq;
		n++;
	}
	if (c->nothers > CROSS_MAX)
		c->first_other = (c->first_other + CROSS_MAX) % c->nothers;
}

static void
look_at_others(struct audit_copies *c, uint64_t now_ns)
{
	struct err err;

	for (size_t i = 0; i < c->nothers; i++)
		c->others[i].there = false;
	c->own_age_ms = 0;
	if (store_chains(c->set.shared, see_chain, c, &err) != 0)
		return;
	put_cross(c);
	c->misdated = c->heard_ns > 0 && c->own_age_ms > (now_ns - c->heard_ns) / CLOCK_MS + MISDATED_MS;
}

static void
note_copied(struct audit_copies *c)
{
	char text[24];

	if (c->noted == c->chain.newest.seq)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, c->chain.newest.seq);
	if (store_set_setting(c->set.own, COPIED, span_str(text), NULL) == 0)
		c->noted = c->chain.newest.seq;
}

static void
checkpoint_tend(struct audit_copies *c, uint64_t now_ns)
{
	struct err err;

	if (now_ns - c->look_ns < LOOK_NS)
		return;
	c->look_ns = now_ns;
	if (c->begun && store_away(c->set.shared) == NULL) {
		look_at_others(c, now_ns);
		note_copied(c);
	}
	if (audit_unsigned_ns(c->set.audit, now_ns, others_are_due(c)) < LOOK_NS - CLOCK_SECOND)
		return;
	if (audit_sign_end(c->set.audit, &err) == 0)
		note_vouched(c);
	else
		log_warn("audit: no checkpoint was written: %s", err.message);
}

struct audit_copies *
audit_copies_new(const struct audit_copies_settings *settings)
{
	struct audit_copies *c;
	struct buf kept = BUF_MAX(24);

	if (!store_is_shared(settings->shared))
		return NULL;
	c = mem_new(1, sizeof(*c));
	c->set = *settings;
	c->set.key = NULL;
	c->batch = STORE_COPIES_MAX;
	c->look_ns = clock_ns();
	c->sweep_ns = c->look_ns;
	audit_copies_derive(settings->key, &c->keys);
	if (read_id(c, NULL) == 1)
		put_cross(c);
	if (store_setting(c->set.own, COPIED, &kept, NULL) == 1)
		c->copied_before = strtoull(buf_cstr(&kept), NULL, 10);
	buf_fini(&kept);
	return c;
}

static void
measure_lag(struct audit_copies *c, uint64_t now_ns)
{
	uint64_t first, copied = c->begun ? c->chain.newest.seq : c->copied_before;

	if (now_ns - c->lag_ns < LAG_NS)
		return;
	c->lag_ns = now_ns;
	if (store_audit_bounds(c->set.own, &first, &c->last, NULL) != 0)
		return;
	if (copied >= c->mark)
		c->mark = 0;
	if (c->mark == 0 && c->last > copied) {
		c->mark = c->last;
		c->mark_ns = now_ns;
	}
	store_uncopied(c->set.shared, audit_copies_lag(c).entries);
}

struct audit_copies_lag
audit_copies_lag(const struct audit_copies *c)
{
	uint64_t copied;

	if (c == NULL)
		return (struct audit_copies_lag){ 0, 0 };
	copied = c->begun ? c->chain.newest.seq : c->copied_before;
	return (struct audit_copies_lag){ c->last > copied ? c->last - copied : 0,
		c->mark > 0 && c->lag_ns > c->mark_ns ? (c->lag_ns - c->mark_ns) / CLOCK_MS : 0 };
}

const uint8_t *
audit_copies_id(const struct audit_copies *c)
{
	static const uint8_t unknown[AUDIT_CHAIN];

	return c == NULL ? unknown : c->chain.id;
}

bool
audit_copies_misdated(const struct audit_copies *c)
{
	return c != NULL && c->misdated;
}

static void
add_leased(void *arg, const char *node, struct span number)
{
	struct audit_copies *c = arg;

	c->leased = mem_grow(c->leased, c->nleased, &c->leased_cap, sizeof(*c->leased));
	chain_id(number, node, c->leased[c->nleased++]);
}

int
audit_copies_sweep(struct audit_copies *c, struct err *err)
{
	c->nleased = 0;
	return store_node_leased(c->set.shared, add_leased, c, err) != 0 ?
	    -1 :
	    store_copies_sweep(c->set.shared, (const uint8_t(*)[AUDIT_CHAIN])c->leased, c->nleased, err);
}

/* Whether the way is free for the next batch. */
static bool
hear_answer(struct audit_copies *c, uint64_t now_ns)
{
	struct err err;
	int done;

	if (!c->in_flight)
		return now_ns >= c->retry_ns;
	if ((done = store_copies_sent(c->set.shared, &err)) == 0)
		return false;
	c->in_flight = false;
	if (done < 0) {
		batch_failed(c, now_ns, &err);
		return false;
	}
	c->chain = c->sent;
	c->heard_ns = now_ns;
	c->batch = 2 * c->batch < STORE_COPIES_MAX ? 2 * c->batch : STORE_COPIES_MAX;
	c->ntold = 0;
	return true;
}

static void
copy_tend(struct audit_copies *c, uint64_t now_ns)
{
	struct err err;

	if (!hear_answer(c, now_ns) || store_away(c->set.shared) != NULL)
		return;
	if (!c->begun && begin_copying(c, &err) != 0) {
		batch_failed(c, now_ns, &err);
		return;
	}
	send_next(c, now_ns);
	if (now_ns - c->sweep_ns >= SWEEP_NS && !c->in_flight) {
		c->sweep_ns = now_ns;
		if (audit_copies_sweep(c, &err) != 0)
			log_warn("audit: old copies of nodes that are gone stay for now: %s", err.message);
	}
}

void
audit_copies_tend(struct audit_copies *c, uint64_t now_ns)
{
	if (c == NULL)
		return;
	copy_tend(c, now_ns);
	checkpoint_tend(c, now_ns);
	measure_lag(c, now_ns);
}

void
audit_copies_free(struct audit_copies *c)
{
	uint64_t until = clock_ns() + LAST_NS;
	struct err err;

	if (c == NULL)
		return;
	if (c->begun && store_away(c->set.shared) == NULL && audit_settle(c->set.audit, &err) == 0) {
		if (audit_unsigned_ns(c->set.audit, UINT64_MAX, false) > 0)
			(void)audit_sign_end(c->set.audit, &err);
		audit_sync(c->set.audit);
		do {
			copy_tend(c, clock_ns());
			if (c->in_flight)
				(void)poll(NULL, 0, 1);
		} while (clock_ns() < until && c->ntold == 0 && store_away(c->set.shared) == NULL &&
		    (c->in_flight || audit_synced(c->set.audit) > c->chain.newest.seq) &&
		    audit_synced(c->set.audit) > c->barren);
	}
	free(c->leased);
	sodium_memzero(c, sizeof(*c));
	free(c);
}
