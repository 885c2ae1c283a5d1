#include "base/hash.h"
#include "base/mem.h"
#include "workers/sql/postgres/postgres_types.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
hash_type(Oid oid)
{
	return hash_step(HASH_START, oid);
}

const char *
pg_types_name(const struct pg_types *types, Oid oid)
{
	uint32_t row;

	for (size_t at = table_start(hash_type(oid));
	     (row = table_next(&types->by_oid, hash_type(oid), &at)) != TABLE_NONE;)
		if (types->v[row].oid == oid)
			return types->v[row].name;
	return NULL;
}

static void
learn(struct pg_types *types, Oid oid, const char *name)
{
	if (oid == 0 || types->n >= PG_TYPES_MAX || pg_types_name(types, oid) != NULL)
		return;
	types->v = mem_grow(types->v, types->n, &types->cap, sizeof(*types->v));
	types->v[types->n] = (struct pg_type_name){ oid, mem_text(span_str(name)) };
	table_add(&types->by_oid, hash_type(oid), (uint32_t)types->n++);
}

void
pg_types_learn(struct pg_types *types, const PGresult *res)
{
	for (int i = 0; i < PQntuples(res); i++)
		learn(types, (Oid)strtoul(PQgetvalue(res, i, 0), NULL, 10), PQgetvalue(res, i, 1));
}

void
pg_types_fini(struct pg_types *types)
{
	for (size_t i = 0; i < types->n; i++)
		free(types->v[i].name);
	free(types->v);
	table_free(&types->by_oid);
	memset(types, 0, sizeof(*types));
}
