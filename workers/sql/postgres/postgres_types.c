/* postgres_types.c - see postgres_types.h. */
#include "base/mem.h"
#include "workers/sql/postgres/postgres_types.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing, at most half full: a miss ends at an empty slot. */
static struct pg_type_name *
slot_of(const struct pg_types *types, Oid oid)
{
	size_t i = ((size_t)oid * 2654435761u) & (types->cap - 1);

	while (types->slots[i].oid != 0 && types->slots[i].oid != oid)
		i = (i + 1) & (types->cap - 1);
	return &types->slots[i];
}

static void
grow(struct pg_types *types)
{
	struct pg_types bigger = { .n = types->n, .cap = types->cap == 0 ? 1024 : types->cap * 2 };

	bigger.slots = mem_new(bigger.cap, sizeof(*bigger.slots));
	for (size_t i = 0; i < types->cap; i++)
		if (types->slots[i].oid != 0)
			*slot_of(&bigger, types->slots[i].oid) = types->slots[i];
	free(types->slots);
	*types = bigger;
}

static void
learn(struct pg_types *types, Oid oid, const char *name)
{
	struct pg_type_name *slot;

	if (oid == 0 || types->n >= PG_TYPES_MAX)
		return;
	if (types->n * 2 >= types->cap)
		grow(types);
	slot = slot_of(types, oid);
	if (slot->oid != 0)
		return;
	slot->oid = oid;
	slot->name = mem_text(span_str(name));
	types->n++;
}

const char *
pg_types_name(const struct pg_types *types, Oid oid)
{
	return types->cap == 0 ? NULL : slot_of(types, oid)->name;
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
	for (size_t i = 0; i < types->cap; i++)
		free(types->slots[i].name);
	free(types->slots);
	memset(types, 0, sizeof(*types));
}
