#include "base/array.h"
#include "workers/search/index/hashes.h"

uint32_t
hashes_find(const struct hashes *t, uint64_t key)
{
	uint32_t number;

	for (size_t at = table_start(key); (number = table_next(&t->table, key, &at)) != TABLE_NONE;)
		if (t->keys[number] == key)
			return number;
	return HASHES_NONE;
}

uint32_t
hashes_add(struct hashes *t, uint64_t key)
{
	uint32_t number = hashes_find(t, key);

	if (number == HASHES_NONE) {
		number = (uint32_t)t->table.n;
		t->keys = array_grow(t->keys, number, &t->cap, sizeof(*t->keys));
		t->keys[number] = key;
		table_add(&t->table, key, number);
	}
	return number;
}

size_t
hashes_bytes(const struct hashes *t)
{
	return table_bytes(&t->table) + t->cap * sizeof(*t->keys);
}

void
hashes_fini(struct hashes *t)
{
	table_free(&t->table);
	free(t->keys);
	*t = (struct hashes){ 0 };
}
