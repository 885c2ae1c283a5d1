#include <stdio.h>
#include <string.h>

#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_sqlite.h"

static struct span
audit_column(sqlite3_stmt *q, int i)
{
	const void *text = sqlite3_column_text(q, i);

	return span_of(text, (size_t)sqlite3_column_bytes(q, i));
}

/* Run a statement with these numbers as its parameters. */
static int
audit_run(struct store *s, enum store_statement which, const uint64_t *numbers, int n, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, which, err);

	if (q == NULL)
		return -1;
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(q, i + 1, (sqlite3_int64)numbers[i]);
	return store_run(s, q, err);
}

int
store_audit_add(struct store *s, uint64_t seq, struct span text, struct span hash, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_ADD, err);

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)seq);
	store_bind(q, 2, text);
	store_bind(q, 3, hash);
	return store_run(s, q, err);
}

int
store_audit_receipts_add(struct store *s, const struct store_receipts *r, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_RECEIPTS_ADD, err);

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)r->number);
	sqlite3_bind_int64(q, 2, (sqlite3_int64)r->seq);
	sqlite3_bind_blob(q, 3, r->behind.p, (int)r->behind.len, SQLITE_STATIC);
	return store_run(s, q, err);
}

int
store_audit_receipt(struct store *s, uint64_t number, uint64_t *seq, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_RECEIPTS, err);
	uint64_t serial = (uint32_t)number;
	const uint8_t *behind, *at = NULL;
	int code;

	if (q == NULL)
		return -1;
	/* Do not search before the first entry of this front. */
	sqlite3_bind_int64(q, 1, (sqlite3_int64)(number - (serial < UINT8_MAX ? serial : UINT8_MAX)));
	sqlite3_bind_int64(q, 2, (sqlite3_int64)number);
	while (at == NULL && (code = sqlite3_step(q)) == SQLITE_ROW) {
		uint64_t by = number - (uint64_t)sqlite3_column_int64(q, 0);

		behind = sqlite3_column_blob(q, 2);
		at = behind == NULL ? NULL : memchr(behind, (int)by, (size_t)sqlite3_column_bytes(q, 2));
		if (at != NULL)
			*seq = store_column_uint(q, 1) + (uint64_t)(at - behind);
	}
	sqlite3_reset(q);
	return at != NULL ? 1 : code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

int
store_audit_head(struct store *s, struct store_head *head, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_HEAD, err);
	int code;

	*head = (struct store_head){ .rows = 0 };
	if (q == NULL)
		return -1;
	code = sqlite3_step(q);
	if (code == SQLITE_ROW) {
		head->rows = (unsigned)sqlite3_column_int(q, 3);
		head->seq = (uint64_t)sqlite3_column_int64(q, 0);
		snprintf(head->hash, sizeof(head->hash), "%.*s", SPAN_FMT(audit_column(q, 1)));
		snprintf(head->mac, sizeof(head->mac), "%.*s", SPAN_FMT(audit_column(q, 2)));
	}
	sqlite3_reset(q);
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

int
store_audit_set_head(struct store *s, const struct store_head *head, struct err *err)
{
	static const enum store_statement steps[] = { STORE_AUDIT_HEAD_SET, STORE_AUDIT_HEAD_ADD };

	/* UPDATE first; INSERT when the table is still empty. */
	for (size_t i = 0; i < 2; i++) {
		sqlite3_stmt *q = store_statement(s, steps[i], err);

		if (q == NULL)
			return -1;
		sqlite3_bind_int64(q, 1, (sqlite3_int64)head->seq);
		store_bind(q, 2, span_str(head->hash));
		store_bind(q, 3, span_str(head->mac));
		if (store_run(s, q, err) != 0)
			return -1;
		if (sqlite3_changes(s->db) > 0)
			break;
	}
	return 0;
}

int
store_audit_clear_heads(struct store *s, struct err *err)
{
	return audit_run(s, STORE_AUDIT_HEAD_CLEAR, NULL, 0, err);
}

int
store_audit_prev(struct store *s, uint64_t seq, char out[AUDIT_HASH_TEXT + 1], struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_PREV, err);
	int found;

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)seq);
	if ((found = store_look(s, q, err)) <= 0)
		return found;
	store_column_text(q, 0, out, AUDIT_HASH_TEXT + 1);
	return store_found(q);
}

int
store_audit_used(struct store *s, bool *used, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_USED, err);
	uint64_t n = 0;

	if (q == NULL || store_count(s, q, &n, err) < 0)
		return -1;
	*used = n > 0;
	return 0;
}

int
store_audit_bounds(struct store *s, uint64_t *first, uint64_t *last, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_BOUNDS, err);
	int code;

	*first = *last = 0;
	if (q == NULL)
		return -1;
	code = sqlite3_step(q);
	if (code == SQLITE_ROW) {
		*first = (uint64_t)sqlite3_column_int64(q, 0);
		*last = (uint64_t)sqlite3_column_int64(q, 1);
	}
	sqlite3_reset(q);
	return code == SQLITE_ROW ? 0 : store_fail(s, code, err);
}

int
store_audit_rows(struct store *s, uint64_t from, bool upwards, size_t n,
    bool (*fn)(void *arg, uint64_t seq, struct span text, struct span hash), void *arg, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, upwards ? STORE_AUDIT_UP : STORE_AUDIT_DOWN, err);
	int code = SQLITE_DONE;

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, from > INT64_MAX ? INT64_MAX : (sqlite3_int64)from);
	for (size_t i = 0; i < n && (code = sqlite3_step(q)) == SQLITE_ROW; i++)
		if (!fn(arg, (uint64_t)sqlite3_column_int64(q, 0), audit_column(q, 1), audit_column(q, 2)))
			break;
	sqlite3_reset(q);
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

int
store_audit_remove(struct store *s, uint64_t from, uint64_t to, struct err *err)
{
	return audit_run(s, STORE_AUDIT_REMOVE, (uint64_t[]){ from, to }, 2, err);
}

int
store_audit_forget_receipt(struct store *s, uint64_t number, uint64_t before, struct err *err)
{
	const uint64_t which[] = { number, before };

	return audit_run(s, STORE_AUDIT_RECEIPTS_REMOVE, which, 2, err) != 0 ?
	    -1 :
	    audit_run(s, STORE_AUDIT_RECEIPT_REMOVE, which, 2, err);
}
