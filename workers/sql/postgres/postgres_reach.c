#include <string.h>

#include "workers/sql/postgres/postgres_reach.h"
#include "workers/sql/postgres/postgres_sql.h"
#include "workers/sql/value.h"
#include "workers/shared/call.h"

int
pg_reach(struct sql_db *db, struct call *c, struct sql_reach *r, struct err *err)
{
	const struct sql_config *cfg = db->cfg;
	PGresult *res;

	*r = (struct sql_reach){ .known = true, .account = PQuser(db->session.conn) };
	if ((res = pg_ask_of_schemas(db, c, postgres_reach_sql, err)) == NULL)
		return -1;
	for (int row = 0; row < PQntuples(res); row++) {
		const char *schema = PQgetvalue(res, row, 0), *table = PQgetvalue(res, row, 1);

		if (strcmp(PQgetvalue(res, row, 2), "t") != 0)
			reach_add_other(r, call_arena(c), schema);
		else if (catalog_is_enabled(cfg->enabled, cfg->nenabled, schema, table)) {
			r->ntables++;
			if (strcmp(PQgetvalue(res, row, 3), "t") == 0)
				r->nreadable++;
			else if (r->nrefused < SQL_REACH_REFUSED)
				r->refused[r->nrefused++] = arena_printf(call_arena(c), "%s.%s",
				    value_clean(call_arena(c), schema), value_clean(call_arena(c), table));
		}
	}
	PQclear(res);
	return 0;
}
