/* audit_cross.c - see audit_cross.h. */
#include "project/audit_cross.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

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
};

/* A chain that is named, whether it was read or not. */
struct cross_target {
	uint8_t	id[AUDIT_CHAIN];
	char	node[AUDIT_NODE + 1];	/* as the newest claim calls it */
};

/* A number that a chain had: of a node that was renamed it is another one from then on. */
struct cross_id {
	uint8_t		id[AUDIT_CHAIN];
	uint64_t	last;	/* the newest entry that says so; of the newest number all that follow */
};

struct audit_cross_chain {
	struct audit_cross	*cross;
	char			 name[256];
	bool			 given;		/* ids has the one that the caller gave */
	struct cross_id		*ids;
	size_t			 nids, ids_cap;
	uint64_t		 first, last;
	struct cross_point	*points;
	size_t			 npoints, cap;
	struct cross_claim	*claims;
	size_t			 nclaims, claims_cap;
	struct audit_cross_chain *next;
};

struct audit_cross {
	struct audit_cross_chain	*chains, **end;
	struct cross_target		*targets;
	size_t				 ntargets, cap;
};

struct audit_cross *
audit_cross_new(void)
{
	struct audit_cross *x = mem_new(1, sizeof(*x));

	x->end = &x->chains;
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
		free(c->ids);
		free(c->points);
		free(c->claims);
		free(c);
	}
	free(x->targets);
	free(x);
}

static void
add_id(struct audit_cross_chain *c, const uint8_t id[AUDIT_CHAIN], uint64_t seq)
{
	if (c->nids == 0 || memcmp(c->ids[c->nids - 1].id, id, AUDIT_CHAIN) != 0) {
		c->ids = mem_grow(c->ids, c->nids, &c->ids_cap, sizeof(*c->ids));
		memcpy(c->ids[c->nids++].id, id, AUDIT_CHAIN);
	}
	c->ids[c->nids - 1].last = seq;
}

