#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "workers/auth/audit/audit_entry.h"
#include "workers/auth/audit/audit_memo.h"

struct memo_slot {
	uint16_t	text, became;	/* their lengths; 0: the slot is free */
	uint8_t		bytes[2 * AUDIT_MEMO_TEXT];
};

struct memo_entry {
	struct audit_entry	entry;	/* its spans are in bytes */
	uint16_t		told, text;
	uint8_t			bytes[2 * AUDIT_MEMO_ENTRY];
};

struct audit_memo {
	struct memo_slot	*slots[AUDIT_MEMO_MEMBERS][AUDIT_MEMO_SLOTS];	/* NULL: not used yet */
	struct memo_entry	*entries[AUDIT_MEMO_ENTRIES];
	uint64_t		 told[AUDIT_MEMO_ENTRIES];	/* sums of what came last: kept when it comes again */
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
	for (unsigned i = 0; i < AUDIT_MEMO_ENTRIES; i++) {
		if (m->entries[i] != NULL)
			sodium_memzero(m->entries[i], sizeof(*m->entries[i]));
		free(m->entries[i]);
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

/* Of all bytes: entries alike differ in the middle. */
static uint64_t
told_sum(struct span told)
{
	uint64_t sum = told.len, word;
	size_t at = 0;

	for (; told.len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, told.p + at, sizeof(word));
		sum += (word ^ at) * UINT64_C(0x9e3779b97f4a7c15);
	}
	for (; at < told.len; at++)
		sum = sum * 31 + told.p[at];
	return sum;
}

static unsigned
told_slot(uint64_t sum)
{
	return (unsigned)(sum >> 40) % AUDIT_MEMO_ENTRIES;
}

bool
audit_memo_find_entry(const struct audit_memo *m, struct span told, struct audit_entry *e)
{
	const struct memo_entry *slot =
	    m == NULL || told.len == 0 || told.len > AUDIT_MEMO_ENTRY ? NULL : m->entries[told_slot(told_sum(told))];

	if (slot == NULL || slot->told != told.len || memcmp(slot->bytes, told.p, told.len) != 0)
		return false;
	*e = slot->entry;
	e->known = span_of(slot->bytes + AUDIT_MEMO_ENTRY, slot->text);
	return true;
}

/* A text of told, where the memo has its own copy of these bytes. */
static struct span
moved(struct span s, struct span told, const uint8_t *copy)
{
	return s.len == 0 ? SPAN_NONE : span_of(copy + (s.p - told.p), s.len);
}

void
audit_memo_keep_entry(struct audit_memo *m, const struct audit_entry *e, struct span text)
{
	struct memo_entry **at, *slot;
	uint64_t sum, last;

	if (m == NULL || e->told.len == 0 || e->told.len > AUDIT_MEMO_ENTRY || text.len > AUDIT_MEMO_ENTRY)
		return;
	sum = told_sum(e->told);
	last = m->told[told_slot(sum)];
	m->told[told_slot(sum)] = sum;
	if (last != sum)
		return;
	at = &m->entries[told_slot(sum)];
	if (*at == NULL)
		*at = mem_new(1, sizeof(**at));
	slot = *at;
	memcpy(slot->bytes, e->told.p, e->told.len);
	memcpy(slot->bytes + AUDIT_MEMO_ENTRY, text.p, text.len);
	slot->told = (uint16_t)e->told.len;
	slot->text = (uint16_t)text.len;
	slot->entry = (struct audit_entry){
		.kind = e->kind, .surface = e->surface, .action = e->action, .outcome = e->outcome,
		.duration_ms = e->duration_ms, .rows = e->rows, .truncated = e->truncated,
		.id = moved(e->id, e->told, slot->bytes),
		.target = moved(e->target, e->told, slot->bytes),
		.code = moved(e->code, e->told, slot->bytes),
		.statement = moved(e->statement, e->told, slot->bytes),
		.connection = moved(e->connection, e->told, slot->bytes),
		.snapshot = moved(e->snapshot, e->told, slot->bytes),
		.policy = moved(e->policy, e->told, slot->bytes),
		.client = moved(e->client, e->told, slot->bytes),
		.address = moved(e->address, e->told, slot->bytes),
		.trace_id = moved(e->trace_id, e->told, slot->bytes),
	};
}
