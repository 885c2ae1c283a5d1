#include "workers/sql/postgres/postgres_db.h"
#include "workers/sql/postgres/postgres_plain.h"

#include <stdlib.h>

#include "workers/sql/postgres/guard/guard_rules.h"

static void
read_row(struct guard_plain *p, const PGresult *res, int row)
{
	struct span schema = pg_text(res, row, 1), name = pg_text(res, row, 2);
	unsigned long properties = strtoul(PQgetvalue(res, row, 3), NULL, 10);

	switch (PQgetvalue(res, row, 0)[0]) {
	case 'r':
		guard_plain_add_relation(p, schema, name, (properties & 1) != 0, (properties & 2) != 0);
		break;
	case 't':
		guard_plain_add_type(p, name);
		break;
	case 'u':
		if (!guard_rules_extension(name)) /* a user's function has no extension: the name is empty */
			guard_plain_spoil(p);
		break;
	}
}

struct guard_plain *
pg_plain_read(const PGresult *res)
{
	struct guard_plain *p = guard_plain_new();
	int n = PQresultStatus(res) == PGRES_TUPLES_OK && PQnfields(res) == 4 ? PQntuples(res) : 0;

	if (n == 0 || n > PG_PLAIN_RELATIONS_MAX)
		guard_plain_spoil(p);
	for (int i = 0; i < n; i++)
		read_row(p, res, i);
	guard_plain_seal(p);
	return p;
}
