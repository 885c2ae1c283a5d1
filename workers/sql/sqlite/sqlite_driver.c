/* sqlite_driver.c - what SQLite is to the configuration, the commands and the supervisor; links no library. */
#include "project/config/config_connection.h"
#include "project/config/config_value.h"

struct sqlite_settings {
	const char	*path, *url;	/* as written */
};

#define SETTING(key, KIND, field, low, high, def, words, doc) \
	{ "connections", key, CONFIG_##KIND, offsetof(struct sqlite_settings, field), low, high, def, words, doc }

static const struct config_key keys[] = {
	SETTING("path", TEXT, path, 1, 4096, NULL, NULL,
	    "the database file, relative to the project; env: and file: references work."),
	SETTING("url", SECRET, url, 1, 8192, NULL, NULL, "in place of path."),
	{ .key = NULL }
};

static const char *const notes[] = {
	"SQLite. One statement a call, and only reading: SELECT, WITH … SELECT, VALUES, EXPLAIN QUERY PLAN. "
	"Comments and a last semicolon are fine; placeholders (?, :name) are not: write values into the "
	"statement.",
	"Refused: INSERT, UPDATE, DELETE, CREATE, ATTACH, PRAGMA, load_extension(). Instead of a PRAGMA: "
	"entity_details, SELECT * FROM pragma_table_info('t'), or SELECT sql FROM sqlite_schema.",
	"Names: \"double quotes\" for odd ones, case does not matter. Text: 'single quotes', doubled inside; = "
	"compares with case, LIKE without for ASCII letters; || joins.",
	"7 / 2 is 3: write 7 * 1.0 / 2 or CAST(x AS REAL) / y. Dividing by 0 gives NULL. round(x, n), floor(), "
	"pow() are there.",
	"There is no date type: dates are ISO text, or numbers of seconds; look at a value first. date(d, '+1 "
	"month', 'start of month'), strftime('%Y-%m', d), julianday(a) - julianday(b) for days, datetime(n, "
	"'unixepoch'). No date_trunc, EXTRACT, INTERVAL.",
	"Booleans are 1 and 0; TRUE and FALSE may be written. Columns are not held to their type: check "
	"typeof(x) where a sum looks odd.",
	"JSON: json_extract(j, '$.a.b'), j ->> 'a', json_each(j) as a table. Lists: group_concat(x, ', '); no "
	"arrays, no string_agg, no generate_series (WITH RECURSIVE counts). median(x), percentile_cont(x, 0.9).",
	"count(*) FILTER (WHERE …), window functions, NULLS LAST, iif(), coalesce() work. First rows: ORDER BY … "
	"LIMIT n OFFSET m; no TOP, no FETCH FIRST. Without ORDER BY the order means nothing; NULL sorts first.",
	NULL
};

static void
sqlite_finish(struct config_reader *r, struct config_connection *c, const struct config *cfg, const char *name)
{
	struct sqlite_settings *s = c->settings;

	config_finish_file(r, c, cfg, name, s->path, s->url);
	s->url = NULL; /* it named a file: nothing else is to be resolved */
}

const struct db_driver driver_sqlite = {
	.name = "sqlite", .aliases = "", .display = "SQLite", .type = "SQLITE",
	.binary = "carrel-sql-sqlite", .profile = "sql-sqlite",
	.place = DRIVER_FILE, .shard = DRIVER_BY_SCHEMA, .traits = DRIVER_AFFINITY | DRIVER_IMPORTS | DRIVER_EMPTY,
	.schemes = "file: sqlite:", .magic = "SQLite format 3",
	.notes = notes, .keys = keys, .settings_size = sizeof(struct sqlite_settings), .finish = sqlite_finish,
};