struct audit_cross_chain *
audit_cross_begin(struct audit_cross *x, const uint8_t id[AUDIT_CHAIN], const char *name)
{
	struct audit_cross_chain *c = mem_new(1, sizeof(*c));

	c->cross = x;
	snprintf(c->name, sizeof(c->name), "%s", name);
	if (id != NULL)
		add_id(c, id, 0);
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

static size_t
target_of(struct audit_cross *x, const uint8_t id[AUDIT_CHAIN])
{
	for (size_t i = 0; i < x->ntargets; i++)
		if (memcmp(x->targets[i].id, id, AUDIT_CHAIN) == 0)
			return i;
	x->targets = mem_grow(x->targets, x->ntargets, &x->cap, sizeof(*x->targets));
	x->targets[x->ntargets] = (struct cross_target){ .node = "" };
	memcpy(x->targets[x->ntargets].id, id, AUDIT_CHAIN);
	return x->ntargets++;
}

/* The newest claim of the same target says the same: it need not be kept again. */
static bool
is_repeated(const struct audit_cross_chain *c, const struct cross_claim *claim)
{
	for (size_t i = c->nclaims; i-- > 0;)
		if (c->claims[i].target == claim->target)
			return memcmp(&c->claims[i].of, &claim->of, sizeof(claim->of)) == 0;
	return false;
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
	snprintf(c->cross->targets[claim.target].node, AUDIT_NODE + 1, "%.*s",
	    SPAN_FMT(mp_get_str(other, "node", none)));
	if (claim.of.seq == 0 || is_repeated(c, &claim))
		return;
	c->claims = mem_grow(c->claims, c->nclaims, &c->claims_cap, sizeof(*c->claims));
	c->claims[c->nclaims++] = claim;
}

static void
take_policy(struct audit_cross_chain *c, uint64_t seq, const struct mp_value *policy)
{
	struct span node = mp_get_str(policy, "node", none);
	uint8_t id[AUDIT_CHAIN];
	struct mp_value others, other;
	struct mp_iter it;

	if (node.len > 0)
		snprintf(c->name, sizeof(c->name), "%.*s", SPAN_FMT(node));
	if (!c->given && audit_unhex(mp_get_str(policy, "chain", none), id, AUDIT_CHAIN))
		add_id(c, id, seq);
	if (!mp_get(policy, "others", &others) || others.class != MP_ARRAY)
		return;
	it = mp_iter(&others);
	while (mp_next(&it, &other))
		take_claim(c, seq, &other);
}

void
audit_cross_checkpoint(struct audit_cross_chain *c, uint64_t seq, const uint8_t hash[AUDIT_HASH], bool trusted,
    const struct mp_value *policy)
{
	struct cross_point *p;

	c->points = mem_grow(c->points, c->npoints, &c->cap, sizeof(*c->points));
	p = &c->points[c->npoints++];
	p->seq = seq;
	memcpy(p->hash, hash, HASH_KEPT);
	if (trusted && policy->class == MP_MAP)
		take_policy(c, seq, policy);
}

void
audit_cross_ends(struct audit_cross_chain *c, uint64_t first, uint64_t last)
{
	c->first = first;
	c->last = last;
}

static int
compare_points(const void *a, const void *b)
{
	uint64_t x = ((const struct cross_point *)a)->seq, y = ((const struct cross_point *)b)->seq;

	return x < y ? -1 : x > y;
}

/* Up to which entry a chain has this number: UINT64_MAX with its newest one, 0: it never had it. */
static uint64_t
has_number(const struct audit_cross_chain *c, const uint8_t id[AUDIT_CHAIN])
{
	for (size_t i = c->nids; i-- > 0;)
		if (memcmp(c->ids[i].id, id, AUDIT_CHAIN) == 0)
			return i + 1 == c->nids ? UINT64_MAX : c->ids[i].last;
	return 0;
}

/*
 * Of the chains with this number, as a copy and the node's own audit are two: those whose newest number it is; if none
 * is, those that had it before.
 */
static bool
is_of_target(const struct audit_cross *x, const struct audit_cross_chain *c, const struct cross_target *t)
{
	uint64_t upto = has_number(c, t->id);

	for (const struct audit_cross_chain *d = x->chains; upto != UINT64_MAX && d != NULL; d = d->next)
		if (has_number(d, t->id) == UINT64_MAX)
			return false;
	return upto > 0;
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

static struct cross_verdict
judge_chain(const struct audit_cross *x, const struct audit_cross_chain *c, size_t target, uint64_t upto)
{
	struct cross_verdict v = { NULL, NULL, NULL, NULL };

	for (const struct audit_cross_chain *by = x->chains; by != NULL; by = by->next)
		for (size_t i = 0; by != c && i < by->nclaims; i++)
			if (by->claims[i].target == target && by->claims[i].of.seq <= upto)
				hold_claim(&v, c, &by->claims[i], by->name);
	return v;
}

static uint64_t
tell_verdict(const struct audit_cross_chain *c, const struct cross_verdict *v, audit_cross_fn *problem, void *arg)
{
	uint64_t told = 0;
	char message[512];

	if (v->changed != NULL) {
		told++;
		snprintf(message, sizeof(message),
		    "Entry %llu of %s names another entry in this place: this audit was written anew from before it "
		    "on.",
		    (unsigned long long)v->changed->at, v->changed_by);
		problem(arg, c->name, v->changed->of.seq, AUDIT_CHANGED, message);
	}
	if (v->missing != NULL) {
		told++;
		snprintf(message, sizeof(message),
		    "Entry %llu of %s names entry %llu of this audit, which ends at %llu: its end was cut off.",
		    (unsigned long long)v->missing->at, v->missing_by, (unsigned long long)v->missing->of.seq,
		    (unsigned long long)c->last);
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

	v = judge_chain(x, &missing, target, UINT64_MAX);
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
	    "Two audits of this node were read, and they have different entries here: one of them was written anew.");
	return 1;
}

static uint64_t
judge_target(const struct audit_cross *x, size_t target, bool absent, audit_cross_fn *problem, void *arg)
{
	const struct cross_target *t = &x->targets[target];
	uint64_t problems = 0;
	bool read = false;

	for (const struct audit_cross_chain *c = x->chains; c != NULL; c = c->next) {
		struct cross_verdict v;

		if (!is_of_target(x, c, t))
			continue;
		read = true;
		v = judge_chain(x, c, target, has_number(c, t->id));
		problems += tell_verdict(c, &v, problem, arg);
	}
	return read || !absent ? problems : tell_absent(x, target, problem, arg);
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
	for (struct audit_cross_chain *c = x->chains; c != NULL; c = c->next)
		for (struct audit_cross_chain *d = c->next; d != NULL; d = d->next)
			if (c->nids > 0 && has_number(d, c->ids[c->nids - 1].id) == UINT64_MAX)
				problems += tell_twins(c, d, problem, arg);
	return problems;
}
