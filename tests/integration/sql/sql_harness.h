/* sql_harness.h - the real, confined SQL workers under test, one call at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/child_driver.h"
#include "tests/unit/harness.h"

/* What a test may want to be different. */
struct sql_setup {
	const char	*driver;		/* "sqlite" */
	const char	*path;			/* sqlite */
	const char	*conninfo;		/* postgres */
	const char	*schemas, *enabled;	/* JSON arrays; NULL: ["public"] and [] */
	const char	*functions;		/* likewise; NULL: [] */
	bool		 explain_analyze, semantic_only;
	uint64_t	 timeout_ms, max_rows, result_bytes, memory_max, max_requests; /* 0: the default */
	const char	*faults;
	const char	*columns;		/* column policy, JSON; NULL: [] */
};

/* A worker that is ready, or (expect_unable) one that said why not. */
struct driver *sql_start(const struct sql_setup *setup);
/* Likewise ready, begun anew as long as it leaves because its files changed, as the supervisor does. */
struct driver *sql_start_again(const struct sql_setup *setup);
struct driver *sql_start_unable(const struct sql_setup *setup);

/* Ends it in good order and checks that it went well. */
void sql_stop(struct driver *d);

/* sql_execution with that statement (any bytes that are UTF-8); max_rows 0: not given. */
const struct driver_answer *sql_run(struct driver *d, const char *sql, unsigned max_rows);
uint64_t sql_begin(struct driver *d, const char *sql, unsigned max_rows);

/* The result holds this piece of JSON text. */
void sql_expect(struct driver *d, const char *sql, const char *piece);

/* It fails with this code; the message has this piece. */
void sql_expect_fail(struct driver *d, const char *sql, const char *code, const char *piece);

/* A row of a table of statements. */
struct sql_case {
	const char	*sql, *code, *piece;	/* code NULL: it is allowed, piece is in the result */
};
void sql_expect_all(struct driver *d, const struct sql_case *cases, size_t n);

#define assert_has(text, piece)	sql_assert_has(text, piece, __FILE__, __LINE__)
void sql_assert_has(const char *text, const char *piece, const char *file, int line);
