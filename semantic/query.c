/* query.c - the arguments of sl_query into struct sem_query; see query.h. */
#include "semantic/query.h"

/* The elements of the array member key; 0 and no list when it is absent. */
static size_t
list_of(const struct mp_value *args, const char *key, struct mp_value *list)
{
	return mp_get(args, key, list) && list->class == MP_ARRAY ? list->n : 0;
}

static struct span
text_of(const struct mp_value *map, const char *key, const char *alias)
{
	struct span s = mp_get_str(map, key, SPAN_NONE);

	return span_trim(s.len == 0 && alias != NULL ? mp_get_str(map, alias, s) : s);
}

/* "field", "field desc": the last word decides when it is a direction. */
static struct sem_order_item
order_text(struct span s)
{
	struct sem_order_item o = { .field = span_trim(s) };
	size_t at = o.field.len;
	struct span last;

	while (at > 0 && o.field.p[at - 1] != ' ')
		at--;
	last = span_of(o.field.p + at, o.field.len - at);
	if (at > 0 && (span_is_word(last, "desc") || span_is_word(last, "asc"))) {
		o.descending = span_is_word(last, "desc");
		o.field = span_trim(span_of(o.field.p, at));
	}
	return o;
}

static struct sem_order_item
order_map(const struct mp_value *v)
{
	struct sem_order_item o = { .field = text_of(v, "field", "id"),
		.granularity = text_of(v, "granularity", NULL) };
	struct span direction = text_of(v, "direction", NULL);

	if (o.field.len == 0)
		o.field = text_of(v, "dimension", "measure");
	o.descending = direction.len > 0 ? span_is_word(direction, "desc") : mp_get_bool(v, "desc", false);
	return o;
}

static int
read_limit(const struct mp_value *args, struct sem_query *q, struct sem_problem *p)
{
	struct mp_value v;

	q->limit = SEM_LIMIT_DEFAULT;
	if (!mp_get(args, "limit", &v) || v.class == MP_NIL)
		return 0;
	if (v.class == MP_UINT && v.u <= SEM_LIMIT_MAX) {
		q->limit = (int64_t)v.u;
		return 0;
	}
	if (v.class == MP_UINT) {
		q->limit = SEM_LIMIT_MAX;
		q->cut = true;
		return 0;
	}
	return sem_fail(p, SEM_INVALID_LIMIT, SPAN("limit"), "limit must be a whole number from 0 to %d.",
	    SEM_LIMIT_MAX);
}

static int
read_measures(struct arena *a, const struct mp_value *args, struct sem_query *q)
{
	struct mp_value list, v;
	struct mp_iter it;
	struct sem_measure_item *out;
	size_t n = list_of(args, "measures", &list);

	if ((out = arena_array(a, n + 1, sizeof(*out))) == NULL)
		return -1;
	q->measures = out;
	if (n == 0)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &v);) {
		if (v.class == MP_STR)
			out[q->nmeasures++] = (struct sem_measure_item){ span_trim(v.s), { NULL, 0 } };
		else
			out[q->nmeasures++] = (struct sem_measure_item){ text_of(&v, "expr", NULL),
				text_of(&v, "name", NULL) };
	}
	return 0;
}

static int
read_dimensions(struct arena *a, const struct mp_value *args, struct sem_query *q)
{
	struct mp_value list, v;
	struct mp_iter it;
	struct sem_dimension_item *out;
	size_t n = list_of(args, "dimensions", &list);

	if ((out = arena_array(a, n + 1, sizeof(*out))) == NULL)
		return -1;
	q->dimensions = out;
	if (n == 0)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &v);) {
		if (v.class == MP_STR)
			out[q->ndimensions++] = (struct sem_dimension_item){ span_trim(v.s), { NULL, 0 } };
		else
			out[q->ndimensions++] = (struct sem_dimension_item){
				text_of(&v, "field", "dimension"), text_of(&v, "granularity", NULL) };
	}
	return 0;
}

static int
read_order(struct arena *a, const struct mp_value *args, struct sem_query *q)
{
	struct mp_value list, v;
	struct mp_iter it;
	struct sem_order_item *out;
	size_t n = list_of(args, "order_by", &list);

	if ((out = arena_array(a, n + 1, sizeof(*out))) == NULL)
		return -1;
	q->order = out;
	if (n == 0)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &v);)
		out[q->norder++] = v.class == MP_STR ? order_text(v.s) : order_map(&v);
	return 0;
}

/* Texts that are not blank. */
static int
read_texts(struct arena *a, const struct mp_value *args, const char *key, const struct span **texts, size_t *count)
{
	struct mp_value list, v;
	struct mp_iter it;
	struct span *out;
	size_t n = list_of(args, key, &list);

	if ((out = arena_array(a, n + 1, sizeof(*out))) == NULL)
		return -1;
	*texts = out;
	*count = 0;
	if (n == 0)
		return 0;
	for (it = mp_iter(&list); mp_next(&it, &v);)
		if (v.class == MP_STR && span_trim(v.s).len > 0)
			out[(*count)++] = span_trim(v.s);
	return 0;
}

int
sem_query_read(struct arena *a, const struct mp_value *args, struct sem_query *q, struct sem_problem *p)
{
	*q = (struct sem_query){ .include_empty = mp_get_bool(args, "include_empty", true) };
	if (read_measures(a, args, q) == -1 || read_dimensions(a, args, q) == -1 || read_order(a, args, q) == -1 ||
	    read_texts(a, args, "filters", &q->filters, &q->nfilters) == -1 ||
	    read_texts(a, args, "segments", &q->segments, &q->nsegments) == -1)
		return sem_fail(p, SEM_PARSE_ERROR, SPAN_NONE, "The query is too large.");
	if (read_limit(args, q, p) == -1)
		return -1;
	if (q->nmeasures == 0 && q->ndimensions == 0)
		return sem_fail(p, SEM_EMPTY_QUERY, SPAN_NONE,
		    "Ask for at least one measure or dimension; discover_data finds their names.");
	return 0;
}
