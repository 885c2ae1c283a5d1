/*
 * Each driver bounds the cost of a statement:
 * - what multiplies before the statement runs (names of queries, join orders, constant
 *   expressions) is counted and refused;
 * - functions that do not check for interrupts have a bound on their arguments;
 * - memory that is not spilled to disk is bounded, by the engine or by the time
 *   in which it grows;
 * - a statement that the server did not end counts as one of the pool's
 *   connections before another connection is made, and `carrel status` reports
 *   it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"
#include "policy/identity.h"
#include "workers/shared/tool.h"
#include "workers/sql/bound.h"
#include "workers/sql/catalog.h"
#include "workers/sql/fingerprint.h"
#include "workers/sql/late.h"
#include "workers/sql/sample.h"
#include "workers/sql/reach.h"
#include "workers/sql/overlap.h"
#include "workers/sql/row_stream.h"

#define SQL_TEXT_MAX	65536u	/* bytes of one statement; a longer one is sql_too_long */

/* CONFIGURE_SQL, copied; valid as long as the process runs. */
struct sql_config {
	char		*connection;		/* its id */
	char		*path;			/* of a file: absolute */
	char		*target;		/* what the driver's target() wrote: a secret, wiped after connecting */
	size_t		 nschemas, nenabled, nfunctions;
	char		**schemas, **enabled;
	char		**functions;		/* "schema.name", trusted by the configuration */
	struct columns	*columns;		/* the column policy; may be empty */
	char		*column_key;		/* key of the digests: a secret, hexadecimal */
	struct identity	*identity;		/* as whom statements run; NULL: as the account */
	char		 policy[COLUMNS_DIGEST_TEXT];	/* columns_digest() and identity_mark() */
	bool		 stand_in;		/* only for PROBE: connects to no database */
	bool		 explain_analyze;	/* EXPLAIN ANALYZE is allowed */
	bool		 semantic_only;		/* statements come from the semantic layer only, none from callers */
	uint64_t	 timeout_ms, max_rows, result_bytes, memory_max, max_requests;
	char		 pool[17];		/* marks this pool's connections on the server; empty: no mark */
	uint64_t	 pool_size;		/* limit for the pool's connections */
	struct buf	 team;			/* the team's statements: workers/sql/team.h */
};

/* A published table: `dataset_<id>` in statements of DATASETS. */
struct sql_dataset {
	struct span	 id, db, table;	/* db may be empty */
};

/* Limits of a statement that may only read datasets. */
struct sql_published {
	size_t			 n;
	const struct sql_dataset *datasets;
	uint64_t		 memory_max;	/* bytes */
	uint64_t		 threads;
};

struct sql_query {
	struct span	 text;		/* 1 to SQL_TEXT_MAX bytes of UTF-8, no NUL */
	uint64_t	 max_rows;
	uint64_t	 deadline_ns;	/* the earlier of the call's and the configured deadline */
	struct late_limit limit;	/* the limit behind deadline_ns; key NULL: the connection's own */
	const struct sql_published *published;	/* NULL: a statement over everything the connection serves */
	const struct sql_bound *bound;	/* its parameters, never with published; NULL: it has none */
	const struct identity_as *as;	/* where the connection has an identity: as whom it runs */
	bool		 check;		/* a team's statement that is only looked at: without as it is not sent */
};

/* The result of connection_test. */
struct sql_test {
	char		 server_version[128];
	char		 user[128];	/* empty: the engine has no users */
	enum { SQL_WRITE_UNKNOWN, SQL_WRITE_NO, SQL_WRITE_YES } can_write;
	char		 can_write_why[256];
	bool		 read_only_session;	/* a write was tried, and refused */
	double		 latency_ms;
	/* Under a column policy: hidden and masked columns that the account itself may read. */
	size_t		 nreadable;
	char		 readable[512];	/* the first of them, separated by commas */
	struct sql_reach reach;		/* unset if the engine does not tell it */
	char		 identity[1024];	/* what of the database weakens it; empty: nothing */
};

struct sql_db;

