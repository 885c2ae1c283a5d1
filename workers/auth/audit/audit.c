/*
 * audit.c - see audit.h.
 *
 * The chain
 *
 * The audit must not lose an entry when a process dies, must show afterwards what was changed in the store by hand, and
 * must not make calls wait for a disk.  Each has its own mechanism.
 *
 * No entry is lost: an answer leaves the front only when its entry is in the hands of another process or of the kernel.
 * At rest a front sends AUDIT and waits for AUDITED, which audit_turn() sends after one transaction with all entries of
 * its turn; audit_gather_us() lets it wait a fifth of a millisecond for more, and stops doing so where that brings
 * nothing.  Under load it allows the fronts to write to their journals (ipc/journal.h) instead: mapped files that
 * outlive every process, which audit_journals.c moves into the store about every AUDIT_SETTLE_MS, with the position
 * up to which each was read, in the same transaction.  So an entry is neither lost nor written twice; one that is sent
 * again after a lost channel is recognised by its receipt.
 *
 * Changes show: each entry has the hash of the one before (prev).  That alone would let somebody write a whole new
 * chain, or cut off its end.  Hence checkpoints, signed with Ed25519 by a key that only carrel-auth holds, and
 * records apart from the entries (audit_apart.c): the head with a MAC, replaced in the transaction of every commit;
 * the mark of the first entry; and a copy of the head in a file, for a store that was put back whole.  audit_load()
 * compares them when writing begins.  What does not fit is no reason to stop, or any process that can write to the
 * store could stop the service: it becomes a finding in a checkpoint of its own, and the chain goes on behind the
 * newest entry that a sound record names (chain_place()).  A restart launders nothing.
 *
 * The disk: transactions are committed without a sync, which a crash of any process survives; the store is synced about
 * every 100 ms.  With audit.durability: disk each commit is synced and journals are not used.
 *
 * Several processes may write to one store (a command and the daemon, two daemons for a moment): each transaction
 * begins with audit_load(), which notices that the head is another one and goes on from there.
 *
 * If entries cannot be written, fronts begin no call (audit_stalls()), unless the owner chose to go on.  Old entries
 * are removed only up to a checkpoint, which then vouches for the start of the chain (audit_retain.c).
 */
#include <stdlib.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/json/json_write.h"
#include "policy/secrets.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/auth/audit/audit_journals.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/audit/audit_apart.h"
#include "workers/auth/audit/audit_memo.h"
#include "workers/auth/audit/audit_receipts.h"
#include "workers/auth/audit/audit_retain.h"
#include "workers/auth/audit/audit_vouch.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store.h"

#define GATHER_US	200u
#define GATHER_ENOUGH	16u	/* entries: do not wait for more */
#define GATHER_ALONE	64u	/* at most this many turns without waiting, after waiting repeatedly brought nothing */
#define SYNC_NS		(85 * CLOCK_MS)	/* every second time that the journals are read */
#define TAKEN_MAX	((size_t)64 << 20)	/* bytes of entries in one turn; entries beyond are refused */

struct audit *
audit_new(struct store *s, const struct audit_settings *settings)
{
	struct audit *a = mem_new(1, sizeof(*a));
	uint8_t zeros[AUDIT_HASH] = { 0 }, signature[AUDIT_SIGNATURE];
	struct err e;

	a->store = s;
	a->settings = *settings;
	a->signed_ns = clock_ns();
	a->arena = arena_new(TAKEN_MAX);
	a->memo = audit_memo_new();
	/* Only the public key is wanted; the signature is discarded. */
	audit_sign(a->settings.sign_seed, 0, zeros, a->public, signature);
	if (store_audit_used(s, &a->was_used, &e) != 0)
		log_error("audit: %s", e.message);
	audit_journals_begin(a);
	return a;
}

struct row_hash {
	uint64_t	seq;
	uint8_t		hash[AUDIT_HASH];
	bool		read;
};

static bool
take_hash(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct row_hash *row = arg;

	(void)text;
	row->read = seq == row->seq && audit_unhex(hash, row->hash, AUDIT_HASH);
	return false;
}

/*
 * Choose where the chain goes on: behind the newest entry that was written, as far as a sound record names it.  Rows
 * behind that one are not part of the chain; their numbers are not used again.  Without a record, behind the last row.
 */
