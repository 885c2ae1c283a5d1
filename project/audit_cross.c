/* audit_cross.c - see audit_cross.h. */
#include "project/audit_cross.h"

#include <stdio.h>
#include <stdlib.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/table.h"

#define HASH_KEPT	16	/* bytes of a hash that are kept: there may be millions */

static const struct span none = { NULL, 0 };

/* A checkpoint of a chain. */
struct cross_point {
	uint64_t	seq;
	uint8_t		hash[HASH_KEPT];
};

/* What entry `at` says of a checkpoint of another chain. */
struct cross_claim {
	struct cross_point	of;
	uint64_t		at;
	size_t			target;		/* in struct audit_cross */
	size_t			before;		/* the claim before of the same target, plus one; 0: none */
};

/* A chain that is named, whether it was read or not. */
struct cross_target {
	uint8_t	id[AUDIT_CHAIN];
	char	node[AUDIT_NODE + 1];	/* as the first claim calls it */
};

/* What a chain has to do with a target. */
struct cross_of {
	size_t	newest;		/* its newest claim, plus one; 0: none */
	bool	named;		/* the target's number is, or was, its own */
};

/* Numbers of targets, plus one; 0: none. */
struct audit_cross_chain {
	struct audit_cross	*cross;
	char			 name[256];
	bool			 given;		/* its number is the one that the caller gave */
	bool			 foreign;	/* its key is not that of the first file */
	size_t			 number;	/* its newest one */
	size_t			 unsealed;	/* the one that its last checkpoint says, which may be anybody's word */
	char			 unsealed_name[256];
	struct cross_of		*of;		/* of the targets */
	size_t			 nof;
	uint64_t		 first, last, numbered;	/* the first checkpoint that has a number; 0: none */
	bool			 has_key;
	uint8_t			 key[AUDIT_PUBLIC];
	struct cross_point	*points;
	size_t			 npoints, cap;
	struct cross_claim	*claims;
	size_t			 nclaims, claims_cap, nsealed;
	struct audit_cross_chain *next;
};

struct audit_cross {
	struct audit_cross_chain	*chains, **end;
	struct cross_target		*targets;
	size_t				 ntargets, cap;
	bool				 keys_differ;	/* a file's claims are held against those with its key alone */
	struct table			 by_id;		/* rows of targets */
	uint8_t				 secret[crypto_shorthash_KEYBYTES];
};

struct audit_cross *
audit_cross_new(void)
{
	struct audit_cross *x = mem_new(1, sizeof(*x));

	x->end = &x->chains;
	crypto_shorthash_keygen(x->secret);
	return x;
}

void
audit_cross_free(struct audit_cross *x)
{
	struct audit_cross_chain *c, *next;

	if (x == NULL)
		return;
	for (c = x->chains; c != NULL; c = next) {
		next = c->next;
		free(c->of);
		free(c->points);
		free(c->claims);
		free(c);
	}
	table_free(&x->by_id);
	free(x->targets);
	free(x);
}

static size_t
target_of(struct audit_cross *x, const uint8_t id[AUDIT_CHAIN])
{
	uint64_t hash;
	uint32_t row;

	(void)crypto_shorthash((uint8_t *)&hash, id, AUDIT_CHAIN, x->secret);
	for (size_t at = table_start(hash); (row = table_next(&x->by_id, hash, &at)) != TABLE_NONE;)
		if (memcmp(x->targets[row].id, id, AUDIT_CHAIN) == 0)
			return row;
	x->targets = mem_grow(x->targets, x->ntargets, &x->cap, sizeof(*x->targets));
	x->targets[x->ntargets] = (struct cross_target){ .node = "" };
	memcpy(x->targets[x->ntargets].id, id, AUDIT_CHAIN);
	table_add(&x->by_id, hash, (uint32_t)x->ntargets);
	return x->ntargets++;
}

static struct cross_of
of_target(const struct audit_cross_chain *c, size_t target)
{
	return target < c->nof ? c->of[target] : (struct cross_of){ .newest = 0 };
}

