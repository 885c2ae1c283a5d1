/*
 * audit_entry - the text of an audit entry: its members, and their maximal lengths.
 *
 * Every member is in every entry, in the order of struct audit_entry, null when it is unknown.  Whatever the input,
 * the text is one JSON object of at most AUDIT_ENTRY_MAX bytes: each member has its own bound on the encoded text,
 * escapes included, and the statement gets the rest, AUDIT_STATEMENT_CHARACTERS at most.  Texts are cut between
 * characters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "policy/audit_words.h"
#include "project/audit_chain.h"

#define AUDIT_STATEMENT_CHARACTERS	500

struct audit_memo;

/* A figure that may be null. */
#define AUDIT_NO_FIGURE	UINT64_MAX

/* Spans are valid UTF-8; empty: null. */
struct audit_entry {
	uint64_t		seq, at_unix_ms;
	struct span		receipt;
	enum audit_kind		kind;		/* of the principal */
	struct span		id;		/* of the principal */
	enum audit_surface	surface;
	enum audit_action	action;
	struct span		target;
	enum audit_outcome	outcome;
	struct span		code;
	uint64_t		duration_ms;
	uint64_t		rows;		/* or AUDIT_NO_FIGURE */
	uint64_t		truncated;	/* 0, 1, or AUDIT_NO_FIGURE */
	struct span		statement, connection, snapshot;
	struct span		policy;		/* a msgpack map */
	struct span		client, address, trace_id;
	uint8_t			prev[AUDIT_HASH];
	struct span		secret;		/* as `fixed` of policy_secrets_hide() */
	struct audit_memo	*memo;		/* of entries with the same secret; NULL: none */
	struct span		told;		/* what it was read from; empty: the memo does not keep it */
	struct span		known;		/* what of the text stands for them; empty: to be composed */
};

/* An entry with only these two members. */
struct audit_entry audit_entry_of(enum audit_action action, enum audit_outcome outcome);

/*
 * Read what one of the tellers sent: a msgpack map of the members by their names, where `principal` is the id alone
 * and `at` Unix milliseconds; duration_ms, rows and truncated as in the text.  Unknown members and members of a wrong
 * type are left out.  Spans borrow from the map.  False: the action is unknown or not allowed for the tellers.
 */
bool audit_entry_read(struct span map, unsigned tellers, struct audit_entry *e);

/*
 * The part of such a map that says all but the receipt, where the receipt comes first, as in the maps of fronts; empty
 * where it does not, or is none.  bytes may be anything.
 */
struct span audit_entry_told(struct span bytes, struct span *receipt);

/* Append the text of e to out.  Its memo keeps what was composed where e->told is not empty. */
void audit_entry_put(struct buf *out, const struct audit_entry *e);

/* The number that a receipt stands for: "r-3f2a9c01-1b4" is 0x3f2a9c01000001b4.  0: it is no receipt. */
uint64_t audit_receipt_number(struct span receipt);
