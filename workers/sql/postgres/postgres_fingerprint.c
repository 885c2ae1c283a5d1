/* postgres_fingerprint.c - the structure of the schemas in scope, digested by the server, relation by relation. */
#include "workers/sql/postgres/postgres_db.h"

/* The server sends one line per relation; which are in scope is decided here, as for a scan. */
static const char query[] =
    "SELECT n.nspname, c.relname, c.relkind, a.digest, k.digest"
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " LEFT JOIN (SELECT a.attrelid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attname,"
    "  " PG_TYPE_NAME("a.atttypid", "a.atttypmod") ", a.attnotnull), ',' ORDER BY a.attnum)) AS digest"
    "  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
    "  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY ($1::pg_catalog.text[])"
    "  AND a.attnum > 0 AND NOT a.attisdropped GROUP BY 1) a ON a.attrelid = c.oid"
    " LEFT JOIN (SELECT k.conrelid, pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', k.conname, k.contype,"
    "  k.conkey, s.nspname, f.relname, k.confkey), ',' ORDER BY k.conname COLLATE \"C\")) AS digest"
    "  FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid"
    "  LEFT JOIN pg_catalog.pg_namespace s ON s.oid = f.relnamespace"
    "  WHERE k.contype IN ('p', 'f') AND k.conrelid <> 0 GROUP BY 1) k ON k.conrelid = c.oid"
    " WHERE n.nspname = ANY ($1::pg_catalog.text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
    " AND NOT c.relispartition ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\"";

void
pg_put_schemas(struct buf *out, const struct sql_config *cfg)
{
	buf_byte(out, '{');
	for (size_t i = 0; i < cfg->nschemas; i++) {
		buf_str(out, i == 0 ? "\"" : ",\"");
		for (const char *p = cfg->schemas[i]; *p != '\0'; p++) {
			if (*p == '"' || *p == '\\')
				buf_byte(out, '\\');
			buf_byte(out, (uint8_t)*p);
		}
		buf_byte(out, '"');
	}
	buf_byte(out, '}');
}

int
pg_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	const struct sql_config *cfg = db->cfg;
	struct buf schemas = { 0 };
	const char *params[1];
	PGresult *res;

	pg_put_schemas(&schemas, cfg);
	params[0] = buf_cstr(&schemas);
	res = pg_ask(db, c, query, 1, params, err);
	buf_fini(&schemas);
	if (res == NULL)
		return -1;
	for (int row = 0; row < PQntuples(res); row++) {
		if (!catalog_is_enabled(cfg->enabled, cfg->nenabled, PQgetvalue(res, row, 0), PQgetvalue(res, row, 1)))
			continue;
		for (int i = 0; i < PQnfields(res); i++)
			fingerprint_add(f, span_str(PQgetvalue(res, row, i)));
	}
	PQclear(res);
	return 0;
}
