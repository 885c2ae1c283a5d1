/* duckdb_driver.c - what DuckDB is to the configuration, the commands and the supervisor; links no library. */
#include "project/config/config_connection.h"
#include "project/config/config_value.h"

struct duckdb_settings {
	const char	*path, *url;	/* as written */
};

#define SETTING(key, KIND, field, low, high, def, words, doc) \
	{ "connections", key, CONFIG_##KIND, offsetof(struct duckdb_settings, field), low, high, def, words, doc }

static const struct config_key keys[] = {
	SETTING("path", TEXT, path, 1, 4096, NULL, NULL,
	    "the database file, relative to the project; env: and file: references work."),
	SETTING("url", SECRET, url, 1, 8192, NULL, NULL, "in place of path."),
	{ .key = NULL }
};

static const char *const notes[] = {
	"DuckDB. One statement a call, and only reading: SELECT, FROM …, WITH … SELECT, VALUES, DESCRIBE, "
	"SUMMARIZE, SHOW "
	"TABLES, EXPLAIN. Comments and a last semicolon are fine; placeholders (?, $1) are not: write values into the "
	"statement.",
	"Refused: INSERT, UPDATE, DELETE, CREATE, COPY, ATTACH, SET, PRAGMA, CALL, INSTALL, LOAD, reading files "
	"(read_csv, read_parquet, FROM 'file.csv'), query(), current_setting, macros. PIVOT needs its values: "
	"FROM (PIVOT t ON "
	"x IN ('a', 'b') USING sum(y)).",
	"Names: \"double quotes\" for odd ones, case does not matter. Text: 'single quotes', doubled inside; = "
	"and LIKE "
	"compare with case, ILIKE without; || joins, regexp_matches(x, '…') is a regular expression.",
	"7 / 2 is 3.5, 7 // 2 is 3. Dividing by 0 gives NULL or inf: x / NULLIF(y, 0). round(x, n), sum of integers is "
	"HUGEINT.",
	"date_trunc('month', t), t + INTERVAL 1 MONTH, date_diff('day', a, b), EXTRACT(dow FROM t), strftime(t, "
	"'%Y-%m'), "
	"strptime('…', '%d.%m.%Y'), to_timestamp(seconds), make_date(y, m, d). TIMESTAMPTZ is shown in UTC: t AT "
	"TIME ZONE "
	"'Europe/Berlin'.",
	"Booleans are TRUE and FALSE. count(*) FILTER (WHERE …), GROUP BY ALL, QUALIFY, SELECT * EXCLUDE (a), "
	"COLUMNS('…'), "
	"median(x), quantile_cont(x, 0.9), arg_max(a, b), list(x), string_agg(x, ', '), x::DATE, TRY_CAST.",
	"JSON: j ->> '$.a.b'. Lists: l[1] is the first, unnest(l), list_contains(l, x), [x * 2 FOR x IN l]; "
	"structs: s.a. "
	"Series: range(n), generate_series(a, b, INTERVAL 1 DAY).",
	"First rows: ORDER BY … LIMIT n OFFSET m; one a group: DISTINCT ON (k) … ORDER BY k, t DESC. NULL sorts "
	"last; say "
	"NULLS FIRST. Without ORDER BY the order means nothing.",
	NULL
};

static void
duckdb_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	struct duckdb_settings *s = c->settings;

	config_finish_file(r, c, cfg, name, s->path, s->url);
	s->url = NULL; /* it named a file: nothing else is to be resolved */
}

const struct db_driver driver_duckdb = {
	.name = "duckdb", .aliases = "", .display = "DuckDB", .type = "DUCKDB",
	.binary = "carrel-sql-duckdb", .profile = "sql-duckdb",
	.place = DRIVER_FILE, .shard = DRIVER_BY_SCHEMA,
	.schemes = "duckdb:", .schema = "main", .magic = "DUCK", .magic_at = 8,
	.notes = notes, .keys = keys, .settings_size = sizeof(struct duckdb_settings), .finish = duckdb_finish,
};
