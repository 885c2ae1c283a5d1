#include "project/scan/describe.h"

#define OTHER	4	/* rank after all origins that have a place of their own */

/* Lower is better. */
static unsigned
rank_of(struct span origin)
{
	static const char *const order[OTHER] = { "user", "ai", "dbt", "db" };

	for (unsigned i = 0; i < OTHER; i++)
		if (span_is_str(origin, order[i]))
			return i;
	return OTHER;
}

/* Keep text when it ranks higher than the best so far; among equals the first stays. */
static void
describe_offer(struct span *best, unsigned *rank, struct span origin, struct span text)
{
	unsigned r = rank_of(origin);

	text = span_trim(text);
	if (text.len > 0 && (best->len == 0 || r < *rank)) {
		*best = text;
		*rank = r;
	}
}

struct span
describe_yaml(const struct yaml_node *d)
{
	struct span best = { 0 };
	unsigned rank = OTHER;

	if (d == NULL)
		return best;
	if (d->kind == YAML_SCALAR)
		return span_trim(d->text);
	if (d->kind == YAML_MAPPING)
		for (size_t i = 0; i < d->n; i++)
			if (d->items[i].kind == YAML_SCALAR)
				describe_offer(&best, &rank, d->keys[i].text, d->items[i].text);
	return best;
}

struct span
describe_mp(const struct mp_value *d)
{
	struct span best = { 0 }, key;
	unsigned rank = OTHER;
	struct mp_iter it;
	struct mp_value v;

	if (d->class == MP_STR)
		return span_trim(d->s);
	if (d->class != MP_MAP)
		return best;
	it = mp_iter(d);
	while (mp_next_pair(&it, &key, &v))
		if (v.class == MP_STR)
			describe_offer(&best, &rank, key, v.s);
	return best;
}
