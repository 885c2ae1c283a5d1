/* postgres_prepared.c - see postgres_prepared.h. */
#include "workers/sql/postgres/postgres_prepared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "workers/sql/postgres/postgres_db.h"

static size_t
size_of_types(const struct pg_round_trip *t)
{
	return (size_t)t->nparams * sizeof(*t->types);
}

static bool
slot_holds(const struct pg_prepared_slot *slot, const struct pg_round_trip *t, uint64_t hash, size_t len)
{
	return slot->text != NULL && slot->hash == hash && slot->len == len && memcmp(slot->text, t->text, len) == 0 &&
	    slot->nparams == t->nparams && (t->nparams == 0 || memcmp(slot->types, t->types, size_of_types(t)) == 0);
}

static void
slot_take(struct pg_prepared_slot *slot, const struct pg_round_trip *t, uint64_t hash, size_t len)
{
	free(slot->text);
	*slot = (struct pg_prepared_slot){ .hash = hash, .text = mem_text(span_of(t->text, len)), .len = len,
		.nparams = t->nparams };
	if (t->nparams > 0)
		memcpy(slot->types, t->types, size_of_types(t));
}

void
postgres_prepared_choose(struct pg_prepared *p, const struct pg_round_trip *t)
{
	size_t len = strlen(t->text);
	struct pg_prepared_slot *slot;
	uint64_t hash;

	postgres_prepared_choose_none(p);
	if (len > PG_PREPARED_TEXT_MAX || (t->nparams > 0 && t->types == NULL))
		return;
	hash = hash_of(span_of(t->text, len));
	slot = &p->slots[hash % PG_PREPARED_SLOTS];
	if (!slot_holds(slot, t, hash, len)) {
		slot_take(slot, t, hash, len);
		return;
	}
	if (slot->name[0] == '\0') {
		if (p->made == PG_PREPARED_MOST)
			return;
		p->made++;
		p->is_new = true;
		snprintf(slot->name, sizeof(slot->name), "kept%" PRIu64, ++p->number);
	}
	p->now = slot;
}

void
postgres_prepared_choose_none(struct pg_prepared *p)
{
	p->now = NULL;
	p->is_new = false;
}

void
postgres_prepared_forget(struct pg_prepared *p)
{
	for (unsigned i = 0; i < PG_PREPARED_SLOTS; i++)
		p->slots[i].name[0] = '\0';
	p->made = 0;
}

bool
postgres_prepared_is_stale(struct pg_prepared *p, const PGresult *refusal)
{
	const char *state = PQresultErrorField(refusal, PG_DIAG_SQLSTATE);
	bool changed = state != NULL &&
	    (strcmp(state, "0A000") == 0 /* the result's columns are others */ ||
		strcmp(state, "26000") == 0 /* there is no such name */);

	if (p->now == NULL || !(changed || p->is_new))
		return false;
	p->now->name[0] = '\0';
	return !p->is_new;
}

void
postgres_prepared_fini(struct pg_prepared *p)
{
	for (unsigned i = 0; i < PG_PREPARED_SLOTS; i++)
		free(p->slots[i].text);
	memset(p, 0, sizeof(*p));
}