static struct cross_of *
of_grown(struct audit_cross_chain *c, size_t target)
{
	while (target >= c->nof) {
		size_t n = 2 * (target + 1);

		c->of = mem_resize(c->of, n, sizeof(*c->of));
		memset(c->of + c->nof, 0, (n - c->nof) * sizeof(*c->of));
		c->nof = n;
	}
	return &c->of[target];
}

static void
set_number(struct audit_cross_chain *c, size_t number)
{
	of_grown(c, number - 1)->named = true;
	c->number = number;
}

struct audit_cross_chain *
audit_cross_begin(struct audit_cross *x, const uint8_t id[AUDIT_CHAIN], const char *name)
{
	struct audit_cross_chain *c = mem_new(1, sizeof(*c));

	c->cross = x;
	snprintf(c->name, sizeof(c->name), "%s", name);
	if (id != NULL)
		set_number(c, target_of(x, id) + 1);
	c->given = id != NULL;
	*x->end = c;
	x->end = &c->next;
	return c;
}

const char *
audit_cross_name(const struct audit_cross_chain *c)
{
	return c->name;
}

/* The newest claim of the same target says the same: it need not be kept again. */
static bool
is_repeated(const struct audit_cross_chain *c, const struct cross_claim *claim)
{
	return claim->before > 0 && memcmp(&c->claims[claim->before - 1].of, &claim->of, sizeof(claim->of)) == 0;
}

static void
take_claim(struct audit_cross_chain *c, uint64_t at, const struct mp_value *other)
{
	struct cross_claim claim = { .at = at };
	uint8_t id[AUDIT_CHAIN], hash[AUDIT_HASH];

	if (other->class != MP_MAP || !audit_unhex(mp_get_str(other, "chain", none), id, AUDIT_CHAIN) ||
	    !audit_unhex(mp_get_str(other, "hash", none), hash, AUDIT_HASH))
		return;
	claim.of.seq = mp_get_uint(other, "seq", 0);
	memcpy(claim.of.hash, hash, HASH_KEPT);
	claim.target = target_of(c->cross, id);
	if (c->cross->targets[claim.target].node[0] == '\0')
		snprintf(c->cross->targets[claim.target].node, AUDIT_NODE + 1, "%.*s",
		    SPAN_FMT(mp_get_str(other, "node", none)));
	claim.before = of_grown(c, claim.target)->newest;
	if (claim.of.seq == 0 || is_repeated(c, &claim))
		return;
	c->claims = mem_grow(c->claims, c->nclaims, &c->claims_cap, sizeof(*c->claims));
	c->claims[c->nclaims++] = claim;
	c->of[claim.target].newest = c->nclaims;
}

static void
take_policy(struct audit_cross_chain *c, uint64_t seq, const struct mp_value *policy)
{
	struct span node = mp_get_str(policy, "node", none);
	uint8_t id[AUDIT_CHAIN];
	struct mp_value others, other;
	struct mp_iter it;

	snprintf(c->unsealed_name, sizeof(c->unsealed_name), "%.*s", SPAN_FMT(node));
	if (audit_unhex(mp_get_str(policy, "chain", none), id, AUDIT_CHAIN)) {
		c->numbered = c->numbered == 0 ? seq : c->numbered;
		c->unsealed = c->given ? c->unsealed : target_of(c->cross, id) + 1;
	}
	if (!mp_get(policy, "others", &others) || others.class != MP_ARRAY)
		return;
	it = mp_iter(&others);
	while (mp_next(&it, &other))
		take_claim(c, seq, &other);
}

/* What the newest checkpoint says is what was signed. */
static void
seal(struct audit_cross_chain *c)
{
	if (c->unsealed_name[0] != '\0')
		memcpy(c->name, c->unsealed_name, sizeof(c->name));
	if (c->unsealed > 0)
		set_number(c, c->unsealed);
	c->nsealed = c->nclaims;
}

