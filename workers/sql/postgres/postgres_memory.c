#include <stdlib.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/sql/postgres/guard/guard_plan.h"
#include "workers/sql/postgres/postgres_memory.h"
#include "workers/sql/postgres/postgres_profile.h"
#include "workers/sql/postgres/postgres_sql.h"

#define RELATIONS_MAX 64u

static size_t
ask_stored(struct sql_db *db, struct call *c, struct span plan, PGresult **res, struct guard_plan_stored *out)
{
	struct buf names = { 0 };
	const char *params[1];
	struct err ignored;
	size_t n = 0;

	buf_byte(&names, '{');
	guard_plan_relations(plan, &names);
	buf_byte(&names, '}');
	params[0] = buf_cstr(&names);
	*res = names.len > 2 ? pg_ask(db, c, postgres_memory_stored_sql, 1, params, &ignored) : NULL;
	buf_fini(&names);
	for (int i = 0; *res != NULL && i < PQntuples(*res) && n < RELATIONS_MAX; i++, n++)
		out[n] = (struct guard_plan_stored){.name = span_str(PQgetvalue(*res, i, 0)),
		    .bytes = strtod(PQgetvalue(*res, i, 1), NULL)};
	return n;
}

/* A statement that cannot be planned will not run either. */
static uint64_t
ask_plan(struct sql_db *db, struct call *c, const struct pg_statement *st, const struct identity_as *as,
    struct span sql)
{
	struct guard_plan_stored stored[RELATIONS_MAX];
	struct buf text = { 0 };
	PGresult *res = NULL, *sizes;
	struct err ignored;
	uint64_t ms = GUARD_PLAN_LEAST_MS;

	buf_str(&text, "EXPLAIN (VERBOSE, FORMAT JSON) ");
	if (db->ndefined > 0)
		buf_printf(&text, "%.*s SELECT * FROM (%.*s\n) AS q", (int)db->ndefined, (const char *)db->defined.p,
		    SPAN_FMT(sql));
	else
		buf_span(&text, sql);
	/* Row security is part of the plan: it is the caller's. */
	if (as == NULL)
		res = pg_ask(db, c, buf_cstr(&text), 0, NULL, &ignored);
	else
		(void)pg_sample(db, c, &(struct pg_round_trip){ .deadline_ns = call_deadline(c),
		    .text = buf_cstr(&text), .reset = true, .as = as }, &res, &ignored);
	buf_fini(&text);
	if (res != NULL && PQntuples(res) == 1) {
		struct span plan = span_of(PQgetvalue(res, 0, 0), (size_t)PQgetlength(res, 0, 0));
		size_t n = ask_stored(db, c, plan, &sizes, stored);

		ms = guard_plan_ms(plan, &st->memory, stored, n);
		PQclear(sizes);
	}
	PQclear(res);
	return ms;
}

uint64_t
pg_memory_deadline(struct sql_db *db, struct call *c, const struct pg_statement *st, const struct identity_as *as,
    uint64_t deadline_ns)
{
	struct span sql = st->kind == STATEMENT_EXPLAIN ? st->inner : st->text;
	uint64_t ms = GUARD_PLAN_UNBOUNDED, now;

	if (st->kind == STATEMENT_SHOW)
		return deadline_ns;
	if (st->memory.brief)
		ms = GUARD_PLAN_LEAST_MS;
	else if (guard_plan_is_needed(&st->memory) && (st->kind == STATEMENT_QUERY || db->cfg->explain_analyze))
		ms = ask_plan(db, c, st, as, sql);
	now = clock_ns();
	if (ms == GUARD_PLAN_UNBOUNDED || (deadline_ns > now && (deadline_ns - now) / CLOCK_MS <= ms))
		return deadline_ns;
	db->brief_ms = ms;
	return deadline_ns < now ? deadline_ns : now + ms * CLOCK_MS;
}
