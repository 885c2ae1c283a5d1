#include <stdio.h>

#include <nettle/sha2.h>
#include <sodium.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/json/json_read.h"
#include "base/mp.h"
#include "project/audit_chain.h"

static const struct span none = { NULL, 0 };

/* Nettle uses the processor's SHA instructions: a quarter of libsodium's time for each entry. */
void
audit_hash(const uint8_t prev[AUDIT_HASH], struct span text, uint8_t hash[AUDIT_HASH])
{
	struct sha256_ctx state;

	sha256_init(&state);
	sha256_update(&state, AUDIT_HASH, prev);
	sha256_update(&state, text.len, text.p);
	sha256_digest(&state, AUDIT_HASH, hash);
}

void
audit_hex(struct buf *out, const uint8_t *bytes, size_t n)
{
	hex_put(out, bytes, n);
}

bool
audit_unhex(struct span text, uint8_t *bytes, size_t n)
{
	if (text.len != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = ascii_hex(text.p[2 * i]), low = ascii_hex(text.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void
audit_chain_statement(uint64_t seq, const uint8_t hash[AUDIT_HASH], uint8_t out[AUDIT_STATEMENT])
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(seq >> (56 - 8 * i));
	memcpy(out + 8, hash, AUDIT_HASH);
}

void
audit_sign(const uint8_t seed[32], uint64_t seq, const uint8_t prev[AUDIT_HASH],
    uint8_t public[AUDIT_PUBLIC], uint8_t signature[AUDIT_SIGNATURE])
{
	uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES], statement[AUDIT_STATEMENT];

	crypto_sign_ed25519_seed_keypair(public, secret, seed);
	audit_chain_statement(seq, prev, statement);
	crypto_sign_ed25519_detached(signature, NULL, statement, sizeof(statement), secret);
	sodium_memzero(secret, sizeof(secret));
}

#define SEAL_STATEMENT	(1 + AUDIT_STATEMENT)

static void
put_seal_statement(uint64_t seq, const uint8_t prev[AUDIT_HASH], struct span policy, uint8_t out[SEAL_STATEMENT])
{
	uint8_t hash[AUDIT_HASH];

	audit_hash(prev, policy, hash);
	out[0] = 'S';
	audit_chain_statement(seq, hash, out + 1);
}

void
audit_chain_seal(const uint8_t seed[32], uint64_t seq, const uint8_t prev[AUDIT_HASH], struct span policy,
    uint8_t seal[AUDIT_SIGNATURE])
{
	uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES], public[AUDIT_PUBLIC], statement[SEAL_STATEMENT];

	crypto_sign_ed25519_seed_keypair(public, secret, seed);
	put_seal_statement(seq, prev, policy, statement);
	crypto_sign_ed25519_detached(seal, NULL, statement, sizeof(statement), secret);
	sodium_memzero(secret, sizeof(secret));
}

void
audit_mac(const uint8_t key[32], uint64_t seq, const uint8_t hash[AUDIT_HASH], uint8_t mac[AUDIT_HASH])
{
	uint8_t statement[AUDIT_STATEMENT];

	audit_chain_statement(seq, hash, statement);
	crypto_auth_hmacsha256(mac, statement, sizeof(statement), key);
}

void
audit_mark_mac(const uint8_t key[32], uint64_t seq, uint8_t mac[AUDIT_HASH])
{
	uint8_t statement[AUDIT_STATEMENT];

	audit_chain_statement(seq, (const uint8_t[AUDIT_HASH]){ 0 }, statement);
	crypto_auth_hmacsha256(mac, statement, sizeof(statement) - AUDIT_HASH, key);
}

#define LINE_HASH	",\"hash\":\""

void
audit_line_put(struct buf *out, struct span text, struct span hash)
{
	buf_append(out, text.p, text.len - 1);
	buf_str(out, LINE_HASH);
	buf_span(out, hash);
	buf_str(out, "\"}");
}