/* What was not sealed is dropped. */
static void
drop_unsealed(struct audit_cross_chain *c)
{
	while (c->nclaims > c->nsealed) {
		const struct cross_claim *claim = &c->claims[--c->nclaims];

		c->of[claim->target].newest = claim->before;
	}
	c->unsealed_name[0] = '\0';
	c->unsealed = 0;
}

void
audit_cross_checkpoint(struct audit_cross_chain *c, uint64_t seq, const uint8_t hash[AUDIT_HASH],
    enum audit_trust trust, const struct mp_value *policy)
{
	struct cross_point *p;

	c->points = mem_grow(c->points, c->npoints, &c->cap, sizeof(*c->points));
	p = &c->points[c->npoints++];
	p->seq = seq;
	memcpy(p->hash, hash, HASH_KEPT);
	if (trust == AUDIT_SEALS)
		seal(c);
	drop_unsealed(c);
	if (trust != AUDIT_UNSIGNED && policy->class == MP_MAP)
		take_policy(c, seq, policy);
}

void
audit_cross_sealed(struct audit_cross_chain *c)
{
	seal(c);
	drop_unsealed(c);
}

/*
 * A file may end with its only checkpoint: which node's it is, that has to say, or the file would be missed.  As a
 * second number it takes nothing away: what others say of the first is held against the file as well.
 */
void
audit_cross_ends(struct audit_cross_chain *c, const struct audit_check *k, bool known)
{
	size_t number = c->unsealed;

	c->first = k->first_seq;
	c->last = k->last_seq;
	c->has_key = k->has_key;
	memcpy(c->key, k->key, AUDIT_PUBLIC);
	if (known && k->linked)
		seal(c);
	else if (c->number == 0 && c->unsealed_name[0] != '\0')
		memcpy(c->name, c->unsealed_name, sizeof(c->name));
	drop_unsealed(c);
	if (number > 0)
		of_grown(c, number - 1)->named = true;
	c->unsealed = number;
}

static int
compare_points(const void *a, const void *b)
{
	uint64_t x = ((const struct cross_point *)a)->seq, y = ((const struct cross_point *)b)->seq;

	return x < y ? -1 : x > y;
}

enum cross_number { NEVER, FORMERLY, NOW };

/* Whether a chain has a target's number. */
static enum cross_number
has_number(const struct audit_cross_chain *c, size_t target)
{
	return !of_target(c, target).named                       ? NEVER :
	    c->number == target + 1 || c->unsealed == target + 1 ? NOW :
								   FORMERLY;
}

/*
 * Of the chains with this number, as a copy and the node's own audit are two: those whose newest number it is; if none
 * is, those that had it before.
 */
static bool
is_of_target(const struct audit_cross *x, const struct audit_cross_chain *c, size_t target)
{
	enum cross_number has = has_number(c, target);

	for (const struct audit_cross_chain *d = x->chains; has == FORMERLY && d != NULL; d = d->next)
		if (has_number(d, target) == NOW)
			return false;
	return has != NEVER;
}

/* What contradicts a chain: the first checkpoint that it has otherwise, the newest that it lacks at its end. */
struct cross_verdict {
	const struct cross_claim	*changed, *missing;
	const char			*changed_by, *missing_by;
};

static bool
has_point(const struct audit_cross_chain *c, const struct cross_point *p)
{
	const struct cross_point *found =
	    c->npoints == 0 ? NULL : bsearch(p, c->points, c->npoints, sizeof(*p), compare_points);

	return found != NULL && memcmp(found->hash, p->hash, HASH_KEPT) == 0;
}

static void
hold_claim(struct cross_verdict *v, const struct audit_cross_chain *c, const struct cross_claim *claim, const char *by)
{
	if (claim->of.seq > c->last) {
		if (v->missing == NULL || claim->of.seq > v->missing->of.seq) {
			v->missing = claim;
			v->missing_by = by;
		}
	} else if (claim->of.seq >= c->first && !has_point(c, &claim->of) &&
	    (v->changed == NULL || claim->of.seq < v->changed->of.seq)) {
		v->changed = claim;
		v->changed_by = by;
	}
}

