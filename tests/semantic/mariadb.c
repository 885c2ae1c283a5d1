/* mariadb.c - see mariadb.h. */
#include "tests/semantic/mariadb.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"

MYSQL *
mariadb_open(const char *socket)
{
	MYSQL *my = mysql_init(NULL);

	mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(my, MYSQL_INIT_COMMAND,
	    "SET time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO', "
	    "group_concat_max_len = 1048576");
	if (mysql_real_connect(my, NULL, "root", NULL, "test", 0, socket, CLIENT_MULTI_STATEMENTS) == NULL) {
		fprintf(stderr, "%s\n", mysql_error(my));
		exit(2);
	}
	return my;
}

MYSQL_RES *
mariadb_query(MYSQL *my, struct span sql, const char **why)
{
	static char message[4096];
	struct arena *a = arena_new((size_t)64 << 20);
	struct buf printed = { 0 };
	struct err err = { 0 };
	MYSQL_RES *rows = NULL;
	size_t at;
	const struct mysql_node *tree = mysql_parse(a, sql, &at, &err);

	if (tree == NULL)
		snprintf(message, sizeof(message), "the parser: %s", err.message);
	else {
		mysql_print(&printed, tree);
		if (mysql_real_query(my, (const char *)printed.p, printed.len) == 0)
			rows = mysql_store_result(my);
		if (rows == NULL)
			snprintf(message, sizeof(message), "%s\n%.*s", mysql_error(my), SPAN_FMT(buf_view(&printed)));
	}
	*why = rows == NULL ? message : NULL;
	buf_fini(&printed);
	arena_free(a);
	return rows;
}