static int
chain_place(struct audit *a, const struct audit_ends *ends, struct err *err)
{
	struct audit_point top = audit_ends_top(ends);
	struct row_hash row = { .seq = top.seq > 0 ? top.seq : ends->last };

	if (row.seq > 0 && row.seq <= ends->last &&
	    store_audit_rows(a->store, row.seq, false, 1, take_hash, &row, err) != 0)
		return -1;
	if (top.seq > 0 && row.read && memcmp(row.hash, top.hash, AUDIT_HASH) != 0)
		audit_finding_add(&a->findings, AUDIT_CHANGED, top.seq, top.seq,
		    "the newest entry is not the one that was written");
	memcpy(a->hash, top.seq > 0 ? top.hash : row.hash, AUDIT_HASH);
	a->seq = top.seq > ends->last ? top.seq : ends->last;
	return 0;
}

/*
 * Another process wrote last, or there is no entry yet.  Ends that are not as they were left are no reason to stop:
 * checkpoints record each finding, and the chain continues.
 */
static int
head_adopt(struct audit *a, const struct audit_ends *ends, struct err *err)
{
	a->findings.n = 0;
	audit_ends_check(ends, &a->findings);
	if (chain_place(a, ends, err) != 0)
		return -1;
	if (a->seq >= AUDIT_SEQ_MAX - AUDIT_FINDINGS)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the audit's numbers are used up: somebody wrote into the state store");
	for (size_t i = 0; i < a->findings.n; i++) {
		const struct audit_finding *f = &a->findings.v[i];

		log_error("audit: when writing began, %s; `carrel audit verify` says where", f->what);
		if (f->kind == AUDIT_INSERTED && audit_foreign_add(a, f, err) != 0)
			return -1;
	}
	a->first_seq = ends->mark_is == AUDIT_SOUND ? ends->mark : ends->first > 0 ? ends->first : 1;
	return audit_ends_write(a, ends, err);
}

int
audit_load(struct audit *a, struct err *err)
{
	struct audit_ends ends;
	struct store_head head;
	uint64_t first, last;

	if (a->in_step)
		return 0;
	if (store_audit_head(a->store, &head, err) != 0 || store_audit_bounds(a->store, &first, &last, err) != 0)
		return -1;
	if (!a->known || head.rows != 1 || last != a->seq || head.seq != a->seq ||
	    strcmp(head.hash, a->head.hash) != 0 || strcmp(head.mac, a->head.mac) != 0) {
		if (audit_ends_read(a, &head, &ends, err) != 0)
			return -1;
		a->known = false;
		if (head_adopt(a, &ends, err) != 0)
			return -1;
		a->known = true;
	}
	a->in_step = true;
	return 0;
}

static int
head_store(struct audit *a, struct err *err)
{
	uint8_t mac[AUDIT_HASH];

	if (audit_receipts_write(a, err) != 0)
		return -1;
	audit_mac(a->settings.mac_key, a->seq, a->hash, mac);
	buf_reset(&a->hex, SIZE_MAX);
	audit_hex(&a->hex, a->hash, AUDIT_HASH);
	audit_hex(&a->hex, mac, AUDIT_HASH);
	a->head = (struct store_head){ .rows = 1, .seq = a->seq };
	memcpy(a->head.hash, a->hex.p, AUDIT_HASH_TEXT);
	memcpy(a->head.mac, a->hex.p + AUDIT_HASH_TEXT, AUDIT_HASH_TEXT);
	return store_audit_set_head(a->store, &a->head, err);
}

void
audit_forget(struct audit *a)
{
	a->known = a->in_step = false;
	a->findings.n = 0;
	a->receipts.n = 0;
}

static int
entry_write(struct audit *a, struct audit_entry *e, struct err *err)
{
	uint8_t hash[AUDIT_HASH];

	e->seq = a->seq + 1;
	memcpy(e->prev, a->hash, AUDIT_HASH);
	if (e->at_unix_ms == 0)
		e->at_unix_ms = clock_unix_ms();
	buf_reset(&a->text, SIZE_MAX);
	buf_reset(&a->hex, SIZE_MAX);
	e->secret = a->settings.secret;
	e->memo = a->memo;
	audit_entry_put(&a->text, e);
	audit_hash(a->hash, buf_view(&a->text), hash);
	audit_hex(&a->hex, hash, AUDIT_HASH);
	if (store_audit_add(a->store, e->seq, buf_view(&a->text), buf_view(&a->hex), err) != 0 ||
	    audit_receipts_note(a, e->seq, audit_receipt_number(e->receipt), err) != 0)
		return -1;
	memcpy(a->hash, hash, AUDIT_HASH);
	a->seq++;
	a->ends_signed = false;
	return 0;
}

