/* store_driver.c - see store_driver.h: what is the same for every database. */
#include "workers/auth/store/store_driver.h"

#include <stdio.h>
#include <string.h>

int
store_change(struct store_query *q, uint64_t *changed, struct err *err)
{
	uint64_t n;

	return q == NULL ? -1 : q->store->driver->run(q, changed != NULL ? changed : &n, err);
}

int
store_change_one(struct store_query *q, struct err *err)
{
	uint64_t changed;

	return store_change(q, &changed, err) != 0 ? -1 : changed > 0;
}

int
store_look(struct store_query *q, struct err *err)
{
	return q == NULL ? -1 : q->store->driver->next(q, err);
}

int
store_count(struct store_query *q, uint64_t *n, struct err *err)
{
	if (store_look(q, err) != 1)
		return -1;
	*n = store_column_uint(q, 0);
	store_found(q);
	return 0;
}

int
store_found(struct store_query *q)
{
	q->store->driver->end(q);
	return 1;
}

void
store_column_text(struct store_query *q, int i, char *out, size_t cap)
{
	snprintf(out, cap, "%.*s", SPAN_FMT(store_column(q, i)));
}

void
store_column_named(struct store_query *q, int i, uint32_t scopes, struct policy_named *out)
{
	out->text[0] = '\0';
	if ((scopes & POLICY_SCOPE_NAMED) != 0)
		store_column_text(q, i, out->text, sizeof(out->text));
}

uint64_t
store_column_uint(struct store_query *q, int i)
{
	int64_t v = q->store->driver->number(q, i);

	return v < 0 ? 0 : (uint64_t)v;
}

bool
store_column_blob(struct store_query *q, int i, uint8_t *out, size_t len)
{
	struct span bytes = store_column(q, i);

	memset(out, 0, len);
	if (bytes.len == len)
		memcpy(out, bytes.p, len);
	return bytes.len == len;
}
