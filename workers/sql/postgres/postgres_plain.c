/* postgres_plain.c - see postgres_plain.h. */
#include "workers/sql/postgres/postgres_db.h"
#include "workers/sql/postgres/postgres_plain.h"

#include <stdlib.h>

#include "policy/guard_rules.h"

#define TEXT_(x)	#x
#define TEXT(x)		TEXT_(x)

/* Temporary relations are other sessions': this one has none. */
#define RELATIONS								\
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"	\
    " WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND c.relpersistence <> 't'"	\
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"

/* What may run a user's function without being named in a statement. */
#define UNNAMED									\
    "SELECT 'pg_catalog.pg_operator'::pg_catalog.regclass AS class, oid, xmin FROM pg_catalog.pg_operator"	\
    " WHERE oid >= 16384 UNION ALL"						\
    " SELECT 'pg_catalog.pg_cast'::pg_catalog.regclass, oid, xmin FROM pg_catalog.pg_cast"	\
    " WHERE oid >= 16384 AND castfunc <> 0 UNION ALL"				\
    " SELECT 'pg_catalog.pg_opclass'::pg_catalog.regclass, oid, xmin FROM pg_catalog.pg_opclass"	\
    " WHERE oid >= 16384 UNION ALL"						\
    " SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, t.xmin FROM pg_catalog.pg_type t"	\
    " LEFT JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid WHERE t.oid >= 16384"	\
    " AND (t.typinput::pg_catalog.oid >= 16384 OR t.typoutput::pg_catalog.oid >= 16384"	\
    " OR r.rngcanonical::pg_catalog.oid >= 16384 OR r.rngsubdiff::pg_catalog.oid >= 16384)"

const char pg_plain_stamp[] =
    "SELECT pg_catalog.sum(pg_catalog.hashint8((x::pg_catalog.text::pg_catalog.int8 << 32) | o::pg_catalog.int8))"
    " FROM (SELECT c.xmin, c.oid FROM " RELATIONS
    " UNION ALL SELECT u.xmin, u.oid FROM (" UNNAMED ") u) s(x, o)";

/*
 * Columns: what, schema, name, properties (1: visible, 2: a table).  Inherited
 * by a foreign table, no table is one that only this server reads.
 */
const char pg_plain_query[] =
    "(SELECT 'r', n.nspname, c.relname, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN 1 ELSE 0 END"
    "  + CASE WHEN c.relkind IN ('r', 'p', 'm') AND NOT c.relrowsecurity"
    "    AND (c.relam < 16384 OR c.relkind = 'p')"
    "    AND (NOT c.relhassubclass OR NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i"
    "     JOIN pg_catalog.pg_class f ON f.oid = i.inhrelid WHERE f.relkind = 'f'))"
    "    THEN 2 ELSE 0 END"
    " FROM " RELATIONS " LIMIT " TEXT(PG_PLAIN_RELATIONS_MAX) " + 1)"
    " UNION ALL SELECT 't', '', t.typname, 0 FROM pg_catalog.pg_type t"
    "  WHERE t.oid < 16384 AND t.typtype IN ('b', 'r', 'm') AND pg_catalog.pg_type_is_visible(t.oid)"
    " UNION ALL SELECT DISTINCT 'u', '', coalesce(e.extname, ''), 0 FROM (" UNNAMED ") u"
    "  LEFT JOIN pg_catalog.pg_depend x ON x.classid = u.class AND x.objid = u.oid AND x.deptype = 'e'"
    "   AND x.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass"
    "  LEFT JOIN pg_catalog.pg_extension e ON e.oid = x.refobjid";

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
		if (!guard_rules_extension(name))	/* a user's has no extension: the empty name */
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