bool
audit_line_read(struct span line, struct buf *text, struct span *hash)
{
	size_t opening = sizeof(LINE_HASH) - 1, ending = opening + AUDIT_HASH_TEXT + 2;

	buf_reset(text, SIZE_MAX);
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (line.len <= ending || line.len > AUDIT_LINE_MAX ||
	    memcmp(line.p + line.len - ending, LINE_HASH, opening) != 0 || memcmp(line.p + line.len - 2, "\"}", 2) != 0)
		return false;
	*hash = span_of(line.p + line.len - 2 - AUDIT_HASH_TEXT, AUDIT_HASH_TEXT);
	buf_append(text, line.p, line.len - ending);
	buf_byte(text, '}');
	return true;
}

/*
 * Behind the first character of the first value with this name that begins so, or NULL.  Entries have no
 * blanks around the colon, and quotes within texts are escaped.
 */
static const uint8_t *
find_value(struct span text, const char *name, char first)
{
	char key[24];
	int n = snprintf(key, sizeof(key), "%c%s%c:%c", '"', name, '"', first);
	const uint8_t *at = memmem(text.p, text.len, key, (size_t)n);

	return at == NULL ? NULL : at + n;
}

struct span
audit_chain_member(struct span entry, const char *name)
{
	const uint8_t *at, *end;

	if ((at = find_value(entry, name, '"')) == NULL)
		return SPAN("");
	end = memchr(at, '"', (size_t)(entry.p + entry.len - at));
	return end == NULL ? SPAN("") : span_of(at, (size_t)(end - at));
}

static const char *const problem_names[] = { "changed", "missing", "inserted", "moved", "checkpoint", "head" };

const char *
audit_problem_name(enum audit_problem_kind kind)
{
	return problem_names[kind];
}

static void
check_tell(struct audit_check *k, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	k->problems++;
	k->problem(k->arg, seq, kind, message);
}

/* The members of an entry that the check needs. */
struct audit_seen {
	uint64_t	seq;
	uint8_t		prev[AUDIT_HASH];
	bool		checkpoint;
	struct mp_value	policy;		/* of a checkpoint; borrowed from packed */
	bool		has_signature;
	uint8_t		public[AUDIT_PUBLIC], signature[AUDIT_SIGNATURE], seal[AUDIT_SIGNATURE];
	enum { SEAL_NONE, SEAL_SAID, SEAL_MISPLACED } seal_is;
	struct span	said;		/* of the entry's text: policy up to the seal, without its last brace */
	uint64_t	kept_from;
	struct span	finding, finding_kind;	/* borrowed from packed */
	uint64_t	finding_from, finding_to;
};

#define SEAL_BEGIN	9			/* a comma, the name in quotes, a colon, a quote */
#define SEAL_END	(2 * AUDIT_SIGNATURE + 2)	/* its value, a quote, and the brace that ends policy */

/*
 * What the seal is over: policy without the seal, which is its last member.  Only in the text that was read as policy
 * is that looked for: policy is read again from there, and has to be the same.
 */
static void
check_read_seal(struct span text, struct audit_seen *seen)
{
	struct span hex = mp_get_str(&seen->policy, "seal", none), rest;
	struct buf again = { .max = 0 };
	const uint8_t *from, *to;
	size_t at;

	if (hex.len == 0)
		return;
	seen->seal_is = SEAL_MISPLACED;
	if ((from = find_value(text, "policy", '{')) == NULL)
		return;
	from--;
	rest = span_of(from, (size_t)(text.p + text.len - from));
	if ((to = find_value(rest, "seal", '"')) == NULL || (size_t)(text.p + text.len - to) < SEAL_END ||
	    !audit_unhex(hex, seen->seal, AUDIT_SIGNATURE))
		return;
	seen->said = span_of(from, (size_t)(to - from) - SEAL_BEGIN);
	if (json_read(span_of(from, (size_t)(to - from) + SEAL_END), &again, &at) == JSON_OK &&
	    span_is(buf_view(&again), seen->policy.raw))
		seen->seal_is = SEAL_SAID;
	buf_fini(&again);
}