static void
put_finding(struct buf *policy, const struct audit_finding *f)
{
	mp_pair_cstr(policy, "finding", f->what);
	mp_pair_cstr(policy, "finding_kind", audit_problem_name(f->kind));
	if (f->from == 0)
		return;
	mp_pair_uint(policy, "finding_from", f->from);
	mp_pair_uint(policy, "finding_to", f->to > f->from ? f->to : f->from);
}

static void
put_hex(struct audit *a, struct buf *policy, const char *name, const uint8_t *bytes, size_t n)
{
	buf_reset(&a->hex, SIZE_MAX);
	audit_hex(&a->hex, bytes, n);
	mp_pair_str(policy, name, buf_view(&a->hex));
}

/* What a checkpoint says; seal NULL: without that. */
static void
put_checkpoint(struct audit *a, const struct audit_finding *f, const uint8_t signature[AUDIT_SIGNATURE],
    const uint8_t *seal, struct buf *policy)
{
	size_t map = mp_open_pairs(policy, mp_cstr("algorithm", "Ed25519"));

	put_hex(a, policy, "public_key", a->public, sizeof(a->public));
	put_hex(a, policy, "signature", signature, AUDIT_SIGNATURE);
	mp_pair_uint(policy, "first_seq", a->first_seq);
	if (f != NULL)
		put_finding(policy, f);
	buf_span(policy, buf_view(&a->cross));
	if (seal != NULL)
		put_hex(a, policy, "seal", seal, AUDIT_SIGNATURE);
	mp_end(policy, map);
}

/* With a seal over what it says, unless a part of that is hidden as a secret. */
static void
put_sealed(struct audit *a, const struct audit_finding *f, struct buf *policy)
{
	struct buf plain = { .max = 0 }, text = { .max = 0 }, hidden = { .max = 0 };
	uint8_t public[AUDIT_PUBLIC], signature[AUDIT_SIGNATURE], seal[AUDIT_SIGNATURE];
	struct mp_value map;

	audit_sign(a->settings.sign_seed, a->seq + 1, a->hash, public, signature);
	put_checkpoint(a, f, signature, NULL, &plain);
	if (mp_value(buf_view(&plain), &map)) {
		json_write(&text, &map);
		audit_chain_seal(a->settings.sign_seed, a->seq + 1, a->hash, buf_view(&text), seal);
	}
	put_checkpoint(a, f, signature, policy_secrets_hide(buf_view(&text), a->settings.secret, &hidden) ? NULL : seal,
	    policy);
	buf_fini(&hidden);
	buf_fini(&text);
	buf_fini(&plain);
}

/* Write a checkpoint with the finding; NULL: without one. */
static int
checkpoint_with(struct audit *a, const struct audit_finding *f, uint64_t at_unix_ms, struct err *err)
{
	struct audit_entry e = audit_entry_of(AUDIT_ACTION_CHECKPOINT, AUDIT_OUTCOME_OK);
	struct buf policy = { .max = 0 };
	int result;

	put_sealed(a, f, &policy);
	e.policy = buf_view(&policy);
	e.at_unix_ms = at_unix_ms;
	result = entry_write(a, &e, err);
	buf_fini(&policy);
	a->ends_signed = result == 0;
	if (result == 0)
		a->signed_ns = clock_ns();
	return result;
}

/* Write a checkpoint, or one for each finding. */
static int
checkpoint_write(struct audit *a, uint64_t at_unix_ms, struct err *err)
{
	do {
		const struct audit_finding *f = a->findings.n > 0 ? &a->findings.v[a->findings.n - 1] : NULL;

		if (checkpoint_with(a, f, at_unix_ms, err) != 0)
			return -1;
		a->findings.n -= f != NULL;
	} while (a->findings.n > 0);
	return 0;
}

