/*
 * duckdb_library - libduckdb, loaded when the process starts: no distribution has a package to link with.  Its C
 * interface is declared here as far as it is used; sizes and values are those of src/include/duckdb.h since 1.4.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define DUCKDB_FILE	"libduckdb.so"

struct duck_config;
struct duck_database;
struct duck_connection;
struct duck_prepared;
struct duck_extracted;
struct duck_chunk;
struct duck_vector;
struct duck_type;
struct duck_function;

/* duckdb_result; passed by value to duckdb_fetch_chunk(). */
struct duck_result {
	uint64_t	 columns, rows, changed;
	void		*deprecated_columns;
	char		*deprecated_error;
	void		*internal;
};

/* duckdb_string_t: short texts stand inline. */
#define DUCK_INLINED	12u
union duck_text {
	struct {
		uint32_t	 length;
		char		 prefix[4];
		char		*p;
	} pointer;
	struct {
		uint32_t	 length;
		char		 inlined[DUCK_INLINED];
	} value;
};

/* duckdb_hugeint and duckdb_uhugeint; duckdb_interval; duckdb_list_entry. */
struct duck_huge {
	uint64_t	 lower;
	int64_t		 upper;
};
struct duck_interval {
	int32_t		 months, days;
	int64_t		 micros;
};
struct duck_list {
	uint64_t	 offset, length;
};

/* duckdb_type */
enum duck_type_id {
	DUCK_INVALID, DUCK_BOOLEAN, DUCK_TINYINT, DUCK_SMALLINT, DUCK_INTEGER, DUCK_BIGINT, DUCK_UTINYINT,
	DUCK_USMALLINT,
	DUCK_UINTEGER, DUCK_UBIGINT, DUCK_FLOAT, DUCK_DOUBLE, DUCK_TIMESTAMP, DUCK_DATE, DUCK_TIME, DUCK_INTERVAL,
	DUCK_HUGEINT, DUCK_VARCHAR, DUCK_BLOB, DUCK_DECIMAL, DUCK_TIMESTAMP_S, DUCK_TIMESTAMP_MS, DUCK_TIMESTAMP_NS,
	DUCK_ENUM, DUCK_LIST, DUCK_STRUCT, DUCK_MAP, DUCK_UUID, DUCK_UNION, DUCK_BIT, DUCK_TIME_TZ, DUCK_TIMESTAMP_TZ,
	DUCK_UHUGEINT, DUCK_ARRAY, DUCK_ANY, DUCK_BIGNUM, DUCK_NULL, DUCK_STRING_LITERAL, DUCK_INTEGER_LITERAL,
	DUCK_TIME_NS, DUCK_GEOMETRY, DUCK_VARIANT,
	DUCK_TYPES
};

/* duckdb_statement_type, those that are read. */
enum { DUCK_STATEMENT_SELECT = 1, DUCK_STATEMENT_EXPLAIN = 4 };

/* duckdb_error_type, those that are told apart. */
enum {
	DUCK_ERROR_CONVERSION = 2, DUCK_ERROR_CATALOG = 13, DUCK_ERROR_PARSER = 14, DUCK_ERROR_SYNTAX = 22,
	DUCK_ERROR_BINDER = 24, DUCK_ERROR_IO = 28, DUCK_ERROR_INTERRUPT = 29, DUCK_ERROR_FATAL = 30,
	DUCK_ERROR_INTERNAL = 31, DUCK_ERROR_INVALID_INPUT = 32, DUCK_ERROR_OUT_OF_MEMORY = 33,
	DUCK_ERROR_PERMISSION = 34
};

/* The functions by their names without duckdb_. */
struct duckdb_library {
#define FUNCTION(result, name, arguments)	result (*name) arguments;
#include "workers/sql/duckdb/duckdb_library.def"
#undef FUNCTION
};
extern struct duckdb_library duck;

/*
 * Loads the library, before confinement: afterwards nothing can be made executable.  file: its path as a project has
 * it, for which only known builds are loaded, or NULL for the directory of the program, then the system's.  -1 with
 * ERR_DATABASE_UNAVAILABLE and what to do; also of a version before 1.4.
 */
int duckdb_library_load(const char *file, struct err *err);