static bool
check_read(struct span text, struct buf *packed, struct audit_seen *seen)
{
	struct mp_value entry, policy;
	size_t at;

	*seen = (struct audit_seen){ .seq = 0 };
	if (text.len > AUDIT_ENTRY_MAX || json_read(text, packed, &at) != JSON_OK ||
	    !mp_value(buf_view(packed), &entry) || entry.class != MP_MAP)
		return false;
	seen->seq = mp_get_uint(&entry, "seq", 0);
	if (seen->seq == 0 || !audit_unhex(mp_get_str(&entry, "prev", none), seen->prev, AUDIT_HASH))
		return false;
	seen->checkpoint = span_is_str(mp_get_str(&entry, "action", none), "checkpoint");
	if (!seen->checkpoint || !mp_get(&entry, "policy", &policy) || policy.class != MP_MAP)
		return true;
	seen->policy = policy;
	seen->has_signature = audit_unhex(mp_get_str(&policy, "public_key", none), seen->public, AUDIT_PUBLIC) &&
	    audit_unhex(mp_get_str(&policy, "signature", none), seen->signature, AUDIT_SIGNATURE);
	check_read_seal(text, seen);
	seen->kept_from = mp_get_uint(&policy, "first_seq", 0);
	seen->finding = mp_get_str(&policy, "finding", none);
	seen->finding_kind = mp_get_str(&policy, "finding_kind", none);
	seen->finding_from = mp_get_uint(&policy, "finding_from", 0);
	seen->finding_to = mp_get_uint(&policy, "finding_to", 0);
	return true;
}

static void
gap_tell(struct audit_check *k, uint64_t from, uint64_t to)
{
	char message[64];

	if (from == to)
		snprintf(message, sizeof(message), "The entry is gone.");
	else
		snprintf(message, sizeof(message), "%llu entries are gone from here.",
		    (unsigned long long)(to - from + 1));
	check_tell(k, from, AUDIT_MISSING, message);
}

static void
gap_add(struct audit_check *k, uint64_t from, uint64_t to)
{
	if (k->ngaps == AUDIT_GAPS) {
		gap_tell(k, from, to);
		return;
	}
	k->gaps[k->ngaps].from = from;
	k->gaps[k->ngaps++].to = to;
}

/* The entry that was missed stands elsewhere. */
static void
gap_fill(struct audit_check *k, uint64_t seq)
{
	for (unsigned i = 0; i < k->ngaps; i++) {
		uint64_t from = k->gaps[i].from, to = k->gaps[i].to;

		if (seq < from || seq > to)
			continue;
		k->gaps[i] = k->gaps[--k->ngaps];
		if (seq > from)
			gap_add(k, from, seq - 1);
		if (seq < to)
			gap_add(k, seq + 1, to);
		return;
	}
}

/* The last number of the gap that holds seq; 0: no gap does. */
static uint64_t
gap_end(const struct audit_check *k, uint64_t seq)
{
	for (unsigned i = 0; i < k->ngaps; i++)
		if (seq >= k->gaps[i].from && seq <= k->gaps[i].to)
			return k->gaps[i].to;
	return 0;
}

/* These numbers were never used: the writer went on behind entries that were not its own. */
static void
gaps_drop(struct audit_check *k, uint64_t from, uint64_t to)
{
	for (unsigned i = k->ngaps; i-- > 0;)
		if (k->gaps[i].from >= from && k->gaps[i].to <= to)
			k->gaps[i] = k->gaps[--k->ngaps];
}

/* The finding is of entries that stood behind the newest one then: they are no part of the chain. */
static bool
finding_is_insertion(const struct audit_seen *seen)
{
	return seen->finding_from > 0 && span_is_str(seen->finding_kind, problem_names[AUDIT_INSERTED]);
}