/* c NULL: of a chain that was not read. */
static bool
is_believed(const struct audit_cross *x, const struct audit_cross_chain *by, const struct audit_cross_chain *c)
{
	return !x->keys_differ || (c == NULL ? !by->foreign : memcmp(by->key, c->key, AUDIT_PUBLIC) == 0);
}

static struct cross_verdict
judge_chain(const struct audit_cross *x, const struct audit_cross_chain *c, size_t target)
{
	struct cross_verdict v = { NULL, NULL, NULL, NULL };

	for (const struct audit_cross_chain *by = x->chains; by != NULL; by = by->next) {
		size_t i =
		    by == c || !is_believed(x, by, c->cross == NULL ? NULL : c) ? 0 : of_target(by, target).newest;

		for (; i > 0; i = by->claims[i - 1].before)
			hold_claim(&v, c, &by->claims[i - 1], by->name);
	}
	return v;
}

static uint64_t
tell_verdict(const struct audit_cross_chain *c, const struct cross_verdict *v, bool formerly, audit_cross_fn *problem,
    void *arg)
{
	const char *number = formerly ?
	    ", by a number that this audit had before: if it is no copy of that node, whose own "
	    "audit is not here," :
	    ":";
	uint64_t told = 0;
	char message[512];

	if (v->changed != NULL) {
		told++;
		snprintf(message, sizeof(message),
		    "Entry %llu of %s names another entry in this place%s this audit was rewritten from an entry "
		    "before it onwards.",
		    (unsigned long long)v->changed->at, v->changed_by, number);
		problem(arg, c->name, v->changed->of.seq, AUDIT_CHANGED, message);
	}
	if (v->missing != NULL) {
		told++;
		snprintf(message, sizeof(message),
		    "Entry %llu of %s names entry %llu of this audit, which ends at %llu%s its end was cut off.",
		    (unsigned long long)v->missing->at, v->missing_by, (unsigned long long)v->missing->of.seq,
		    (unsigned long long)c->last, number);
		problem(arg, c->name, c->last + 1, AUDIT_MISSING, message);
	}
	return told;
}

static uint64_t
tell_absent(const struct audit_cross *x, size_t target, audit_cross_fn *problem, void *arg)
{
	const struct cross_target *t = &x->targets[target];
	struct audit_cross_chain missing = { .last = 0, .next = NULL };
	struct cross_verdict v;
	char message[512];

	v = judge_chain(x, &missing, target);
	if (v.missing == NULL)
		return 0;
	snprintf(message, sizeof(message), "Entry %llu of %s names entry %llu of this audit, which is not here at all.",
	    (unsigned long long)v.missing->at, v.missing_by, (unsigned long long)v.missing->of.seq);
	problem(arg, t->node, 1, AUDIT_MISSING, message);
	return 1;
}

/* Two chains of one number, as an audit and its copy: where both have entries, they have the same. */
static uint64_t
tell_twins(const struct audit_cross_chain *a, const struct audit_cross_chain *b, audit_cross_fn *problem, void *arg)
{
	const struct audit_cross_chain *const pair[] = { a, b };
	uint64_t seq = UINT64_MAX;

	for (size_t k = 0; k < 2; k++) {
		const struct audit_cross_chain *one = pair[k], *other = pair[1 - k];

		for (size_t i = 0; i < one->npoints; i++) {
			const struct cross_point *p = &one->points[i];

			if (p->seq >= other->first && p->seq <= other->last && p->seq < seq && !has_point(other, p))
				seq = p->seq;
		}
	}
	if (seq == UINT64_MAX)
		return 0;
	problem(arg, a->name, seq, AUDIT_CHANGED,
	    "Two audits of this node were read, and they have different entries here: one of them was rewritten.");
	return 1;
}

