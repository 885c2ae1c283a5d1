/*
 * mysql_suite - stands between the client of MariaDB's own tests and the server, and looks at each statement that only
 * reads: what a session like the driver's answers to it, and what it answers to what would be sent of it.
 *
 *	mysql_suite LISTEN SERVER REPORT	two Unix sockets and a file
 *
 * A line of the report: a verdict, why, and the statement, with tabs between.
 *	failed		the server refuses the statement in that session
 *	unstable	its answer is another one when it is asked again
 *	same		what would be sent is answered alike
 *	renamed		the same, but for the names of columns of VALUES (docs/decisions/own-sql-parser.md)
 *	differs		it is not
 *	named		refused with forbidden_sql or by the tokenizer, which docs/guard.md names
 *	refused		refused otherwise
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/system/io.h"
#include "tests/support/mysql_answer.h"
#include "workers/sql/mysql/grammar/mysql_lex.h"
#include "workers/sql/mysql/grammar/mysql_parse.h"
#include "workers/sql/mysql/grammar/mysql_print.h"
#include "workers/sql/mysql/guard/mysql_guard.h"

#define HEADER		4u	/* of a packet: its length, and its number */
#define COM_INIT_DB_	2
#define COM_QUERY_	3
#define WITH_DATABASE	8u	/* CLIENT_CONNECT_WITH_DB */
#define SCHEMAS_MAX	200u

static struct suite {
	const char	*server;
	int		 report;
	MYSQL		*reader;
	char		*database;
	struct arena	*arena;
	size_t		 nschemas;
	struct span	 schemas[SCHEMAS_MAX];
} suite;

static void
tell(const char *sql)
{
	if (mysql_query(suite.reader, sql) == 0)
		mysql_free_result(mysql_store_result(suite.reader));
}

static void
open_reader(void)
{
	static const char *const settings[] = {
#define SETTING(variable, value)	variable, value,
#define MARIADB(variable, value)	variable, value,
#define MYSQL8(variable, value)
#include "workers/sql/mysql/mysql_settings.def"
#undef SETTING
#undef MARIADB
#undef MYSQL8
	};
	char sql[512];

	suite.reader = mem_must(mysql_init(NULL));
	mysql_options(suite.reader, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (mysql_real_connect(suite.reader, NULL, "root", NULL, NULL, 0, suite.server, 0) == NULL)
		return;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i += 2) {
		bool number = settings[i + 1] != NULL && settings[i + 1][strspn(settings[i + 1], "0123456789")] == '\0';

		snprintf(sql, sizeof(sql), number ? "SET @@session.%s = %s" : "SET @@session.%s = '%s'", settings[i],
		    settings[i + 1] == NULL ? "" : settings[i + 1]);
		if (settings[i + 1] != NULL)
			tell(sql);
	}
	tell("SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, max_statement_time = 3, timestamp = 1700000000");
}

static void
read_schemas(void)
{
	MYSQL_RES *result;
	MYSQL_ROW row;

	suite.nschemas = 0;
	if (mysql_query(suite.reader, "SHOW DATABASES") != 0 || (result = mysql_store_result(suite.reader)) == NULL)
		return;
	while ((row = mysql_fetch_row(result)) != NULL && suite.nschemas < SCHEMAS_MAX)
		if (strcmp(row[0], "mysql") != 0 && strcmp(row[0], "sys") != 0 &&
		    strcmp(row[0], "performance_schema") != 0)
			suite.schemas[suite.nschemas++] = arena_span(suite.arena, span_str(row[0]));
	mysql_free_result(result);
}

static void
report(const char *verdict, const char *why, struct span sql)
{
	struct buf line = { 0 };

	buf_printf(&line, "%s\t%s\t", verdict, why);
	for (size_t i = 0; i < sql.len; i++)
		buf_byte(&line, sql.p[i] == '\n' || sql.p[i] == '\t' || sql.p[i] == '\r' ? ' ' : sql.p[i]);
	buf_byte(&line, '\n');
	(void)!write(suite.report, line.p, line.len);
	buf_fini(&line);
}

static bool
holds_values(const struct mysql_node *node)
{
	if (node->kind == MYSQL_NODE_values)
		return true;
	for (const struct mysql_node *n = node->first; n != NULL; n = n->next)
		if (holds_values(n))
			return true;
	return false;
}

/* Behind the columns, whose names may have line breaks. */
static struct span
rows_of(const struct buf *answer)
{
	const uint8_t *end = memmem(answer->p, answer->len, "|\n|", 3);

	return end == NULL ? SPAN_NONE : span_of(end, answer->len - (size_t)(end - answer->p));
}

static void
judge(struct span sql, const struct buf *asked)
{
	const struct mysql_guard guard = { .mariadb = true,
		.version = mysql_get_server_version(suite.reader),
		.nschemas = suite.nschemas,
		.schemas = suite.schemas };
	struct err err = { 0 }, ignored;
	struct mysql_tokens tokens;
	size_t at;
	const struct mysql_node *tree = mysql_parse(suite.arena, sql, &at, &err);
	struct buf printed = { 0 }, answered = { 0 }, again = { 0 };

	if (tree == NULL || mysql_guard_judge(&guard, tree, &at, &err) == -1) {
		report(err.code != ERR_INVALID_SQL || mysql_lex(suite.arena, sql, false, &tokens, &at, &ignored) == -1 ?
			"named" :
			"refused",
		    err.message, sql);
		return;
	}
	mysql_print(&printed, tree);
	mysql_answer(suite.reader, buf_view(&printed), &answered);
	if (span_is(buf_view(asked), buf_view(&answered)))
		report("same", "", sql);
	else if (!mysql_answer(suite.reader, sql, &again) || !span_is(buf_view(asked), buf_view(&again)))
		report("unstable", "", sql);
	else if (holds_values(tree) && span_is(rows_of(asked), rows_of(&answered)))
		report("renamed", "", sql);
	else
		report("differs", answered.len < 12 ? buf_cstr(&answered) : buf_cstr(&printed), sql);
	buf_fini(&printed);
	buf_fini(&answered);
	buf_fini(&again);
}