/* Report what the writer found when it began; of entries behind the newest one, each that is there. */
static void
check_finding(struct audit_check *k, const struct audit_seen *seen)
{
	enum audit_problem_kind kind = AUDIT_HEAD;
	uint64_t at = seen->finding_from > 0 ? seen->finding_from : seen->seq;
	unsigned named = 0;
	char message[256];

	for (unsigned i = 0; i < sizeof(problem_names) / sizeof(problem_names[0]); i++)
		if (span_is_str(seen->finding_kind, problem_names[i]))
			kind = (enum audit_problem_kind)i;
	snprintf(message, sizeof(message), "When entry %llu was written, this was found: %.*s.",
	    (unsigned long long)seen->seq,
	    SPAN_FMT(span_of(seen->finding.p, seen->finding.len < 160 ? seen->finding.len : 160)));
	if (!finding_is_insertion(seen)) {
		check_tell(k, at, kind, message);
		return;
	}
	while (at < seen->seq && at <= seen->finding_to && named < AUDIT_NAMED) {
		uint64_t end = gap_end(k, at);

		if (end == 0) {
			check_tell(k, at, kind, message);
			named++;
		}
		at = end == 0 ? at + 1 : end + 1;
	}
	gaps_drop(k, seen->finding_from, seen->finding_to);
}

static bool
seal_fits(const struct audit_seen *seen, const uint8_t *key)
{
	uint8_t statement[SEAL_STATEMENT];
	struct buf said = { .max = 0 };

	buf_span(&said, seen->said);
	buf_byte(&said, '}');
	put_seal_statement(seen->seq, seen->prev, buf_view(&said), statement);
	buf_fini(&said);
	return seen->seal_is == SEAL_SAID &&
	    crypto_sign_ed25519_verify_detached(seen->seal, statement, sizeof(statement), key) == 0;
}

/* A checkpoint whose signature fits; key is its own. */
static void
check_seal(struct audit_check *k, const struct audit_seen *seen, const uint8_t *key)
{
	k->sealed = seen->seal_is != SEAL_NONE && seal_fits(seen, key);
	k->seals |= k->sealed;
	if (k->seals && seen->seal_is == SEAL_NONE)
		k->unsealed = seen->seq;
	if (seen->seal_is != SEAL_NONE && !k->sealed)
		check_tell(k, seen->seq, AUDIT_CHECKPOINT,
		    "The seal does not fit: what the checkpoint says is not what was written.");
}

/* Whether the signature fits, and the seal, if there is one. */
static bool
check_signature(struct audit_check *k, const struct audit_seen *seen)
{
	uint8_t statement[AUDIT_STATEMENT];
	uint64_t before;
	const uint8_t *key;

	k->checkpoints++;
	k->kept_from = seen->kept_from;
	if (seen->finding.len > 0)
		check_finding(k, seen);
	before = k->problems;
	if (!seen->has_signature) {
		check_tell(k, seen->seq, AUDIT_CHECKPOINT, "The checkpoint has no signature.");
		return false;
	}
	if (!k->has_key) {
		memcpy(k->key, seen->public, AUDIT_PUBLIC);
		k->has_key = true;
	}
	key = k->expected.has_key ? k->expected.key : k->key;
	audit_chain_statement(seen->seq, seen->prev, statement);
	if (memcmp(key, seen->public, AUDIT_PUBLIC) != 0)
		check_tell(k, seen->seq, AUDIT_CHECKPOINT,
		    "The checkpoint is signed with another key: somebody wrote it who has not the audit's, or "
		    "audit.key "
		    "was changed.");
	else if (crypto_sign_ed25519_verify_detached(seen->signature, statement, sizeof(statement), key) != 0)
		check_tell(k, seen->seq, AUDIT_CHECKPOINT,
		    "The signature does not fit: entries up to here were replaced.");
	else
		check_seal(k, seen, key);
	return k->problems == before;
}

