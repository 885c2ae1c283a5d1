#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sodium.h>

#include "ipc/journal.h"

#define MAC	crypto_shorthash_siphashx24_BYTES

struct record_head {
	uint64_t	at, unix_ms;
	uint32_t	size, zero;
	uint8_t		mac[MAC];
};

_Static_assert(sizeof(struct record_head) == JOURNAL_HEAD, "a record's head");
_Static_assert(sizeof(struct journal_page) <= JOURNAL_PAGE, "one page");
_Static_assert(JOURNAL_KEY == crypto_shorthash_siphashx24_KEYBYTES, "SipHash");

bool
journal_map(struct journal *j, int fd, const uint8_t key[JOURNAL_KEY])
{
	void *p = mmap(NULL, JOURNAL_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (p == MAP_FAILED)
		return false;
	j->page = p;
	j->ring = (uint8_t *)p + JOURNAL_PAGE;
	j->at = atomic_load_explicit(&j->page->written, memory_order_acquire);
	memcpy(j->key, key, JOURNAL_KEY);
	return true;
}

void
journal_unmap(struct journal *j)
{
	if (j->page != NULL)
		munmap(j->page, JOURNAL_FILE_BYTES);
	sodium_memzero(j, sizeof(*j));
}

static uint64_t
record_size(uint32_t entry)
{
	return (JOURNAL_HEAD + (uint64_t)entry + 7) & ~UINT64_C(7);
}

/* The MAC of a record whose own field for it holds zeros. */
static void
record_mac(const struct journal *j, struct span record, uint8_t mac[MAC])
{
	crypto_shorthash_siphashx24(mac, record.p, record.len, j->key);
}

static void
ring_write(struct journal *j, struct span bytes)
{
	size_t at = (size_t)(j->at & (JOURNAL_RING - 1)), first = JOURNAL_RING - at;

	if (first > bytes.len)
		first = bytes.len;
	memcpy(j->ring + at, bytes.p, first);
	memcpy(j->ring, bytes.p + first, bytes.len - first);
}

bool
journal_put(struct journal *j, struct buf *record, uint64_t unix_ms)
{
	struct record_head head = {
		.at = j->at, .unix_ms = unix_ms, .size = (uint32_t)(record->len - JOURNAL_HEAD),
	};
	uint64_t held = j->at - atomic_load_explicit(&j->page->taken, memory_order_acquire);

	if (head.size > JOURNAL_ENTRY_MAX || held > JOURNAL_RING || JOURNAL_RING - held < record_size(head.size))
		return false;
	memcpy(record->p, &head, sizeof(head));
	record_mac(j, buf_view(record), head.mac);
	memcpy(record->p, &head, sizeof(head));
	ring_write(j, buf_view(record));
	j->at += record_size(head.size);
	/* Now it is there: a death before leaves nothing. */
	atomic_store_explicit(&j->page->written, j->at, memory_order_release);
	return true;
}

static void
ring_read(const struct journal *j, void *out, size_t n)
{
	size_t at = (size_t)(j->at & (JOURNAL_RING - 1)), first = JOURNAL_RING - at;

	if (first > n)
		first = n;
	memcpy(out, j->ring + at, first);
	memcpy((uint8_t *)out + first, j->ring, n - first);
}

enum journal_next
journal_get(struct journal *j, struct buf *copy, uint64_t *unix_ms, struct span *entry)
{
	uint64_t left = atomic_load_explicit(&j->page->written, memory_order_acquire) - j->at;
	struct record_head head;
	uint8_t said[MAC], mac[MAC];

	if (left == 0)
		return JOURNAL_NOTHING;
	if (left > JOURNAL_RING || left < sizeof(head))
		return JOURNAL_BROKEN;
	ring_read(j, &head, sizeof(head));
	if (head.at != j->at || head.size > JOURNAL_ENTRY_MAX || record_size(head.size) > left)
		return JOURNAL_BROKEN;
	/* From here on it is our own copy, whatever becomes of the file. */
	buf_reset(copy, SIZE_MAX);
	if (buf_reserve(copy, sizeof(head) + head.size) == NULL)
		return JOURNAL_BROKEN;
	ring_read(j, copy->p, sizeof(head) + head.size);
	copy->len = sizeof(head) + head.size;
	memcpy(said, head.mac, MAC);
	memset(head.mac, 0, MAC);
	memcpy(copy->p, &head, sizeof(head));
	record_mac(j, buf_view(copy), mac);
	if (sodium_memcmp(said, mac, MAC) != 0)
		return JOURNAL_BROKEN;
	*unix_ms = head.unix_ms;
	*entry = span_of(copy->p + sizeof(head), head.size);
	j->at += record_size(head.size);
	return JOURNAL_RECORD;
}

void
journal_skip(struct journal *j)
{
	j->at = atomic_load_explicit(&j->page->written, memory_order_acquire);
}

/* Nothing that a caller wrote stays in the file longer than it takes to put it on record. */
static void
ring_wipe(struct journal *j, uint64_t from)
{
	uint64_t n = j->at - from < JOURNAL_RING ? j->at - from : JOURNAL_RING;
	size_t at = (size_t)((j->at - n) & (JOURNAL_RING - 1)), first = JOURNAL_RING - at;

	if (first > n)
		first = (size_t)n;
	memset(j->ring + at, 0, first);
	memset(j->ring, 0, (size_t)n - first);
}

void
journal_store_has(struct journal *j)
{
	uint64_t taken = atomic_load_explicit(&j->page->taken, memory_order_acquire);

	/* Another process may have said more meanwhile. */
	if ((int64_t)(j->at - taken) <= 0)
		return;
	ring_wipe(j, taken);
	atomic_store_explicit(&j->page->taken, j->at, memory_order_release);
}

void
journal_take_from(struct journal *j, bool taking)
{
	atomic_store_explicit(&j->page->taking, taking, memory_order_release);
}
