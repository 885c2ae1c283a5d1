/*
 * attacks - the inputs that `carrel audit-sql` tries on a connection: hostile
 * ones that must be refused, and honest analytics that must pass.  Tables,
 * meant to be reviewed: attacks_postgres.def and attacks_sqlite.def.  The inputs
 * need no table of the connection's own, so they can be tried on any database.
 */
#pragma once

#include <stddef.h>

enum audit_kind { AUDIT_HONEST, AUDIT_HOSTILE };

/*
 * The effect of the session layer alone (a READ ONLY transaction that is rolled back, the extended protocol, limits,
 * the reset) on a hostile input.  Only inputs with AUDIT_TRY are run: each of these rows guarantees that no effect
 * outlives a rollback, even if the database allows the input.  The outcome of the others is known without running
 * them.
 */
enum audit_session {
	AUDIT_TRY,		/* unknown: run it and see */
	AUDIT_STOPS,		/* refused inside a read-only transaction */
	AUDIT_UNDOES,		/* it runs, and the rollback undoes its effect */
	AUDIT_BOUNDS,		/* it runs until a limit of time or memory ends it */
	AUDIT_READS,		/* it runs, and shows data that it must not show */
	AUDIT_OUTLIVES		/* it runs, and its effect outlives a rollback */
};

/* The privilege of the account that an input needs. */
enum audit_account {
	AUDIT_ANYONE,		/* none */
	AUDIT_WRITER,		/* to write into some table */
	AUDIT_CREATOR,		/* to create something in the database */
	AUDIT_TEMPORARY,	/* to create temporary tables */
	AUDIT_SUPERUSER,
	AUDIT_SERVER_FILES_READ,	/* the role pg_read_server_files */
	AUDIT_SERVER_FILES_WRITE,	/* the role pg_write_server_files */
	AUDIT_SERVER_PROGRAMS,	/* the role pg_execute_server_program */
	AUDIT_MONITOR,		/* the role pg_monitor */
	AUDIT_SIGNALS,		/* the role pg_signal_backend */
	AUDIT_FUNCTION,		/* to call the function `what` */
	AUDIT_RELATION		/* to read the relation `what` */
};

struct audit_input {
	enum audit_kind		 kind;
	const char		*group;		/* "files"; docs/guard.md explains each */
	enum audit_session	 session;	/* hostile inputs only */
	enum audit_account	 account;
	const char		*what;		/* the function or relation that account needs; else NULL */
	const char		*sql;
};

/* A table is an array of struct audit_input that includes its file, in the engine's own code. */
#define HONEST(group, sql)	{ AUDIT_HONEST, group, AUDIT_TRY, AUDIT_ANYONE, NULL, sql },
#define HOSTILE(group, session, account, what, sql)	\
	{ AUDIT_HOSTILE, group, AUDIT_##session, AUDIT_##account, what, sql },