/* The first checkpoint that one has and the other, which has entries there, has not; UINT64_MAX: none. */
static uint64_t
first_apart(const struct audit_cross_chain *a, const struct audit_cross_chain *b, uint64_t *shared)
{
	*shared = 0;
	for (size_t i = 0; i < a->npoints; i++) {
		const struct cross_point *p = &a->points[i];

		if (p->seq < b->first || p->seq > b->last)
			continue;
		if (!has_point(b, p))
			return p->seq;
		*shared = p->seq;
	}
	return UINT64_MAX;
}

/*
 * Two chains of different numbers that have the same entries up to one, and others from then on.  What a machine had
 * before it shared a store may be in the audits of its clones.
 */
static uint64_t
tell_fork(const struct audit_cross_chain *a, const struct audit_cross_chain *b, audit_cross_fn *problem, void *arg)
{
	uint64_t shared[2], apart[2] = { first_apart(a, b, &shared[0]), first_apart(b, a, &shared[1]) };
	char message[640];

	if (a->numbered == 0 || shared[0] < a->numbered || (apart[0] == UINT64_MAX && apart[1] == UINT64_MAX))
		return 0;
	snprintf(message, sizeof(message),
	    "This audit has the entries of %s up to %llu, and others from then on: a copy of the one went on as the "
	    "other.",
	    a->name, (unsigned long long)shared[0]);
	problem(arg, b->name, apart[0] < apart[1] ? apart[0] : apart[1], AUDIT_CHANGED, message);
	return 1;
}

/* All pairs of chains: of one number, or of two. */
static uint64_t
judge_pairs(const struct audit_cross *x, audit_cross_fn *problem, void *arg)
{
	uint64_t problems = 0;

	for (const struct audit_cross_chain *c = x->chains; c != NULL; c = c->next) {
		size_t number = c->number > 0 ? c->number : c->unsealed;

		for (const struct audit_cross_chain *d = c->next; number > 0 && d != NULL; d = d->next)
			problems += has_number(d, number - 1) == NOW ? tell_twins(c, d, problem, arg) :
								       tell_fork(c, d, problem, arg);
	}
	return problems;
}

static uint64_t
judge_target(const struct audit_cross *x, size_t target, bool absent, audit_cross_fn *problem, void *arg)
{
	uint64_t problems = 0;
	bool read = false;

	for (const struct audit_cross_chain *c = x->chains; c != NULL; c = c->next) {
		struct cross_verdict v;

		if (!is_of_target(x, c, target))
			continue;
		read = true;
		v = judge_chain(x, c, target);
		problems += tell_verdict(c, &v, has_number(c, target) == FORMERLY, problem, arg);
	}
	return read || !absent ? problems : tell_absent(x, target, problem, arg);
}

uint64_t
audit_cross_keys(struct audit_cross *x, audit_cross_fn *problem, void *arg)
{
	struct audit_cross_chain *first = x->chains;
	uint64_t problems = 0;
	char message[640];

	while (first != NULL && !first->has_key)
		first = first->next;
	for (struct audit_cross_chain *c = first; c != NULL; c = c->next) {
		if (!c->has_key || memcmp(c->key, first->key, AUDIT_PUBLIC) == 0)
			continue;
		c->foreign = x->keys_differ = true;
		problems++;
		snprintf(message, sizeof(message),
		    "This audit is signed with another key than that of %s: one of them was not written by these "
		    "nodes, "
		    "or their key was changed.  What one says of the other is not believed.",
		    first->name);
		problem(arg, c->name, c->first, AUDIT_CHECKPOINT, message);
	}
	return problems;
}

uint64_t
audit_cross_judge(struct audit_cross *x, bool absent, audit_cross_fn *problem, void *arg)
{
	uint64_t problems = 0;

	for (struct audit_cross_chain *c = x->chains; c != NULL; c = c->next)
		if (c->npoints > 0)
			qsort(c->points, c->npoints, sizeof(*c->points), compare_points);
	for (size_t t = 0; t < x->ntargets; t++)
		problems += judge_target(x, t, absent, problem, arg);
	return problems + judge_pairs(x, problem, arg);
}