/* The first entry: number 1, or the first that retention kept. */
static void
check_beginning(struct audit_check *k, const struct audit_seen *seen)
{
	static const uint8_t zeros[AUDIT_HASH];

	k->first_seq = seen->seq;
	if (seen->seq == 1 && memcmp(seen->prev, zeros, AUDIT_HASH) != 0)
		check_tell(k, 1, AUDIT_CHANGED, "The first entry names an entry before it.");
	if (!k->expected.whole || seen->seq == 1 || seen->checkpoint)
		return;
	k->beheaded = true;
	if (k->expected.ends.mark_is != AUDIT_SOUND)
		check_tell(k, 1, AUDIT_MISSING,
		    "The entries before the first are gone, and retention would have left a checkpoint in front.");
}

static bool
is_behind(const struct audit_check *k, uint64_t seq)
{
	uint64_t top = k->expected.whole ? audit_ends_top(&k->expected.ends).seq : 0;

	return top > 0 && seq > top;
}

/* Compare an entry with the one before it.  False: it is out of place. */
static bool
check_order(struct audit_check *k, const struct audit_seen *seen)
{
	if (is_behind(k, seen->seq)) {
		check_tell(k, seen->seq, AUDIT_INSERTED, "The entry stands behind the newest one that was written.");
		return false;
	}
	if (k->first_seq == 0) {
		check_beginning(k, seen);
		return true;
	}
	if (seen->seq < k->last_seq) {
		check_tell(k, seen->seq, AUDIT_MOVED, "The entry stands behind one that was written later.");
		gap_fill(k, seen->seq);
		return false;
	}
	if (seen->seq == k->last_seq) {
		check_tell(k, seen->seq, AUDIT_INSERTED, "There are two entries with this number.");
		k->broken = true;
		return true;
	}
	if (seen->seq > k->last_seq + 1) {
		gap_add(k, k->last_seq + 1, seen->seq - 1);
		return true;
	}
	if (!k->broken && !finding_is_insertion(seen) && memcmp(seen->prev, k->last_hash, AUDIT_HASH) != 0 &&
	    memcmp(seen->prev, k->other_hash, AUDIT_HASH) != 0)
		check_tell(k, k->last_seq, AUDIT_CHANGED,
		    "The entry after this one was written behind another text: this one was replaced.");
	return true;
}

/* The key that an entry is stored under is its number, or differs from it as before. */
static void
check_key(struct audit_check *k, uint64_t key, uint64_t seq, bool told)
{
	char message[96];

	if (key == 0 || key - seq == k->shift)
		return;
	k->shift = key - seq;
	if (told)
		return;
	snprintf(message, sizeof(message), "The entry is stored as number %llu.", (unsigned long long)key);
	check_tell(k, seq, AUDIT_MOVED, message);
}

static void
check_unreadable(struct audit_check *k, uint64_t key)
{
	uint64_t seq = key == 0 ? k->last_seq + 1 : key - k->shift;

	check_tell(k, seq, AUDIT_CHANGED, "This is no entry as it was written.");
	k->entries++;
	k->linked = false;
	if (is_behind(k, seq))
		return;
	if (k->first_seq == 0)
		k->first_seq = seq;
	else if (seq > k->last_seq + 1)
		gap_add(k, k->last_seq + 1, seq - 1);
	k->last_seq = seq;
	k->broken = true;
}

static void
check_checkpoint(struct audit_check *k, const struct audit_seen *seen, const uint8_t own[AUDIT_HASH], bool sound)
{
	enum audit_trust trust;

	k->sealed = false;
	k->unsealed = k->linked ? 0 : k->unsealed; /* told here, if this one is not good */
	trust = !check_signature(k, seen) || !sound ? AUDIT_UNSIGNED : k->linked ? AUDIT_SEALS : AUDIT_SIGNED;
	k->linked = true;
	if (k->checkpoint != NULL)
		k->checkpoint(k->arg, seen->seq, own, trust, &seen->policy);
}

