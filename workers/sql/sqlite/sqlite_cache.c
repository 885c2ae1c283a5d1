#include "base/mem.h"
#include "workers/sql/sqlite/sqlite_cache.h"

#include <stdlib.h>
#include <string.h>

sqlite3_stmt *
sqlite_cache_get(struct sqlite_cache *cache, struct span text)
{
	for (size_t i = 0; i < SQLITE_CACHE_SIZE; i++) {
		struct sqlite_cached *e = &cache->entries[i];

		if (e->stmt != NULL && e->len == text.len && memcmp(e->text, text.p, text.len) == 0) {
			e->used = ++cache->clock;
			return e->stmt;
		}
	}
	return NULL;
}

static void
cache_drop(struct sqlite_cached *e)
{
	sqlite3_finalize(e->stmt);
	free(e->text);
	memset(e, 0, sizeof(*e));
}

int
sqlite_cache_put(struct sqlite_cache *cache, struct span text, sqlite3_stmt *stmt)
{
	struct sqlite_cached *oldest = &cache->entries[0];

	if (text.len > SQLITE_CACHE_TEXT_MAX)
		return 0;
	for (size_t i = 1; i < SQLITE_CACHE_SIZE; i++)
		if (cache->entries[i].used < oldest->used)
			oldest = &cache->entries[i];
	cache_drop(oldest);
	oldest->text = mem_alloc(text.len);
	memcpy(oldest->text, text.p, text.len);
	oldest->len = text.len;
	oldest->stmt = stmt;
	oldest->used = ++cache->clock;
	return 1;
}

void
sqlite_cache_clear(struct sqlite_cache *cache)
{
	for (size_t i = 0; i < SQLITE_CACHE_SIZE; i++)
		cache_drop(&cache->entries[i]);
}
