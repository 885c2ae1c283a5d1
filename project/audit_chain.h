/*
 * audit_chain - the rules that chain the audit's entries, and the check that finds breaks.
 *
 * An entry is a JSON object whose text never changes.  Its last member, prev, is the hash of the previous entry
 * (AUDIT_FIRST_PREV for the first); its own hash is SHA-256 over those 32 bytes and the bytes of its text.  An entry
 * whose seq is a multiple of AUDIT_CHECKPOINT_EVERY is a checkpoint, and so is the last one of every run: its member
 * policy has an Ed25519 signature over seq (eight bytes, big-endian) and prev (32 bytes), and as its last member the
 * seal, another one over what policy says: over "S", seq, and SHA-256 of prev and of policy's text without that member.
 * The head names the newest entry and has a MAC, HMAC-SHA256 over the same 8 + 32 bytes of its seq and hash.
 *
 * An export has each entry's text with the hash as an additional member: audit_line_put().
 *
 * Pure: the caller passes the bytes, from the store or from a file, to an audit_check in order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/mp.h"
#include "project/audit_ends.h"

#define AUDIT_HASH_TEXT		(2 * AUDIT_HASH)	/* in hexadecimal */
#define AUDIT_SIGNATURE		64
#define AUDIT_PUBLIC		32
#define AUDIT_CHECKPOINT_EVERY	1000
#define AUDIT_ENTRY_MAX		4096	/* bytes of an entry's text */
#define AUDIT_LINE_MAX		(AUDIT_ENTRY_MAX + 10 + AUDIT_HASH_TEXT)
#define AUDIT_SEQ_MAX		INT64_MAX

/* hash = SHA-256(prev, text). */
void audit_hash(const uint8_t prev[AUDIT_HASH], struct span text, uint8_t hash[AUDIT_HASH]);

/* Append bytes in hexadecimal; read them back: false when text is not exactly that. */
void audit_hex(struct buf *out, const uint8_t *bytes, size_t n);
bool audit_unhex(struct span text, uint8_t *bytes, size_t n);

/* The 40 bytes that a checkpoint signs and that a head's MAC is of. */
#define AUDIT_STATEMENT		(8 + AUDIT_HASH)
void audit_chain_statement(uint64_t seq, const uint8_t hash[AUDIT_HASH], uint8_t out[AUDIT_STATEMENT]);

void audit_sign(const uint8_t seed[32], uint64_t seq, const uint8_t prev[AUDIT_HASH],
    uint8_t public[AUDIT_PUBLIC], uint8_t signature[AUDIT_SIGNATURE]);
/* policy: its JSON without the seal. */
void audit_chain_seal(const uint8_t seed[32], uint64_t seq, const uint8_t prev[AUDIT_HASH], struct span policy,
    uint8_t seal[AUDIT_SIGNATURE]);
void audit_mac(const uint8_t key[32], uint64_t seq, const uint8_t hash[AUDIT_HASH], uint8_t mac[AUDIT_HASH]);

/* The MAC of the mark: over seq alone, so that it cannot be taken for a head's. */
void audit_mark_mac(const uint8_t key[32], uint64_t seq, uint8_t mac[AUDIT_HASH]);

/* Append one line of an export, without its line feed.  text ends in '}'. */
void audit_line_put(struct buf *out, struct span text, struct span hash);

/*
 * Split a line of an export: the entry's text into text, which is emptied first; the hash borrows from line.  False:
 * not such a line.
 */
bool audit_line_read(struct span line, struct buf *text, struct span *hash);

/* The text of the first member of this name in an entry as Carrel writes it, without escapes; empty: none. */
struct span audit_chain_member(struct span entry, const char *name);

const char *audit_problem_name(enum audit_problem_kind kind);

/* The expected state; unknown members are zero. */
struct audit_expected {
	bool	whole;		/* the first entry is 1, or where the newest checkpoint says that retention stopped */
	bool	has_key;	/* checkpoints are signed with this key; otherwise all with that of the first */
	uint8_t	key[AUDIT_PUBLIC];
	struct audit_ends ends;	/* first and last are ignored; read only for a whole audit */
	bool	named;		/* a record names the last entry, and the caller compares it */
};

/* kept until the end, as a missing entry may be elsewhere; further ones are reported at once */
#define AUDIT_GAPS	64
#define AUDIT_NAMED	100	/* entries that one recorded finding is reported for */

/*
 * What a checkpoint is worth.  Its signature is over the entries before it and not over its own policy, which the seal
 * is for; checkpoints of former versions have none, so that anybody can rewrite what the last of a file says.
 * SIGNED: the signature fits.  SEALS: and each entry since the checkpoint before names the one before it, so that what
 * that checkpoint says is what was signed.
 */
enum audit_trust { AUDIT_UNSIGNED, AUDIT_SIGNED, AUDIT_SEALS };

struct audit_check {
	struct audit_expected	expected;
	/* Told of each problem; seq is the number of the entry that it is at. */
	void	(*problem)(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message);
	/*
	 * Told of each checkpoint with its hash and its member policy, which dies with the call.  May be NULL.
	 */
	void	(*checkpoint)(void *arg, uint64_t seq, const uint8_t hash[AUDIT_HASH], enum audit_trust trust,
		    const struct mp_value *policy);
	void	*arg;
	/* found out */
	uint64_t entries, first_seq, last_seq, checkpoints, problems;
	uint8_t	last_hash[AUDIT_HASH];
	uint8_t	key[AUDIT_PUBLIC];	/* of the first checkpoint */
	bool	has_key;
	bool	sealed;			/* what the newest checkpoint says has a seal that fits */
	bool	linked;			/* each entry since the newest checkpoint names the one before it */
	/* private */
	uint8_t	link[AUDIT_HASH];	/* of the entry before, as its text has it */
	struct { uint64_t from, to; } gaps[AUDIT_GAPS];	/* numbers that no entry had yet, both ends included */
	unsigned ngaps;
	uint8_t	other_hash[AUDIT_HASH];	/* what the entry after the last one may name as well */
	bool	broken;			/* the last entry was reported: a mismatch of the next one's prev is no news */
	bool	beheaded;		/* told that entries are gone in front */
	uint64_t shift;			/* of the keys against the numbers, modulo 2^64 */
	bool	seals;			/* a checkpoint had a seal */
	uint64_t unsealed;		/* the newest checkpoint without one that none vouches for; 0: none */
	uint64_t kept_from;		/* the first entry according to the newest checkpoint; 0: unknown */
};

/*
 * Check another entry: seq is its key in the store, 0 in an export; hash in hexadecimal.  In the order of seq, or of
 * the lines.
 */
void audit_check_entry(struct audit_check *k, uint64_t seq, struct span text, struct span hash);

/* The entry before was the last one. */
void audit_check_end(struct audit_check *k);
