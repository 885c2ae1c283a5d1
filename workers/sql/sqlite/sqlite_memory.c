#include "workers/sql/sqlite/sqlite_memory.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdlib.h>

static size_t used, most, installed;

static void *
count_in(void *p)
{
	if (p != NULL)
		used += malloc_usable_size(p);
	return p;
}

static void *
memory_malloc(int n)
{
	return used + (size_t)n > most ? NULL : count_in(malloc((size_t)n));
}

static void
memory_free(void *p)
{
	if (p != NULL)
		used -= malloc_usable_size(p);
	free(p);
}

static void *
memory_realloc(void *p, int n)
{
	size_t before = malloc_usable_size(p);
	void *q;

	if (used - before + (size_t)n > most || (q = realloc(p, (size_t)n)) == NULL)
		return NULL;
	used -= before;
	return count_in(q);
}

static int
memory_size(void *p)
{
	return (int)malloc_usable_size(p);
}

static int
memory_roundup(int n)
{
	return (n + 7) & ~7;
}

static int
memory_init(void *arg)
{
	(void)arg;
	return SQLITE_OK;
}

static void
memory_shutdown(void *arg)
{
	(void)arg;
}

int
sqlite_memory_install(size_t ceiling)
{
	static const sqlite3_mem_methods methods = {
		.xMalloc = memory_malloc,
		.xFree = memory_free,
		.xRealloc = memory_realloc,
		.xSize = memory_size,
		.xRoundup = memory_roundup,
		.xInit = memory_init,
		.xShutdown = memory_shutdown,
	};

	most = installed = ceiling;
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void
sqlite_memory_bound(uint64_t more)
{
	most = installed > used && more < installed - used ? used + (size_t)more : installed;
}

void
sqlite_memory_release(void)
{
	most = installed;
}
