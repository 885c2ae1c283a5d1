#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "demo/duckdb.h"
#include "demo/world.h"

/* duckdb_result; src/include/duckdb.h of DuckDB 1.4 (MIT licence), Query Execution. */
struct duckdb_answer {
	uint64_t	 columns, rows, changed;
	void		*deprecated[2], *internal;
};

/* Functions of the library: sections Open Connect, Query Execution and Appender of the same header. */
struct duckdb_client {
	int	(*open)(const char *path, void **database);
	int	(*connect)(void *database, void **connection);
	int	(*query)(void *connection, const char *sql, struct duckdb_answer *out);
	void	(*destroy_result)(struct duckdb_answer *result);
	int	(*appender_create)(void *connection, const char *schema, const char *table, void **out);
	int	(*append_varchar)(void *appender, const char *text);	/* converted to the column's type */
	int	(*append_null)(void *appender);
	int	(*appender_end_row)(void *appender);
	int	(*appender_destroy)(void **appender);	/* writes what was appended */
	void	(*disconnect)(void **connection);
	void	(*close)(void **database);
};

struct duckdb_copy {
	struct duckdb_client	 lib;
	sqlite3			*from;
	void			*database, *connection;
};

static int
load_client(const char *library, struct duckdb_client *lib)
{
	const struct {
		const char *name;
		void *at;
	} functions[] = {
		{ "duckdb_open", &lib->open },
		{ "duckdb_connect", &lib->connect },
		{ "duckdb_query", &lib->query },
		{ "duckdb_destroy_result", &lib->destroy_result },
		{ "duckdb_appender_create", &lib->appender_create },
		{ "duckdb_append_varchar", &lib->append_varchar },
		{ "duckdb_append_null", &lib->append_null },
		{ "duckdb_appender_end_row", &lib->appender_end_row },
		{ "duckdb_appender_destroy", &lib->appender_destroy },
		{ "duckdb_disconnect", &lib->disconnect },
		{ "duckdb_close", &lib->close },
	};
	void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < COUNT(functions); i++) {
		void *f = loaded == NULL ? NULL : dlsym(loaded, functions[i].name);

		if (f == NULL)
			return -1;
		memcpy(functions[i].at, &f, sizeof(f));
	}
	return 0;
}

/* One line of the schema, table being the one that it is of. */
static void
put_line(struct buf *out, struct span line, const char *table)
{
	char own[64], *text = strndup((const char *)line.p, line.len), *at;
	int n = snprintf(own, sizeof(own), " REFERENCES %s(id)", table);

	if (text != NULL && (at = strstr(text, own)) != NULL)
		memmove(at, at + n, strlen(at + n) + 1);
	if (text != NULL && (at = strstr(text, " REAL ")) != NULL)
		buf_printf(out, "%.*s DOUBLE %s\n", (int)(at - text), text, at + 6);
	else if (text != NULL)
		buf_printf(out, "%s\n", text);
	free(text);
}

static void
put_schema(struct buf *out)
{
	struct span rest = span_str(demo_schema), line;
	char table[64] = "";

	while (span_line(&rest, &line)) {
		(void)sscanf((const char *)line.p, "CREATE TABLE %63s", table);
		put_line(out, line, table);
	}
}

static int
append_row(struct duckdb_client *lib, void *appender, sqlite3_stmt *row)
{
	for (int i = 0; i < sqlite3_column_count(row); i++) {
		const char *text = (const char *)sqlite3_column_text(row, i);

		if ((text == NULL ? lib->append_null(appender) : lib->append_varchar(appender, text)) != 0)
			return -1;
	}
	return lib->appender_end_row(appender);
}

static int
copy_table(struct duckdb_copy *c, const char *table)
{
	sqlite3_stmt *rows = NULL;
	void *appender = NULL;
	char sql[96];
	int r = -1, step = SQLITE_ERROR;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s ORDER BY rowid", table);
	if (sqlite3_prepare_v2(c->from, sql, -1, &rows, NULL) == SQLITE_OK &&
	    c->lib.appender_create(c->connection, NULL, table, &appender) == 0) {
		while ((step = sqlite3_step(rows)) == SQLITE_ROW && append_row(&c->lib, appender, rows) == 0)
			;
		r = c->lib.appender_destroy(&appender) == 0 && step == SQLITE_DONE ? 0 : -1;
	}
	sqlite3_finalize(rows);
	return r;
}

static int
copy_all(struct duckdb_copy *c)
{
	struct duckdb_answer made;
	struct buf schema = { 0 };
	int r;

	put_schema(&schema);
	r = c->lib.query(c->connection, buf_cstr(&schema), &made);
	c->lib.destroy_result(&made);
	buf_fini(&schema);
	for (size_t i = 0; r == 0 && i < NTABLES; i++) /* keys refer to tables before their own */
		r = copy_table(c, demo_tables[i]);
	return r;
}

int
demo_duckdb(const char *library, const char *from, const char *to, struct err *err)
{
	struct duckdb_copy c = { .from = NULL };
	struct stat st;
	int r = -1;

	if (access(to, F_OK) == 0)
		return err_set(err, ERR_INVALID_ARGUMENTS, "there is a warehouse.duckdb already");
	if (load_client(library, &c.lib) != 0)
		return err_set(err, ERR_INTERNAL, "DuckDB's library %s cannot be used", library);
	if (sqlite3_open_v2(from, &c.from, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
	    c.lib.open(to, &c.database) == 0 && c.lib.connect(c.database, &c.connection) == 0)
		r = copy_all(&c);
	if (c.connection != NULL)
		c.lib.disconnect(&c.connection);
	if (c.database != NULL)
		c.lib.close(&c.database);
	sqlite3_close(c.from);
	/* DuckDB makes files that everybody may read. */
	if (r == 0 && (stat(to, &st) != 0 || chmod(to, st.st_mode & 0640) != 0))
		r = -1;
	return r == 0 ? 0 : err_set(err, ERR_INTERNAL, "the demo warehouse could not be written with DuckDB");
}
