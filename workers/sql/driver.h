/*
 * driver - what one database engine gives to become an SQL worker.
 *
 * Each binary links exactly one driver: it defines `sql_driver` and its own
 * struct sql_db.  Everything the tools promise (caps, shapes, error codes) is
 * kept by tools.c, result.c and value.c for all of them; a driver runs
 * statements and says what its database looks like.
 *
 * What one statement may cost is the driver's to bound, of every engine:
 *  - what multiplies before it runs (names that stand for queries, orders of
 *    joins, values made from constants) is counted and refused;
 *  - functions that look at no interrupt have a bound on their arguments;
 *  - what is kept in memory without going to disk is bounded, by the engine
 *    or else by the time in which it grows;
 *  - what a server did not end counts as one of the pool's connections
 *    before another is made, and is told (`carrel status`).
 * A worker that is stuck itself is killed within CONTRACT_STUCK_MS of its
 * call's deadline, and a statement that did it twice is held back; that is
 * the supervisor's and the front's.
 *
 * A driver never trusts its database either: names, messages and values may be
 * any bytes and go out through value.h.
 */
#ifndef WORKERS_SQL_DRIVER_H
#define WORKERS_SQL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/columns.h"
#include "workers/shared/tool.h"
#include "workers/sql/catalog.h"
#include "workers/sql/fingerprint.h"
#include "workers/sql/profile.h"
#include "workers/sql/reach.h"
#include "workers/sql/relate.h"
#include "workers/sql/result.h"

#define SQL_TEXT_MAX	65536u	/* bytes of one statement; more is sql_too_long */

/* CONFIGURE_SQL, copied; lives as long as the process. */
struct sql_config {
	char		*connection;		/* its id */
	char		*path;			/* sqlite: absolute */
	char		*conninfo;		/* postgres: a secret, wiped once connected */
	size_t		 nschemas, nenabled, nfunctions;
	char		**schemas, **enabled;
	char		**functions;		/* postgres: "schema.name", trusted by the configuration */
	struct columns	*columns;		/* the column policy; may be empty */
	char		*column_key;		/* for digests: a secret, hexadecimal */
	bool		 stand_in;		/* for PROBE alone: connects to nothing */
	bool		 explain_analyze;	/* postgres: may it be asked for? */
	bool		 semantic_only;		/* statements come through the semantic layer, none from callers */
	uint64_t	 timeout_ms, max_rows, result_bytes, memory_max, max_requests;
	char		 pool[17];		/* postgres: by which this pool's connections are known; empty: not at all */
	uint64_t	 pool_size;		/* how many there may be */
};

struct sql_query {
	struct span	 text;		/* 1 to SQL_TEXT_MAX bytes of UTF-8, no NUL */
	uint64_t	 max_rows;
	uint64_t	 deadline_ns;	/* the nearer of the call's and the configured one */
};

/* What connection_test tells. */
struct sql_test {
	char		 server_version[128];
	char		 user[128];	/* empty: the engine has no users */
	enum { SQL_WRITE_UNKNOWN, SQL_WRITE_NO, SQL_WRITE_YES } can_write;
	char		 can_write_why[256];
	bool		 read_only_session;	/* a write was tried and refused */
	double		 latency_ms;
	/* Under a column policy: what the account may read although it is hidden or masked. */
	size_t		 nreadable;
	char		 readable[512];	/* the first of them, with commas between */
	struct sql_reach reach;		/* where it is known */
};

struct sql_db;

struct sql_driver {
	const char	*name;		/* "sqlite" */
	const char	*binary;	/* "carrel-sql-sqlite" */
	const char	*profile;	/* policy_profile() */

	/* Check the configuration (kept by the caller for good).  No I/O.  -1: it is wrong. */
	int	(*init)(const struct sql_config *cfg, struct sql_db **db, struct err *err);

	/* Before confinement.  NULL: the engine needs nothing then. */
	int	(*connect)(struct sql_db *db, struct err *err);

	/* Behind Landlock, before the system-call filter: open and warm. */
	int	(*open)(struct sql_db *db, struct err *err);

	/* Between calls, and when watch()'s descriptor is readable.  May be NULL. */
	void	(*idle)(struct sql_db *db);
	int	(*watch)(struct sql_db *db);

	/*
	 * Run one statement, read-only, for at most until q->deadline_ns.  Fills
	 * r's head and adds rows until result.h says stop.  Errors have their
	 * final code and a message that says what to do; details may be added
	 * to call_details().
	 */
	int	(*execute)(struct sql_db *db, struct call *c, const struct sql_query *q,
		    struct result *r, struct err *err);

	/* Describe every table in scope, in a stable order. */
	int	(*introspect)(struct sql_db *db, struct call *c, struct catalog *cat,
		    struct err *err);

	/* Sample one column, within ask->deadline_ns. */
	int	(*sample)(struct sql_db *db, struct call *c, const struct profile_ask *ask,
		    struct profile_column *p, struct err *err);

	/* Count how far values of one table are found in another, within ask->deadline_ns. */
	int	(*relate)(struct sql_db *db, struct call *c, const struct relate_ask *ask,
		    struct relate_counts *n, struct err *err);

	/* Add everything of the structure that introspect would describe, in a stable order, cheaply. */
	int	(*fingerprint)(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err);

	/*
	 * What callers with these scopes may see of one column of the database,
	 * by lineage as far as the engine knows it.  Asked only under a policy.
	 * NULL: by its name.
	 */
	int	(*column)(struct sql_db *db, struct call *c, uint32_t scopes, const char *schema, const char *table,
		    const char *column, enum columns_action *action, struct err *err);

	/* Does that rule of the policy name any column of the database? */
	bool	(*matches)(struct sql_db *db, size_t rule);

	/*
	 * The statements that give role what the policy leaves open, and no
	 * more.  NULL: the engine has no grants.
	 */
	int	(*grants)(struct sql_db *db, struct call *c, const char *role, struct buf *script, struct err *err);

	int	(*test)(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);

	/* Judge every input of policy/audit.h, a row each (audit.h); the process leaves afterwards. */
	int	(*audit)(struct sql_db *db, struct call *c, struct result *r, struct err *err);

	/* Accepts NULL. */
	void	(*close)(struct sql_db *db);
};

extern const struct sql_driver sql_driver;

/*
 * What callers with these scopes may see of a column; CLEAR without a policy.
 * COLUMNS_ANYBODY for what is stored: the strictest over all scopes.  schema
 * may be NULL where the engine has none.
 */
int sql_column_action(struct sql_db *db, const struct sql_config *cfg, struct call *c, uint32_t scopes,
    const char *schema, const char *table, const char *column, enum columns_action *action, struct err *err);

/* The tool table of every SQL worker; call_state() is a struct sql_worker. */
extern const struct tool sql_tools[];
extern const size_t sql_ntools;

/* What the process holds: call_state() of every call. */
struct sql_worker {
	struct sql_config	 cfg;
	struct sql_db		*db;
	struct result		 result;
	uint64_t		 served;
};

#endif