/* Append without storing the head; the end of the step does that. */
static int
entry_append(struct audit *a, struct audit_entry *e, struct err *err)
{
	if (audit_load(a, err) != 0)
		return -1;
	if ((a->findings.n > 0 || (a->seq + 1) % AUDIT_CHECKPOINT_EVERY == 0) &&
	    checkpoint_write(a, e->at_unix_ms, err) != 0)
		return -1;
	/* The checkpoint for a finding may have taken the place just before a regular one. */
	if ((a->seq + 1) % AUDIT_CHECKPOINT_EVERY == 0 && checkpoint_write(a, e->at_unix_ms, err) != 0)
		return -1;
	return entry_write(a, e, err);
}

static void
step_ended(struct audit *a)
{
	a->in_step = false;
	a->unsynced = true;
	a->unsigned_end = !a->ends_signed;
}

int
audit_append(struct audit *a, struct audit_entry *e, struct err *err)
{
	/* The caller's transaction has its own step, with possibly several entries. */
	a->in_step = false;
	if (entry_append(a, e, err) != 0 || head_store(a, err) != 0) {
		audit_forget(a);
		return -1;
	}
	a->written++;
	step_ended(a);
	return 0;
}

const struct audit_entry *
audit_take(struct audit *a, unsigned tellers, bool again, uint64_t peer, uint64_t id, struct span entry)
{
	struct audit_taken t = { .peer = peer, .id = id, .again = again };

	if (!audit_entry_read(arena_span(a->arena, entry), tellers, &t.entry))
		return NULL;
	if (t.entry.at_unix_ms == 0)
		t.entry.at_unix_ms = clock_unix_ms();
	a->taken = mem_grow(a->taken, a->ntaken, &a->cap, sizeof(*a->taken));
	a->taken[a->ntaken] = t;
	return &a->taken[a->ntaken++].entry;
}

int
audit_write(struct audit *a, struct audit_entry *e, bool again, struct err *err)
{
	uint64_t seq, receipt = again ? audit_receipt_number(e->receipt) : 0;
	int found = receipt == 0 ? 0 : audit_receipt_find(a, receipt, &seq, err);

	return found < 0 ? -1 : found > 0 ? 0 : entry_append(a, e, err);
}

int
audit_tell(struct audit *a, const char *finding, struct err *err)
{
	log_error("audit: %s; `carrel audit verify` says where", finding);
	if (audit_load(a, err) != 0)
		return -1;
	audit_finding_add(&a->findings, AUDIT_HEAD, 0, 0, finding);
	return checkpoint_write(a, 0, err);
}

int
audit_commit(struct audit *a, struct err *err)
{
	(void)fault_point("auth.audit_before_commit");
	/* Without a step all entries were repetitions on record already, and the head was not read. */
	if ((a->in_step && head_store(a, err) != 0) || store_commit(a->store, err) != 0)
		return audit_roll_back(a);
	(void)fault_point("auth.audit_after_commit");
	step_ended(a);
	return 0;
}

int
audit_roll_back(struct audit *a)
{
	store_rollback(a->store);
	audit_forget(a);
	return -1;
}

static int
write_all(struct audit *a, struct err *err)
{
	if (store_begin(a->store, err) != 0)
		return -1;
	a->in_step = false;
	for (size_t i = 0; i < a->ntaken; i++)
		if (audit_write(a, &a->taken[i].entry, a->taken[i].again, err) != 0)
			return audit_roll_back(a);
	return audit_commit(a, err);
}

unsigned
audit_gather_us(struct audit *a)
{
	if (a->ntaken == 0 || a->ntaken >= GATHER_ENOUGH)
		return 0;
	if (a->alone > 0) {
		a->alone--;
		return 0;
	}
	a->gathered = a->ntaken;
	return GATHER_US;
}

size_t
audit_turn(struct audit *a, void (*answer)(void *arg, uint64_t peer, uint64_t id, const char *why), void *arg)
{
	size_t n = a->ntaken;
	struct err e;
	bool written;

	if (n == 0)
		return 0;
	if (n > 1 && a->gathered != n)
		a->alone = a->vain = 0;
	else if (a->gathered == n) {
		a->vain = a->vain == 0 ? 1 : a->vain < GATHER_ALONE ? 2 * a->vain : GATHER_ALONE;
		a->alone = a->vain;
	}
	a->gathered = 0;
	written = write_all(a, &e) == 0;
	*(written ? &a->written : &a->failed) += n;
	if (!written && a->ntold++ % 100 == 0)
		log_error("audit: %zu entries could not be written: %s", n, e.message);
	if (written)
		a->ntold = 0;
	/* More entries are likely: let the fronts write them to their journals instead of waiting for an answer. */
	audit_take_from(a, written && !a->settings.disk);
	for (size_t i = 0; i < n; i++)
		if (a->taken[i].peer != 0)
			answer(arg, a->taken[i].peer, a->taken[i].id, written ? NULL : e.message);
	a->ntaken = 0;
	arena_reset(a->arena);
	return n;
}