struct sql_driver {
	const char	*name;		/* "sqlite" */
	const char	*binary;	/* "carrel-sql-sqlite" */
	const char	*profile;	/* policy_profile() */
	bool		 schemas;	/* a table name may be qualified with a schema */
	bool		 published_limits;	/* execute() applies those of sql_published, not the worker's */
	bool		 parquet;	/* execute() writes Parquet files: row_stream.h */
	uint8_t		 quote;		/* around names, in statements that are the same for all engines */
	bool		 escapes;	/* a backslash in a string escapes what is behind it */
	const char	*row_number;	/* row number that orders tables without a key; NULL: none */

	/*
	 * Checks the configuration, which the caller keeps for the life of the process, and finds the files that it
	 * names.  -1 if it is wrong.
	 */
	int	(*init)(const struct sql_config *cfg, struct sql_db **db, struct err *err);

	/* Files that may be read besides cfg->path: real paths, up to a NULL.  May be NULL. */
	char	*const *(*files)(const struct sql_db *db);

	/* Runs before confinement.  NULL if the engine needs no connection then. */
	int	(*connect)(struct sql_db *db, struct err *err);

	/* Runs after Landlock and before the system-call filter: opens the database and warms caches. */
	int	(*open)(struct sql_db *db, struct err *err);

	/* Runs between calls, and when watch()'s descriptor is readable.  May be NULL. */
	void	(*idle)(struct sql_db *db);
	int	(*watch)(struct sql_db *db);

	/*
	 * Runs one statement, read-only, until q->deadline_ns at most.  Fills
	 * r's head and adds rows until row_stream.h says stop.  Errors have their
	 * final code and a message that proposes the next step; details may be
	 * added to call_details().
	 */
	int	(*execute)(struct sql_db *db, struct call *c, const struct sql_query *q,
		    struct result *r, struct err *err);

	/* Describes every table in scope, in a stable order. */
	int	(*introspect)(struct sql_db *db, struct call *c, struct catalog *cat,
		    struct err *err);

	/* Before and after the samples of a table's columns; ask has no column.  May be NULL. */
	void	(*sample_begin)(struct sql_db *db, struct call *c, const struct profile_ask *ask);
	void	(*sample_end)(struct sql_db *db, struct call *c);

	/* Samples one column, within ask->deadline_ns. */
	int	(*sample)(struct sql_db *db, struct call *c, const struct profile_ask *ask,
		    struct profile_column *p, struct err *err);

	/* Counts how many values of one table occur in another, within ask->deadline_ns. */
	int	(*relate)(struct sql_db *db, struct call *c, const struct relate_ask *ask,
		    struct overlap_counts *n, struct err *err);

	/* Adds everything of the structure that introspect would describe, in a stable order, at low cost. */
	int	(*fingerprint)(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

	/*
	 * What callers with these scopes may see of one column, by lineage as
	 * far as the engine knows it.  Called only under a policy.  NULL:
	 * decided by the column's name.
	 */
	int	(*column)(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
		    const char *column, enum columns_action *action, struct err *err);

	/* Whether that rule of the policy matches any column of the database. */
	bool	(*matches)(struct sql_db *db, size_t rule);

	/*
	 * The statements that grant role everything that the policy leaves
	 * open, and nothing else.  NULL: the engine has no grants, and no_grants
	 * says what keeps columns back instead.
	 */
	const char *no_grants;
	int	(*grants)(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);

	int	(*test)(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);

	/* Judges every input of policy/attacks.h, one row each (attack_rows.h); the process ends afterwards. */
	int	(*audit)(struct sql_db *db, struct call *c, struct result *r, struct err *err);

	/* Runs the program when it was started with arguments, without a supervisor.  NULL: it takes none. */
	int	(*alone)(char **argv);

	/* Accepts NULL. */
	void	(*close)(struct sql_db *db);
};

extern const struct sql_driver sql_driver;

/* The tool table of every SQL worker; call_state() is a struct sql_worker. */
extern const struct tool sql_tools[];

/* The state of the process: call_state() of every call. */
struct sql_worker {
	struct sql_config	 cfg;
	struct sql_db		*db;
	struct result		 result;
	uint64_t		 served;
};
