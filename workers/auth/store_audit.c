/* store_audit.c - see store_audit.h. */
#include <stdio.h>
#include <string.h>

#include "workers/auth/store_audit.h"
#include "workers/auth/store_sqlite.h"

static struct span
audit_column(sqlite3_stmt *q, int i)
{
	const void *text = sqlite3_column_text(q, i);

	return span_of(text, (size_t)sqlite3_column_bytes(q, i));
}

int
store_audit_add(struct store *s, uint64_t seq, struct span text, struct span hash, uint64_t receipt, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_ADD, err);

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)seq);
	store_bind(q, 2, text);
	store_bind(q, 3, hash);
	if (store_run(s, q, err) != 0)
		return -1;
	if (receipt == 0)
		return 0;
	if ((q = store_statement(s, STORE_AUDIT_RECEIPT_ADD, err)) == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)receipt);
	sqlite3_bind_int64(q, 2, (sqlite3_int64)seq);
	return store_run(s, q, err);
}

int
store_audit_receipt(struct store *s, uint64_t receipt, uint64_t *seq, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_RECEIPT, err);
	int code;

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)receipt);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		*seq = (uint64_t)sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

int
store_audit_head(struct store *s, struct store_head *head, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_HEAD, err);
	int code;

	*head = (struct store_head){ .exists = false };
	if (q == NULL)
		return -1;
	code = sqlite3_step(q);
	if (code == SQLITE_ROW) {
		head->exists = true;
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

	/* There is one row, but for the first entry of all. */
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
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_REMOVE, err);

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)from);
	sqlite3_bind_int64(q, 2, (sqlite3_int64)to);
	return store_run(s, q, err);
}

int
store_audit_forget_receipt(struct store *s, uint64_t receipt, struct err *err)
{
	sqlite3_stmt *q = store_statement(s, STORE_AUDIT_RECEIPT_REMOVE, err);

	if (q == NULL)
		return -1;
	sqlite3_bind_int64(q, 1, (sqlite3_int64)receipt);
	return store_run(s, q, err);
}
