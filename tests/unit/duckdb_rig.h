/* duckdb_rig.h - DuckDB's library and its parser for unit tests; parser is NULL where the library is missing. */
#pragma once

#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "tests/unit/harness.h"
#include "workers/sql/duckdb/duckdb_library.h"
#include "workers/sql/duckdb/duckdb_values.h"

static struct duck_database *database;
static struct duck_connection *parser;
static struct arena *arena;

static int
set_up(void **state)
{
	struct err err;

	(void)state;
	arena = arena_new((size_t)16 << 20);
	if (access(BIN_DIR "/" DUCKDB_FILE, R_OK) != 0) {
		puts("left out: what needs DuckDB's library, which is not beside the programs");
		return 0;
	}
	return duckdb_library_load(BIN_DIR "/" DUCKDB_FILE, &err) == -1 ||
	    duck.open_ext(NULL, &database, NULL, NULL) != 0 || duck.connect(database, &parser) != 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	if (parser != NULL) {
		duck.disconnect(&parser);
		duck.close(&database);
	}
	return 0;
}

/* The parser's tree as JSON, in the arena. */
static struct span
tree_of(struct span sql)
{
	struct duck_prepared *prepared = NULL;
	struct duck_result result;
	struct duckdb_type **types;
	struct duck_chunk *chunk;
	struct buf text = { 0 };
	struct span tree;
	uint64_t n;

	assert_int_equal(duck.prepare(parser, "SELECT json_serialize_sql($1::VARCHAR)", &prepared), 0);
	assert_int_equal(duck.bind_varchar_length(prepared, 1, (const char *)sql.p, sql.len), 0);
	assert_int_equal(duck.execute_prepared_streaming(prepared, &result), 0);
	duckdb_types_read(&result, &types, &n);
	chunk = duck.fetch_chunk(result);
	assert_true(duckdb_values_text(&text, types[0], duck.data_chunk_get_vector(chunk, 0), 0));
	tree = arena_span(arena, buf_view(&text));
	duckdb_types_free(types, n);
	duck.destroy_data_chunk(&chunk);
	duck.destroy_result(&result);
	duck.destroy_prepare(&prepared);
	buf_fini(&text);
	return tree;
}
