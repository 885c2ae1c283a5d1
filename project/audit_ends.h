/*
 * audit_ends - whether both ends of an audit are where they were left.
 *
 * The chain vouches for the entries between its ends.  That none was removed in front or at the end, or added behind
 * the last, is told by three records apart from the entries, each with a MAC: the head, a row that names the newest
 * entry; the copy of the head in a file next to the store, as of the last time that the store was synced; and the mark,
 * a setting that names the first entry that is kept.
 *
 * Pure: the writer of the audit, when it begins, and `carrel audit verify` apply the same rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDIT_HASH	32

/* As `carrel audit verify` names them. */
enum audit_problem_kind {
	AUDIT_CHANGED, AUDIT_MISSING, AUDIT_INSERTED, AUDIT_MOVED, AUDIT_CHECKPOINT, AUDIT_HEAD
};

/* An entry; seq 0: none. */
struct audit_point {
	uint64_t	seq;
	uint8_t		hash[AUDIT_HASH];
};

/* A record with a MAC.  FORGED: the MAC is wrong. */
enum audit_witness { AUDIT_ABSENT, AUDIT_SOUND, AUDIT_FORGED };

struct audit_ends {
	uint64_t		first, last;	/* the entries; 0: there are none */
	unsigned		heads;		/* rows of audit_head */
	enum audit_witness	head_is, copy_is, mark_is;
	struct audit_point	head;		/* of the row, if that is sound */
	struct audit_point	known;		/* the newest entry by the copy, or by the memory of the process */
	uint64_t		mark;		/* the first entry by the mark */
	bool			used;		/* the store holds what only calls on record put there */
};

struct audit_finding {
	enum audit_problem_kind	kind;
	uint64_t		from, to;	/* the entries concerned; 0: none in particular */
	const char		*what;		/* half a sentence, static */
};

#define AUDIT_FINDINGS	8	/* the most that audit_ends_check() finds */

struct audit_findings {
	size_t			n;
	struct audit_finding	v[AUDIT_FINDINGS];
};

/* The newest entry that a sound record names; seq 0: no record names one. */
struct audit_point audit_ends_top(const struct audit_ends *e);

/* Add what is wrong to f. */
void audit_ends_check(const struct audit_ends *e, struct audit_findings *f);

/* Add one; dropped if f is full. */
void audit_finding_add(struct audit_findings *f, enum audit_problem_kind kind, uint64_t from, uint64_t to,
    const char *what);
