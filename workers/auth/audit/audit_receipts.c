#include "workers/auth/audit/audit_receipts.h"

int
audit_receipts_write(struct audit *a, struct err *err)
{
	struct audit_receipts *r = &a->receipts;
	uint8_t behind[AUDIT_TOGETHER];
	size_t n = r->n;

	for (size_t i = 0; i < n; i++)
		behind[i] = (uint8_t)(r->numbers[i] - r->low);
	r->n = 0;
	return n == 0 ?
	    0 :
	    store_audit_receipts_add(a->store, &(struct store_receipts){ r->low, r->seq, span_of(behind, n) }, err);
}

int
audit_receipts_note(struct audit *a, uint64_t seq, uint64_t number, struct err *err)
{
	struct audit_receipts *r = &a->receipts;
	uint64_t low = number < r->low ? number : r->low, high = number > r->high ? number : r->high;

	if (number == 0)
		return 0;
	/* A row does not span a checkpoint, which has no receipt: retention removes entries up to one. */
	if (r->n == 0 || r->n == AUDIT_TOGETHER || seq != r->seq + r->n || high - low > UINT8_MAX) {
		if (audit_receipts_write(a, err) != 0)
			return -1;
		r->seq = seq;
		low = high = number;
	}
	r->low = low;
	r->high = high;
	r->numbers[r->n++] = number;
	return 0;
}

int
audit_receipt_find(struct audit *a, uint64_t number, uint64_t *seq, struct err *err)
{
	const struct audit_receipts *r = &a->receipts;
	int found = store_audit_receipt(a->store, number, seq, err);

	for (size_t i = 0; found == 0 && i < r->n; i++)
		if (r->numbers[i] == number) {
			*seq = r->seq + i;
			found = 1;
		}
	return found;
}
