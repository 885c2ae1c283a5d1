/* store_audit.c - the audit in the store, which is always a node's own file. */
#include <string.h>

#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_driver.h"

int
store_audit_add(struct store *s, uint64_t seq, struct span text, struct span hash, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_AUDIT_ADD, err, STORE_N(seq), STORE_S(text), STORE_S(hash)), NULL,
	    err);
}

int
store_audit_receipts_add(struct store *s, const struct store_receipts *r, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_AUDIT_RECEIPTS_ADD, err, STORE_N(r->number), STORE_N(r->seq),
				STORE_B(r->behind.p, r->behind.len)),
	    NULL, err);
}

int
store_audit_receipt(struct store *s, uint64_t number, uint64_t *seq, struct err *err)
{
	uint64_t serial = (uint32_t)number;
	/* Do not search before the first entry of this front. */
	struct store_query *q = STORE_GIVEN(s, STORE_AUDIT_RECEIPTS, err,
	    STORE_N(number - (serial < UINT8_MAX ? serial : UINT8_MAX)), STORE_N(number));
	int found;

	while ((found = store_look(q, err)) == 1) {
		uint64_t by = number - store_column_raw(q, 0);
		struct span behind = store_column(q, 2);
		const uint8_t *at = memchr(behind.p, (int)by, behind.len);

		if (at != NULL) {
			*seq = store_column_uint(q, 1) + (uint64_t)(at - behind.p);
			return store_found(q);
		}
	}
	return found;
}

int
store_audit_head(struct store *s, struct store_head *head, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_AUDIT_HEAD, err);
	int found = store_look(q, err);

	*head = (struct store_head){ .rows = 0 };
	if (found != 1)
		return found;
	head->rows = (unsigned)store_column_raw(q, 3);
	head->seq = store_column_raw(q, 0);
	store_column_text(q, 1, head->hash, sizeof(head->hash));
	store_column_text(q, 2, head->mac, sizeof(head->mac));
	store_found(q);
	return 0;
}

int
store_audit_set_head(struct store *s, const struct store_head *head, struct err *err)
{
	static const enum store_statement steps[] = { STORE_AUDIT_HEAD_SET, STORE_AUDIT_HEAD_ADD };
	uint64_t changed = 0;

	/* UPDATE first; INSERT when the table is still empty. */
	for (size_t i = 0; i < 2 && changed == 0; i++)
		if (store_change(STORE_GIVEN(s, steps[i], err, STORE_N(head->seq), STORE_T(head->hash),
				     STORE_T(head->mac)),
			&changed, err) != 0)
			return -1;
	return 0;
}

int
store_audit_clear_heads(struct store *s, struct err *err)
{
	return store_change(store_statement(s, STORE_AUDIT_HEAD_CLEAR, err), NULL, err);
}

int
store_audit_prev(struct store *s, uint64_t seq, char out[AUDIT_HASH_TEXT + 1], struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_AUDIT_PREV, err, STORE_N(seq));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	store_column_text(q, 0, out, AUDIT_HASH_TEXT + 1);
	return store_found(q);
}

int
store_audit_used(struct store *s, bool *used, struct err *err)
{
	uint64_t n = 0;

	if (store_count(store_statement(s, STORE_AUDIT_USED, err), &n, err) < 0)
		return -1;
	*used = n > 0;
	return 0;
}

int
store_audit_bounds(struct store *s, uint64_t *first, uint64_t *last, struct err *err)
{
	struct store_query *q = store_statement(s, STORE_AUDIT_BOUNDS, err);

	*first = *last = 0;
	if (store_look(q, err) != 1)
		return -1;
	*first = store_column_raw(q, 0);
	*last = store_column_raw(q, 1);
	store_found(q);
	return 0;
}

int
store_audit_rows(struct store *s, uint64_t from, bool upwards, size_t n,
    bool (*fn)(void *arg, uint64_t seq, struct span text, struct span hash), void *arg, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, upwards ? STORE_AUDIT_UP : STORE_AUDIT_DOWN, err,
	    STORE_N(from > INT64_MAX ? INT64_MAX : from));
	int found = 1;

	if (q == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if ((found = store_look(q, err)) != 1)
			return found;
		if (!fn(arg, store_column_raw(q, 0), store_column(q, 1), store_column(q, 2)))
			break;
	}
	store_found(q);
	return 0;
}

int
store_audit_remove(struct store *s, uint64_t from, uint64_t to, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_AUDIT_REMOVE, err, STORE_N(from), STORE_N(to)), NULL, err);
}

int
store_audit_forget_receipt(struct store *s, uint64_t number, uint64_t before, struct err *err)
{
	static const enum store_statement tables[] = { STORE_AUDIT_RECEIPTS_REMOVE, STORE_AUDIT_RECEIPT_REMOVE };

	for (size_t i = 0; i < 2; i++)
		if (store_change(STORE_GIVEN(s, tables[i], err, STORE_N(number), STORE_N(before)), NULL, err) != 0)
			return -1;
	return 0;
}