void
audit_check_entry(struct audit_check *k, uint64_t seq, struct span text, struct span hash)
{
	struct buf packed = { .max = 0 };
	struct audit_seen seen;
	uint8_t said[AUDIT_HASH], own[AUDIT_HASH];
	uint64_t before = k->problems, last = k->last_seq, first = k->entries;
	bool sound, placed;

	if (!check_read(text, &packed, &seen)) {
		check_unreadable(k, seq);
		buf_fini(&packed);
		return;
	}
	placed = check_order(k, &seen);
	check_key(k, seq, seen.seq, k->problems > before || (first > 0 && seen.seq != last + 1));
	audit_hash(seen.prev, text, own);
	sound = audit_unhex(hash, said, AUDIT_HASH) && memcmp(own, said, AUDIT_HASH) == 0;
	if (!sound)
		check_tell(k, seen.seq, AUDIT_CHANGED, "The text does not have its hash.");
	if (seen.seq % AUDIT_CHECKPOINT_EVERY == 0 && !seen.checkpoint)
		check_tell(k, seen.seq, AUDIT_CHECKPOINT, "Here must be a checkpoint.");
	k->linked &= memcmp(seen.prev, k->link, AUDIT_HASH) == 0;
	memcpy(k->link, own, AUDIT_HASH);
	if (seen.checkpoint)
		check_checkpoint(k, &seen, own, sound);
	buf_fini(&packed);
	k->entries++;
	if (!placed)
		return;
	/* Of two entries with the same number, the next entry may name either. */
	memcpy(k->other_hash, seen.seq == last && first > 0 ? k->last_hash : own, AUDIT_HASH);
	memcpy(k->last_hash, sound ? said : own, AUDIT_HASH);
	k->last_seq = seen.seq;
	k->broken = !sound;
}

/* The newest entry is the one that the head, or its copy, names. */
static void
check_newest(struct audit_check *k)
{
	struct audit_point top = audit_ends_top(&k->expected.ends);

	if (k->last_seq == top.seq && k->last_seq > 0 && !k->broken &&
	    memcmp(top.hash, k->last_hash, AUDIT_HASH) != 0 && memcmp(top.hash, k->other_hash, AUDIT_HASH) != 0)
		check_tell(k, k->last_seq, AUDIT_CHANGED, "The newest entry is not the one that was written.");
}

static void
check_ends(struct audit_check *k)
{
	struct audit_findings f = { .n = 0 };

	k->expected.ends.first = k->first_seq;
	k->expected.ends.last = k->last_seq;
	audit_ends_check(&k->expected.ends, &f);
	for (size_t i = 0; i < f.n; i++) {
		const struct audit_finding *one = &f.v[i];
		uint64_t at = one->from > 0 ? one->from : 1;
		char message[160];

		if (one->kind == AUDIT_MISSING && one->to > 0) {
			gap_tell(k, one->from, one->to);
			continue;
		}
		snprintf(message, sizeof(message), "%c%s.", one->what[0] & ~0x20, one->what + 1);
		check_tell(k, at, one->kind, message);
	}
}

void
audit_check_end(struct audit_check *k)
{
	bool cut = k->expected.whole && k->expected.ends.mark_is == AUDIT_SOUND && k->first_seq > k->expected.ends.mark;

	for (unsigned i = 0; i < k->ngaps; i++)
		gap_tell(k, k->gaps[i].from, k->gaps[i].to);
	k->ngaps = 0;
	if (k->unsealed > 0 && !k->expected.whole && !k->expected.named)
		check_tell(k, k->unsealed, AUDIT_CHECKPOINT,
		    "Checkpoints before this one have a seal over what they say: somebody took it off, or an older "
		    "version wrote this one.");
	if (!k->expected.whole)
		return;
	check_newest(k);
	check_ends(k);
	if (k->first_seq > 1 && k->kept_from != k->first_seq && !k->beheaded && !cut)
		check_tell(k, 1, AUDIT_MISSING,
		    "The oldest entries are gone, and no checkpoint says that retention removed them.");
}
