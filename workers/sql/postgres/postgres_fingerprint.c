#include "workers/sql/postgres/postgres_fingerprint.h"
#include "workers/sql/postgres/postgres_sql.h"

void
postgres_fingerprint_put(struct buf *out, const char *name)
{
	buf_str(out, out->len == 1 ? "\"" : ",\"");
	for (const char *p = name; *p != '\0'; p++) {
		if (*p == '"' || *p == '\\')
			buf_byte(out, '\\');
		buf_byte(out, (uint8_t)*p);
	}
	buf_byte(out, '"');
}

void
pg_put_schemas(struct buf *out, const struct sql_config *cfg)
{
	buf_byte(out, '{');
	for (size_t i = 0; i < cfg->nschemas; i++)
		postgres_fingerprint_put(out, cfg->schemas[i]);
	buf_byte(out, '}');
}

PGresult *
pg_ask_of_schemas(struct sql_db *db, struct call *c, const char *text, struct err *err)
{
	struct buf schemas = { 0 };
	const char *params[1];
	PGresult *res;

	pg_put_schemas(&schemas, db->cfg);
	params[0] = buf_cstr(&schemas);
	res = pg_ask(db, c, text, 1, params, err);
	buf_fini(&schemas);
	return res;
}

int
pg_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	const struct sql_config *cfg = db->cfg;
	PGresult *res;

	if ((res = pg_ask_of_schemas(db, c, postgres_fingerprint_sql, err)) == NULL)
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
