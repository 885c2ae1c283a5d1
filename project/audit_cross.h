/*
 * audit_cross - the audits of several nodes against each other.
 *
 * A node's chain shows what was changed within it, and its head what was cut off, unless someone has the key, or puts
 * back the whole state of a moment.  So each checkpoint of a node that shares its store names the newest checkpoints of
 * the others, by number and hash, in its member policy:
 *
 *	"node": "north", "chain": "<32 hexadecimal digits>", "others": [{"node", "chain", "seq", "hash"}, …]
 *
 * Where a chain lacks a checkpoint that another one names, or has another entry in its place, it was cut off or
 * rewritten.  A chain is named by a number: a node that was set up again has another one under its old name, and one
 * that was renamed goes on under another one.  What others name by its former number it has all the same.
 *
 * What a checkpoint says counts once it is sealed (audit_chain.h): by itself, by the next one, or by a record of the
 * newest entry.
 *
 * A file that was copied and goes on in two places under two numbers is a fork: both have the entries before it.
 *
 * Pure, as audit_chain.h: the caller reads the chains, from the store or from files.
 */
#pragma once

#include "project/audit_chain.h"

#define AUDIT_CHAIN	16	/* bytes of a chain's number */
#define AUDIT_NODE	64	/* bytes of a node's name */

struct audit_cross;
struct audit_cross_chain;

struct audit_cross *audit_cross_new(void);
void audit_cross_free(struct audit_cross *x);

/*
 * Begin the next chain; id NULL: the number that its newest checkpoint has.  name: for people, until a checkpoint says
 * the node's.
 */
struct audit_cross_chain *audit_cross_begin(struct audit_cross *x, const uint8_t id[AUDIT_CHAIN], const char *name);

/* struct audit_check's `checkpoint` is told of; and after its audit_check_end() where the chain begins and ends. */
void audit_cross_checkpoint(struct audit_cross_chain *c, uint64_t seq, const uint8_t hash[AUDIT_HASH],
    enum audit_trust trust, const struct mp_value *policy);

/* What the checkpoint that was told last says has a seal that fits (struct audit_check), and so counts at once. */
void audit_cross_sealed(struct audit_cross_chain *c);

/* known: the last entry is the one that a record with a MAC names, so that the newest checkpoint counts too. */
void audit_cross_ends(struct audit_cross_chain *c, const struct audit_check *k, bool known);

/* The node's name, or the one that audit_cross_begin() was given. */
const char *audit_cross_name(const struct audit_cross_chain *c);

typedef void audit_cross_fn(void *arg, const char *node, uint64_t seq, enum audit_problem_kind kind,
    const char *message);

/*
 * Of files, before audit_cross_judge(): tell of each chain that is signed with another key than the first one.  What
 * chains say of one with another key is not believed.  Returns the number of problems.
 */
uint64_t audit_cross_keys(struct audit_cross *x, audit_cross_fn *problem, void *arg);

/*
 * Tell of each chain that is contradicted, by the name of its node.  absent: also of those that were not read.  Returns
 * the number of problems.
 */
uint64_t audit_cross_judge(struct audit_cross *x, bool absent, audit_cross_fn *problem, void *arg);
