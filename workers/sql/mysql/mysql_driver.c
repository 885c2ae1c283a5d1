/*
 * mysql_driver.c - what MariaDB and MySQL are to the configuration, the commands and the supervisor; links no
 * library.
 */
#include <string.h>

#include "base/err.h"
#include "project/config/config_server.h"

static const struct config_key keys[] = { CONFIG_SERVER_KEYS("3306", "host name, address or the path of a Unix socket.",
    "whether the connection is encrypted and the server's certificate checked: verify-full on another machine, "
    "disable on this one.") };

static const char *const notes[] = {
	"MariaDB or MySQL. One statement a call, and only reading, in a read-only session: SELECT, WITH … SELECT, "
	"VALUES, TABLE, EXPLAIN, DESCRIBE, SHOW of tables, columns, indexes and CREATE statements. Placeholders (?) "
	"are not taken: write values into the statement.",
	"Refused: writing, DDL, SET and variables (@x, @@x), INTO, FOR UPDATE, HANDLER, CALL, /*! … */ and hints, "
	"functions that wait, lock or reach the server's files and sessions (SLEEP, BENCHMARK, GET_LOCK, LOAD_FILE), "
	"and of information_schema what tells of the server or its accounts.",
	"Names with blanks or capitals: `Order Lines` in backticks. Text: 'single quotes' (\"double\" ones are text as "
	"well), doubled inside; backslash escapes. = and LIKE compare by the column's collation, mostly without case: "
	"BINARY x = 'A' with. CONCAT(a, b) joins; || is OR. REGEXP is a regular expression.",
	"7 / 2 is 3.5; 7 DIV 2 is 3. Dividing by 0 gives NULL. ROUND(x, 2) of DECIMAL is exact.",
	"DATE_FORMAT(t, '%Y-%m'), t + INTERVAL 1 MONTH, TIMESTAMPDIFF(DAY, a, b), DATEDIFF(a, b), YEAR(t), QUARTER(t), "
	"WEEKDAY(t) (0 is Monday). TIMESTAMP columns are shown in UTC, DATETIME columns as stored.",
	"Booleans are 1 and 0: SUM(active), COUNT(CASE WHEN x THEN 1 END); there is no FILTER. Types convert by "
	"themselves: '12abc' = 12 is true. CAST(x AS DECIMAL(18, 2)), CAST(x AS SIGNED), CAST(x AS CHAR).",
	"JSON: JSON_EXTRACT(j, '$.a'), JSON_VALUE(j, '$.a'), JSON_TABLE(j, '$[*]' COLUMNS (x INT PATH '$.x')) AS t. "
	"Lists: GROUP_CONCAT(x ORDER BY x SEPARATOR ', '). Series: WITH RECURSIVE.",
	"First rows: ORDER BY … LIMIT n OFFSET m; one a group: ROW_NUMBER() OVER (PARTITION BY k ORDER BY t DESC). "
	"NULL sorts first, DESC last. No FULL JOIN: LEFT JOIN … UNION … RIGHT JOIN.",
	NULL
};

/* Lines that mysql_place_read() in workers/sql/mysql/mysql_place.c reads. */
static int
mysql_target(const struct config_connection *c, struct driver_target *t, struct err *err)
{
	static const char *const with_url[] = { "url", "sslmode", "sslrootcert", NULL };
	static const char *const by_keys[] = { "host", "database", "user", "password", "sslmode", "sslrootcert", NULL };
	const struct config_server *s = c->settings;

	for (const char *const *key = s->url != NULL ? with_url : by_keys; *key != NULL; key++) {
		struct span value;
		int given = t->value(t, *key, &value, err);

		if (given < 0)
			return -1;
		if (given == 0 && memchr(value.p, '\n', value.len) != NULL)
			return err_set(err, ERR_DATABASE_UNAVAILABLE, "the connection's %s has a line break in it",
			    *key);
		if (given == 0) {
			buf_printf(&t->out, "%s=", *key);
			buf_span(&t->out, value);
			buf_byte(&t->out, '\n');
		}
	}
	if (s->url == NULL)
		buf_printf(&t->out, "port=%u\n", s->port);
	return 0;
}

/* Its schemas are databases; served is the one of the connection where none is named. */
const struct db_driver driver_mysql = {
	.name = "mysql", .aliases = "mariadb", .display = "MariaDB", .type = "MYSQL",
	.binary = "carrel-sql-mysql", .profile = "sql-mysql",
	.place = DRIVER_SERVER, .shard = DRIVER_BY_DATABASE, .spares = 1,
	.traits = DRIVER_POOLS | DRIVER_FUNCTIONS | DRIVER_VARIABLES,
	.schemes = "mysql:// mariadb://", .schema = "", .unanswered = "using password: NO",
	.notes = notes, .keys = keys, .settings_size = sizeof(struct config_server), .finish = config_server_finish,
	.where = config_server_where, .target = mysql_target,
};
