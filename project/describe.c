/* describe.c - see describe.h. */
#include "project/describe.h"

unsigned
describe_rank(struct span origin)
{
	static const char *const order[DESCRIBE_OTHER] = { "user", "ai", "dbt", "db" };

	for (unsigned i = 0; i < DESCRIBE_OTHER; i++)
		if (span_is_str(origin, order[i]))
			return i;
	return DESCRIBE_OTHER;
}

/* Keep text when it is better than the best so far; the first of equals stays. */
static void
offer(struct span *best, unsigned *rank, struct span origin, struct span text)
{
	unsigned r = describe_rank(origin);

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
	unsigned rank = DESCRIBE_OTHER;

	if (d == NULL)
		return best;
	if (d->kind == YAML_SCALAR)
		return span_trim(d->text);
	if (d->kind == YAML_MAPPING)
		for (size_t i = 0; i < d->n; i++)
			if (d->items[i].kind == YAML_SCALAR)
				offer(&best, &rank, d->keys[i].text, d->items[i].text);
	return best;
}

struct span
describe_mp(const struct mp_value *d)
{
	struct span best = { 0 }, key;
	unsigned rank = DESCRIBE_OTHER;
	struct mp_iter it;
	struct mp_value v;

	if (d->class == MP_STR)
		return span_trim(d->s);
	if (d->class != MP_MAP)
		return best;
	it = mp_iter(d);
	while (mp_next_pair(&it, &key, &v))
		if (v.class == MP_STR)
			offer(&best, &rank, key, v.s);
	return best;
}
