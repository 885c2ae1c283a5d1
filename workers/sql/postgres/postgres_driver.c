/* postgres_driver.c - what PostgreSQL is to the configuration, the commands and the supervisor; links no library. */
#include <string.h>

#include "base/err.h"
#include "base/system/net.h"
#include "project/config/config_server.h"

static const struct config_key keys[] = { CONFIG_SERVER_KEYS("5432", "host name, address or socket directory.",
    "sslmode of libpq.") };

static const char *const notes[] = {
	"PostgreSQL. One statement a call, and only reading, in a read-only transaction that is rolled back: "
	"SELECT, WITH … SELECT, VALUES, TABLE, EXPLAIN, SHOW of plain settings. Placeholders ($1) are not taken: "
	"write values into the statement.",
	"Refused: writing, DDL, SET, COPY, DO, CALL, FOR UPDATE, EXPLAIN ANALYZE unless the owner allows it, "
	"functions that have effects or reach the server's files, network or sessions (pg_sleep, set_config, "
	"nextval, dblink, pg_read_file), and pg_stat_activity, pg_settings, pg_stats.",
	"Names fold to lower case: write \"Order Lines\" and \"userId\" in double quotes. Tables outside of the "
	"search path need their schema. Text: 'single quotes', doubled inside; = and LIKE compare with case, "
	"ILIKE without; || joins, ~* is a regular expression.",
	"7 / 2 is 3: write 7.0 / 2 or x::numeric / y. Dividing by 0 is an error: x / NULLIF(y, 0). "
	"round(x::numeric, 2): double precision has no digits argument.",
	"date_trunc('month', t)::date, t + interval '1 month', EXTRACT(dow FROM t), age(a, b), a::date - b::date "
	"for days, to_char(t, 'YYYY-MM'), to_timestamp(seconds). timestamptz is shown and cut in the session's "
	"time zone: t AT TIME ZONE 'Europe/Berlin' for another.",
	"Booleans are TRUE and FALSE, no numbers: WHERE active, count(*) FILTER (WHERE active), active::int. "
	"Types do not mix by themselves: cast with x::text, x::bigint, '2024-01-31'::date.",
	"JSON: j -> 'a' ->> 'b', j #>> '{a,0}', jsonb_array_elements(j), j @> '{\"a\": 1}' for jsonb. Arrays: x "
	"= ANY(a), unnest(a), array_agg(x). Lists: string_agg(x, ', ' ORDER BY x). Series: generate_series(a, b, "
	"interval '1 day').",
	"First rows: ORDER BY … LIMIT n OFFSET m; one a group: DISTINCT ON (k) … ORDER BY k, t DESC. NULL sorts "
	"last, DESC first: say NULLS LAST. Median: percentile_cont(0.5) WITHIN GROUP (ORDER BY x). What is "
	"selected appears in GROUP BY or an aggregate.",
	NULL
};

static void
postgres_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	struct config_server *s = c->settings;

	config_server_finish(r, c, cfg, name);
	/* ktx's `ssl: true` means the system's authorities; libpq would look in a home directory. */
	if (s->sslrootcert == NULL && s->ssl && s->verify)
		s->sslrootcert = NET_AUTHORITIES;
	for (size_t i = 0; i < c->functions.n; i++)
		if (strncmp(c->functions.v[i], "pg_", 3) == 0 ||
		    strncmp(c->functions.v[i], "information_schema.", 19) == 0)
			config_issue(r, true, c->line, name,
			    "functions: \"%.60s\" is the server's own; those cannot be added", c->functions.v[i]);
}

/* A keyword of a libpq connection string with its value, quoted. */
static void
put_keyword(struct buf *out, const char *keyword, struct span value)
{
	buf_printf(out, "%s%s='", out->len > 0 ? " " : "", keyword);
	for (size_t i = 0; i < value.len; i++) {
		if (value.p[i] == '\'' || value.p[i] == '\\')
			buf_byte(out, '\\');
		buf_byte(out, value.p[i]);
	}
	buf_byte(out, '\'');
}

/* A URL as it is, or the settings as a keyword string of libpq. */
static int
postgres_target(const struct config_connection *c, struct driver_target *t, struct err *err)
{
	static const char *const keywords[][2] = {
		{ "host", "host" }, { "database", "dbname" }, { "user", "user" },
		{ "password", "password" }, { "sslmode", "sslmode" }, { "sslrootcert", "sslrootcert" },
	};
	const struct config_server *s = c->settings;
	struct span value;
	int r = t->value(t, "url", &value, err);

	if (r == 0)
		buf_span(&t->out, value);
	else if (r == 1)
		buf_printf(&t->out, "port='%u'", s->port);
	for (size_t i = 0; r == 1 && i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		int given = t->value(t, keywords[i][0], &value, err);

		if (given < 0)
			return -1;
		if (given == 0)
			put_keyword(&t->out, keywords[i][1], value);
	}
	return r < 0 ? -1 : 0;
}

const struct db_driver driver_postgres = {
	.name = "postgres", .aliases = "postgresql", .display = "PostgreSQL", .type = "POSTGRESQL",
	.binary = "carrel-sql-postgres", .profile = "sql-postgres",
	.place = DRIVER_SERVER, .shard = DRIVER_BY_SCHEMA, .spares = 1,
	.traits = DRIVER_POOLS | DRIVER_FUNCTIONS | DRIVER_SETTINGS,
	.schemes = "postgres:// postgresql://", .schema = "public", .unanswered = "no password supplied",
	.notes = notes, .keys = keys, .settings_size = sizeof(struct config_server), .finish = postgres_finish,
	.where = config_server_where, .target = postgres_target,
};