void
audit_idle(struct audit *a, uint64_t now_ns)
{
	audit_journals_idle(a, now_ns);
	if (a->unsynced && now_ns - a->synced_ns >= SYNC_NS) {
		a->synced_ns = now_ns;
		audit_sync(a);
	}
	audit_retain(a, now_ns);
}

unsigned
audit_patience_ms(const struct audit *a)
{
	if (a->taking)
		return AUDIT_SETTLE_MS;
	return a->unsynced ? (unsigned)(SYNC_NS / CLOCK_MS) : 1000;
}

int
audit_checkpoint(struct audit *a, struct err *err)
{
	return audit_load(a, err) != 0 ? -1 : checkpoint_write(a, 0, err);
}

int
audit_seal(struct audit *a, struct err *err)
{
	return head_store(a, err);
}

int
audit_sign_end(struct audit *a, struct err *err)
{
	if (store_begin(a->store, err) != 0)
		return -1;
	a->in_step = false;
	return audit_checkpoint(a, err) != 0 ? audit_roll_back(a) : audit_commit(a, err);
}

uint64_t
audit_unsigned_ns(const struct audit *a, uint64_t now_ns, bool also)
{
	return (a->unsigned_end || also) && now_ns > a->signed_ns ? now_ns - a->signed_ns : 0;
}

int
audit_report(struct audit *a, const struct audit_finding *f, struct err *err)
{
	log_error("audit: %s; `carrel audit verify` says where", f->what);
	if (store_begin(a->store, err) != 0)
		return -1;
	a->in_step = false;
	if (audit_load(a, err) != 0)
		return audit_roll_back(a);
	audit_finding_add(&a->findings, f->kind, f->from, f->to, f->what);
	return checkpoint_write(a, 0, err) != 0 ? audit_roll_back(a) : audit_commit(a, err);
}

int
audit_witness(struct audit *a, const struct audit_point *copied, struct err *err)
{
	a->copied = *copied;
	a->known = false;
	return audit_sign_end(a, err);
}

void
audit_set_cross(struct audit *a, struct span pairs)
{
	buf_reset(&a->cross, SIZE_MAX);
	buf_span(&a->cross, pairs);
}

uint64_t
audit_synced(const struct audit *a)
{
	return a->synced;
}

uint64_t
audit_first(const struct audit *a)
{
	return a->known ? a->first_seq : 0;
}

void
audit_free(struct audit *a)
{
	struct err e;

	if (a == NULL)
		return;
	audit_journals_free(a);
	if (a->unsigned_end && audit_sign_end(a, &e) != 0)
		log_warn("audit: no checkpoint was written at the end: %s", e.message);
	if (a->unsynced)
		audit_sync(a);
	buf_fini(&a->text);
	buf_fini(&a->hex);
	buf_fini(&a->copy);
	buf_fini(&a->cross);
	arena_free(a->arena);
	audit_memo_free(a->memo);
	free(a->taken);
	sodium_memzero(&a->settings, sizeof(a->settings));
	free(a);
}

int
audit_look(struct audit *a, struct audit_state *out, struct err *err)
{
	struct store_head head;
	int result;

	*out = (struct audit_state){ .written = a->written, .failed = a->failed };
	memcpy(out->public, a->public, AUDIT_PUBLIC);
	if (audit_settle(a, err) != 0)
		return -1;
	/* One transaction: head and entries are of the same moment. */
	if (store_begin(a->store, err) != 0)
		return -1;
	result = audit_ends_read(a, &head, &out->ends, err);
	store_rollback(a->store);
	return result;
}

int
audit_find(struct audit *a, struct span receipt, uint64_t *seq, struct err *err)
{
	uint64_t number = audit_receipt_number(receipt);
	struct err e;

	/* On failure, entries that are still in a journal are not found. */
	if (audit_settle(a, &e) != 0)
		log_warn("audit: the entries of the journals could not be written to the store: %s", e.message);
	return number == 0 ? 0 : audit_receipt_find(a, number, seq, err);
}
