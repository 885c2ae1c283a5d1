#include "workers/sql/postgres/postgres_columns_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "workers/sql/postgres/postgres_query.h"

/* Relations of the server's catalogue with protected columns. */
static const char server_relations[] =
#define SERVER(schema, relation, column, when, action)	"('" schema "','" relation "'),"
#include "workers/sql/postgres/guard/columns_server.def"
#undef SERVER
    "('','')";

static void
put_likeness(PGconn *conn, struct buf *out, const char *column, const char *like)
{
	char *quoted;

	if (like == NULL)
		return;
	if ((quoted = PQescapeLiteral(conn, like, strlen(like))) == NULL)
		return; /* not valid in the server's encoding: match anything, and decide in C */
	/* Ignores case for ASCII only, as the policy does, not for the letters of the database's language. */
	buf_printf(out, " AND %s::pg_catalog.text COLLATE \"C\" OPERATOR(pg_catalog.~~*) ", column);
	buf_str(out, quoted);
	PQfreemem(quoted);
}

/* The condition for all names that a rule may match. */
static void
put_hits(PGconn *conn, struct buf *out, const struct columns *policy)
{
	static const char *const parts[] = { "n.nspname", "c.relname", "a.attname" };

	buf_str(out, "false");
	for (size_t i = 0; i < columns_count(policy); i++) {
		buf_str(out, " OR (true");
		for (unsigned k = 0; k < 3; k++)
			put_likeness(conn, out, parts[k], columns_like(policy, i, k));
		buf_byte(out, ')');
	}
}

/* Older servers have no multiranges, parsed function bodies or generated columns, and materialize WITH anyway. */
static void
put_question(struct buf *out, int version, const char *hits)
{
	const struct pg_given given[] = {
		{ "once", version >= 120000 ? " MATERIALIZED" : "" },
		{ "multiranges", version >= 140000 ?
		    " UNION ALL SELECT rngtypid, rngmultitypid FROM pg_catalog.pg_range WHERE rngtypid >= 16384" : "" },
		{ "body", version >= 140000 ? "coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc)" : "p.prosrc" },
		{ "hits", hits }, { "server_relations", server_relations },
		{ "given_defaults", version >= 120000 ? " AND a.attgenerated = ''" : "" }, { NULL, NULL }
	};

	pg_query_put(out, postgres_columns_policy_sql, given);
}

char *
pg_columns_query(PGconn *conn, const struct columns *policy)
{
	struct buf hits = { 0 }, out = { 0 };
	char *text;

	if (columns_is_empty(policy))
		pg_query_put(&out, postgres_columns_server_sql,
		    (const struct pg_given[]){ { "server_relations", server_relations }, { NULL, NULL } });
	else {
		put_hits(conn, &hits, policy);
		put_question(&out, PQserverVersion(conn), buf_cstr(&hits));
	}
	text = mem_text(buf_view(&out));
	buf_fini(&hits);
	buf_fini(&out);
	return text;
}
