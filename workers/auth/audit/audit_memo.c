#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "workers/auth/audit/audit_memo.h"

struct memo_slot {
	uint16_t	text, became;	/* their lengths; 0: the slot is free */
	uint8_t		bytes[2 * AUDIT_MEMO_TEXT];
};

struct audit_memo {
	struct memo_slot	*slots[AUDIT_MEMO_MEMBERS][AUDIT_MEMO_SLOTS];	/* NULL: not used yet */
};

struct audit_memo *
audit_memo_new(void)
{
	return mem_new(1, sizeof(struct audit_memo));
}

void
audit_memo_free(struct audit_memo *m)
{
	if (m == NULL)
		return;
	for (unsigned i = 0; i < AUDIT_MEMO_MEMBERS * AUDIT_MEMO_SLOTS; i++) {
		struct memo_slot *slot = m->slots[i / AUDIT_MEMO_SLOTS][i % AUDIT_MEMO_SLOTS];

		if (slot != NULL)
			sodium_memzero(slot, sizeof(*slot));
		free(slot);
	}
	free(m);
}

/* By its length, its beginning and its end: where texts differ, a digest of all bytes would cost what it saves. */
static unsigned
slot_of(struct span text)
{
	size_t n = text.len < sizeof(uint64_t) ? text.len : sizeof(uint64_t);
	uint64_t first = 0, last = 0;

	memcpy(&first, text.p, n);
	memcpy(&last, text.p + text.len - n, n);
	return (unsigned)(((first ^ last << 1 ^ text.len) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % AUDIT_MEMO_SLOTS;
}

struct span
audit_memo_find(const struct audit_memo *m, unsigned member, struct span text)
{
	const struct memo_slot *slot =
	    m == NULL || text.len == 0 || text.len > AUDIT_MEMO_TEXT ? NULL : m->slots[member][slot_of(text)];

	return slot != NULL && slot->text == text.len && memcmp(slot->bytes, text.p, text.len) == 0 ?
	    span_of(slot->bytes + AUDIT_MEMO_TEXT, slot->became) :
	    SPAN_NONE;
}

void
audit_memo_keep(struct audit_memo *m, unsigned member, struct span text, struct span became)
{
	struct memo_slot **slot;

	if (m == NULL || text.len == 0 || text.len > AUDIT_MEMO_TEXT || became.len > AUDIT_MEMO_TEXT)
		return;
	slot = &m->slots[member][slot_of(text)];
	if (*slot == NULL)
		*slot = mem_new(1, sizeof(**slot));
	(*slot)->text = (uint16_t)text.len;
	(*slot)->became = (uint16_t)became.len;
	memcpy((*slot)->bytes, text.p, text.len);
	memcpy((*slot)->bytes + AUDIT_MEMO_TEXT, became.p, became.len);
}
