/*
 * duckdb_client.c - a client of DuckDB for tests, which has no other here: the library's own casts as CSV.
 *
 *	duckdb_client LIBRARY FILE		runs the script on standard input; makes the file if need be
 *	duckdb_client LIBRARY FILE read		the rows of the query on standard input, NULL as a bare \N
 *	duckdb_client LIBRARY FILE hold		holds the file open to write until standard input ends; says "held"
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* duckdb_result, as src/include/duckdb.h of DuckDB has it. */
struct duckdb_rows {
	uint64_t	 columns, rows, changed;
	void		*deprecated;
	char		*message;
	void		*internal;
};

static struct {
	int		(*create_config)(void **config);
	int		(*set_config)(void *config, const char *name, const char *value);
	int		(*open_ext)(const char *path, void **database, void *config, char **message);
	int		(*connect)(void *database, void **connection);
	int		(*query)(void *connection, const char *sql, struct duckdb_rows *rows);
	const char	*(*result_error)(struct duckdb_rows *rows);
	uint64_t	(*row_count)(struct duckdb_rows *rows);
	uint64_t	(*column_count)(struct duckdb_rows *rows);
	char		*(*value_varchar)(struct duckdb_rows *rows, uint64_t column, uint64_t row);
	void		(*free)(void *value);
	void		(*destroy_result)(struct duckdb_rows *rows);
	void		(*destroy_config)(void **config);
	void		(*disconnect)(void **connection);
	void		(*close)(void **database);
} lib;

static void
fail(const char *what)
{
	fprintf(stderr, "duckdb_client: %s\n", what == NULL ? "no reason" : what);
	exit(1);
}

static void
load(const char *path)
{
	static const struct {
		const char *name;
		void *at;
	} functions[] = {
		{ "duckdb_create_config", &lib.create_config },
		{ "duckdb_set_config", &lib.set_config },
		{ "duckdb_open_ext", &lib.open_ext },
		{ "duckdb_connect", &lib.connect },
		{ "duckdb_query", &lib.query },
		{ "duckdb_result_error", &lib.result_error },
		{ "duckdb_row_count", &lib.row_count },
		{ "duckdb_column_count", &lib.column_count },
		{ "duckdb_value_varchar", &lib.value_varchar },
		{ "duckdb_free", &lib.free },
		{ "duckdb_destroy_result", &lib.destroy_result },
		{ "duckdb_destroy_config", &lib.destroy_config },
		{ "duckdb_disconnect", &lib.disconnect },
		{ "duckdb_close", &lib.close },
	};
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		fail(dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *f = dlsym(library, functions[i].name);

		if (f == NULL)
			fail(functions[i].name);
		memcpy(functions[i].at, &f, sizeof(f));
	}
}

static void
read_input(struct buf *text)
{
	char part[65536];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), stdin)) > 0)
		buf_append(text, part, n);
}

static void
print_rows(struct duckdb_rows *rows)
{
	for (uint64_t i = 0; i < lib.row_count(rows); i++) {
		for (uint64_t k = 0; k < lib.column_count(rows); k++) {
			char *value = lib.value_varchar(rows, k, i);
			struct buf cell = { 0 };

			if (value == NULL)
				buf_str(&cell, "\\N");
			else
				buf_quoted(&cell, span_str(value), '"');
			printf("%s%.*s", k > 0 ? "," : "", SPAN_FMT(buf_view(&cell)));
			buf_fini(&cell);
			lib.free(value);
		}
		putchar('\n');
	}
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[3] : "";
	void *config = NULL, *database = NULL, *connection = NULL;
	struct duckdb_rows rows;
	struct buf text = { 0 };
	char *message = NULL;

	if (argc < 3)
		fail("usage: duckdb_client LIBRARY FILE [read|hold]");
	load(argv[1]);
	lib.create_config(&config);
	lib.set_config(config, "threads", "1");
	if (strcmp(mode, "read") == 0)
		lib.set_config(config, "access_mode", "READ_ONLY");
	if (lib.open_ext(argv[2], &database, config, &message) != 0)
		fail(message);
	lib.destroy_config(&config);
	lib.connect(database, &connection);
	if (lib.query(connection, "SET TimeZone = 'UTC'", &rows) != 0)
		fail(lib.result_error(&rows));
	if (strcmp(mode, "hold") == 0) {
		puts("held");
		fflush(stdout);
	}
	lib.destroy_result(&rows);
	read_input(&text);
	if (text.len > 0 && lib.query(connection, buf_cstr(&text), &rows) != 0)
		fail(lib.result_error(&rows));
	if (strcmp(mode, "read") == 0)
		print_rows(&rows);
	if (text.len > 0)
		lib.destroy_result(&rows);
	buf_fini(&text);
	lib.disconnect(&connection);
	lib.close(&database);
	return 0;
}