static void
examine(struct span sql)
{
	struct buf once = { 0 }, again = { 0 };

	arena_reset(suite.arena);
	if (mysql_select_db(suite.reader, suite.database) != 0 && mysql_ping(suite.reader) != 0) {
		mysql_close(suite.reader);
		open_reader();
	}
	read_schemas();
	if (!mysql_answer(suite.reader, sql, &once))
		report("failed", buf_cstr(&once), sql);
	else if (!mysql_answer(suite.reader, sql, &again) || !span_is(buf_view(&once), buf_view(&again)))
		report("unstable", "", sql);
	else
		judge(sql, &once);
	buf_fini(&once);
	buf_fini(&again);
}

static struct span
first_word(struct span sql)
{
	size_t n = 0;

	while (sql.len > 0 && (ascii_is_space(sql.p[0]) || sql.p[0] == '('))
		sql = span_of(sql.p + 1, sql.len - 1);
	while (n < sql.len && ascii_is_alnum(sql.p[n]))
		n++;
	return span_of(sql.p, n);
}

static void
use_database(struct span name)
{
	name = span_trim(name);
	while (name.len > 0 && (name.p[name.len - 1] == ';' || name.p[name.len - 1] == '`'))
		name.len--;
	if (name.len > 0 && name.p[0] == '`')
		name = span_of(name.p + 1, name.len - 1);
	free(suite.database);
	suite.database = mem_text(name);
}

static void
see_query(struct span sql)
{
	static const char *const read[] = { "SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "SHOW", "DESCRIBE", "DESC",
		NULL };
	struct span word = first_word(sql);

	if (span_is_word(word, "use"))
		use_database(span_of(word.p + 3, sql.len - (size_t)(word.p + 3 - sql.p)));
	else if (span_is_any_word(word, read))
		examine(sql);
}

/* The first packet says who the client is, and the database. */
static void
see_greeting(struct span p)
{
	size_t at = 32;

	if (p.len <= at || (p.p[0] & WITH_DATABASE) == 0)
		return;
	at += strnlen((const char *)p.p + at, p.len - at) + 1;
	if (at < p.len && (at += p.p[at] + 1u) < p.len)
		use_database(span_of(p.p + at, strnlen((const char *)p.p + at, p.len - at)));
}

static void
see_packet(struct span p, unsigned number, bool *greeted)
{
	if (!*greeted)
		see_greeting(p);
	else if (number == 0 && p.len > 1 && p.p[0] == COM_INIT_DB_)
		use_database(span_of(p.p + 1, p.len - 1));
	else if (number == 0 && p.len > 1 && p.p[0] == COM_QUERY_)
		see_query(span_of(p.p + 1, p.len - 1));
	*greeted = true;
}

/* Passes on what is complete. */
static bool
pass_packets(struct buf *in, int server, bool *greeted)
{
	while (in->len >= HEADER) {
		size_t len = HEADER + (in->p[0] | (size_t)in->p[1] << 8 | (size_t)in->p[2] << 16);

		if (in->len < len)
			return true;
		see_packet(span_of(in->p + HEADER, len - HEADER), in->p[3], greeted);
		if (io_write(server, span_of(in->p, len)) == -1)
			return false;
		memmove(in->p, in->p + len, in->len - len);
		in->len -= len;
	}
	return true;
}

static int
connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	perror(path);
	exit(1);
}

static void
serve_client(int client)
{
	struct pollfd fds[] = { { .fd = client, .events = POLLIN },
		{ .fd = connect_to(suite.server), .events = POLLIN } };
	static uint8_t part[1 << 16];
	struct buf in = { 0 };
	bool greeted = false;
	ssize_t n;

	suite.arena = arena_new(64u << 20);
	suite.database = mem_text(SPAN("test"));
	open_reader();
	for (;;) {
		if (poll(fds, 2, -1) == -1 && errno != EINTR)
			exit(1);
		if (fds[1].revents != 0) {
			if ((n = read(fds[1].fd, part, sizeof(part))) <= 0 ||
			    io_write(client, span_of(part, (size_t)n)) == -1)
				exit(0);
		} else if (fds[0].revents != 0) {
			if ((n = read(client, part, sizeof(part))) <= 0)
				exit(0);
			buf_append(&in, part, (size_t)n);
			if (!pass_packets(&in, fds[1].fd, &greeted))
				exit(0);
		}
	}
}

int
main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;

	if (argc != 4)
		return 2;
	suite.server = argv[2];
	suite.report = open(argv[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", argv[1]);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (suite.report == -1 || bind(listening, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    listen(listening, 64) == -1) {
		perror(argv[1]);
		return 1;
	}
	while ((client = accept(listening, NULL, NULL)) != -1) {
		if (fork() == 0)
			serve_client(client);
		close(client);
	}
	return 1;
}
