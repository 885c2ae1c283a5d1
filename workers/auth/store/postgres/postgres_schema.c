/*
 * postgres_schema.c - the tables of the store on PostgreSQL, step by step.
 *
 * Nodes are upgraded one after the other, so that programs of two versions work on the same tables.  Each step says
 * which programs do (postgres_step.least): a version adds what it needs (expand), all nodes are brought to it (roll),
 * and a later version removes what no program uses any more (contract).  One node migrates, in one transaction under a
 * lock of that transaction; the others wait for it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/system/log.h"
#include "workers/auth/store/postgres/postgres_admit.h"
#include "workers/auth/store/postgres/postgres_files.h"
#include "workers/auth/store/postgres/postgres_guess.h"
#include "workers/auth/store/postgres/postgres_schema.h"

#define MIGRATE_MS	60000

/*
 * A released step never changes.  As in SQLite's tables: times are Unix milliseconds, 0: never; scopes are the bits of
 * policy/scopes.def.  Texts are compared byte by byte.
 */
const struct postgres_step postgres_steps[] = {
	{ 1,
	    "CREATE TABLE setting(key text COLLATE \"C\" PRIMARY KEY, value text NOT NULL);"
	    "CREATE TABLE token(id text COLLATE \"C\" PRIMARY KEY, label text COLLATE \"C\" NOT NULL, mac bytea,"
	    " last text, scopes bigint NOT NULL, created bigint NOT NULL, expires bigint NOT NULL,"
	    " last_used bigint NOT NULL DEFAULT 0, requests bigint NOT NULL DEFAULT 0,"
	    " revoked bigint NOT NULL DEFAULT 0);"
	    "CREATE INDEX token_label ON token(label);"
	    "CREATE TABLE account(name text COLLATE \"C\" PRIMARY KEY, role text COLLATE \"C\" NOT NULL, digest text,"
	    " disabled bigint NOT NULL, created bigint NOT NULL, changed bigint NOT NULL,"
	    " last_login bigint NOT NULL DEFAULT 0);"
	    "CREATE TABLE client(id text COLLATE \"C\" PRIMARY KEY, name text NOT NULL, source bigint NOT NULL,"
	    " redirects text NOT NULL, created bigint NOT NULL, last_used bigint NOT NULL DEFAULT 0);"
	    "CREATE INDEX client_age ON client(source, created);"
	    "CREATE TABLE client_grant(id text COLLATE \"C\" PRIMARY KEY, account text COLLATE \"C\" NOT NULL,"
	    " client text COLLATE \"C\" NOT NULL, scopes bigint NOT NULL, resource text NOT NULL, issuer text NOT NULL,"
	    " turn bigint NOT NULL, turned bigint NOT NULL, turned_for text NOT NULL, created bigint NOT NULL,"
	    " last_used bigint NOT NULL, expires bigint NOT NULL, ended bigint NOT NULL DEFAULT 0);"
	    "CREATE INDEX client_grant_account ON client_grant(account);"
	    "CREATE INDEX client_grant_client ON client_grant(client);"
	    "CREATE TABLE code(digest bytea PRIMARY KEY, account text COLLATE \"C\" NOT NULL,"
	    " client text COLLATE \"C\" NOT NULL, redirect text NOT NULL, resource text NOT NULL, issuer text NOT NULL,"
	    " challenge text NOT NULL, scopes bigint NOT NULL, created bigint NOT NULL, expires bigint NOT NULL,"
	    " used bigint NOT NULL DEFAULT 0, made text COLLATE \"C\");"
	    "CREATE TABLE login(digest bytea PRIMARY KEY, account text COLLATE \"C\" NOT NULL, created bigint NOT NULL,"
	    " expires bigint NOT NULL);"
	    "CREATE INDEX login_account ON login(account);"
	    "CREATE TABLE consent(account text COLLATE \"C\" NOT NULL, client text COLLATE \"C\" NOT NULL,"
	    " redirect text COLLATE \"C\" NOT NULL, scopes bigint NOT NULL, at bigint NOT NULL,"
	    " PRIMARY KEY(account, client, redirect));"
	    "CREATE TABLE preference(principal text COLLATE \"C\" PRIMARY KEY, value text NOT NULL);"
	    "CREATE TABLE signing_key(kid text COLLATE \"C\" PRIMARY KEY, sealed bytea NOT NULL, public bytea NOT NULL,"
	    " created bigint NOT NULL, until bigint NOT NULL DEFAULT 0);"
	    "CREATE TABLE dataset(id text COLLATE \"C\" PRIMARY KEY, name text COLLATE \"C\" NOT NULL,"
	    " connection text COLLATE \"C\" NOT NULL, db text COLLATE \"C\" NOT NULL, tbl text COLLATE \"C\" NOT NULL,"
	    " description text NOT NULL, type text NOT NULL, created bigint NOT NULL,"
	    " published bigint NOT NULL DEFAULT 1, since bigint NOT NULL DEFAULT 0);"
	    "CREATE UNIQUE INDEX dataset_table ON dataset(connection, db, tbl);"
	    "CREATE UNIQUE INDEX dataset_name ON dataset(lower(name)) WHERE published = 1;"
	    /* Incremented by each commit of a change; not by store_begin_uses(). */
	    "CREATE TABLE revision(number bigint NOT NULL);"
	    "INSERT INTO revision VALUES(1);" },
	/* The team's tools that a token may call, blanks around each. */
	{ 1, "ALTER TABLE token ADD COLUMN tools text COLLATE \"C\" NOT NULL DEFAULT '';" },
	/*
	 * What nodes say of themselves: epoch, a number of the process; confirmed, the revision that a node has acted
	 * upon; until, its lease.  Each writes it four times a second, and it is of no use after a crash of the
	 * server: not logged, so that no standby is waited for.
	 */
	{ 3,
	    "CREATE UNLOGGED TABLE node(name text COLLATE \"C\" PRIMARY KEY, id text COLLATE \"C\" NOT NULL,"
	    " epoch bigint NOT NULL, confirmed bigint NOT NULL, until bigint NOT NULL);" },
	/* Counts of calls, for a minute at most; not logged either. */
	{ 4,
	    "CREATE UNLOGGED TABLE rate(name text COLLATE \"C\" NOT NULL, second bigint NOT NULL, n bigint NOT NULL,"
	    " PRIMARY KEY(name, second));"
	    "CREATE UNLOGGED TABLE in_flight(name text COLLATE \"C\" NOT NULL, node text COLLATE \"C\" NOT NULL,"
	    " epoch bigint NOT NULL, n bigint NOT NULL, PRIMARY KEY(name, node));" POSTGRES_ADMIT("CREATE", "") },
	/* What tells a store that lost commits (store_loss.h); of marks the newest hundred thousand are kept. */
	{ 5,
	    "ALTER TABLE revision ADD COLUMN identity bigint NOT NULL DEFAULT 1 + floor(random() * 9007199254740990),"
	    " ADD COLUMN epoch bigint NOT NULL DEFAULT 1, ADD COLUMN recovered bigint NOT NULL DEFAULT 0;"
	    "CREATE TABLE mark(number bigint PRIMARY KEY, mark bigint NOT NULL, at bigint NOT NULL);" },
	/* A node that has calls which count no more is told where they keep another's call from beginning. */
	{ 5, POSTGRES_ADMIT("CREATE OR REPLACE", POSTGRES_WANTED) },
	/* Device grants, as in SQLite's tables. */
	{ 5,
	    "CREATE TABLE device(digest bytea PRIMARY KEY, word bytea NOT NULL UNIQUE,"
	    " client text COLLATE \"C\" NOT NULL, scopes bigint NOT NULL, resource text NOT NULL, issuer text NOT NULL,"
	    " address text NOT NULL, created bigint NOT NULL, expires bigint NOT NULL,"
	    " polled bigint NOT NULL DEFAULT 0, pause bigint NOT NULL, state bigint NOT NULL DEFAULT 0,"
	    " account text COLLATE \"C\" NOT NULL DEFAULT '', made text COLLATE \"C\" NOT NULL DEFAULT '');" },
	/* Wrong passwords and credentials, for a quarter of an hour at most; and values that are good once. */
	{ 5,
	    POSTGRES_GUESS "CREATE TABLE nonce(digest bytea PRIMARY KEY, until bigint NOT NULL);" },
	/*
	 * Legacy sessions that ended before their ids expire: numbers are in the order of commits.  Tasks, for a
	 * quarter of an hour; outcome is encrypted.
	 */
	{ 5,
	    "CREATE TABLE session_over(number bigserial PRIMARY KEY, id bytea NOT NULL UNIQUE,"
	    " expires bigint NOT NULL);"
	    "CREATE FUNCTION session_ends(session bytea, at bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN"
	    " PERFORM pg_advisory_xact_lock(1130459756, 3);"
	    " DELETE FROM session_over WHERE expires < floor(extract(epoch FROM clock_timestamp()));"
	    " INSERT INTO session_over(id, expires) VALUES(session, at) ON CONFLICT (id) DO NOTHING;"
	    " PERFORM pg_notify('carrel_word', 'session'); RETURN 1; END $$;"
	    "CREATE UNLOGGED TABLE task(id text COLLATE \"C\" PRIMARY KEY, owner bytea NOT NULL,"
	    " node text COLLATE \"C\" NOT NULL, status bigint NOT NULL, message text NOT NULL, created bigint NOT NULL,"
	    " updated bigint NOT NULL, until bigint NOT NULL, large bigint NOT NULL, outcome bytea,"
	    " cancel bigint NOT NULL DEFAULT 0);"
	    "CREATE INDEX task_cancel ON task(node) WHERE cancel = 1;" },
	/* A program that does not know claims refuses what needs them; it may go on. */
	{ 5, "CREATE TABLE claim(principal text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL);" },
	/*
	 * Which revision of the project a node has.  Notes for the node that writes it: in the order in which they
	 * were accepted, encrypted, until a day after they were written; of the same content within ten minutes the
	 * first is meant.  Authorizations, registrations and codes of devices, counted like guesses.
	 */
	{ 5,
	    "ALTER TABLE node ADD COLUMN project text NOT NULL DEFAULT '', ADD COLUMN behind bigint NOT NULL DEFAULT 0;"
	    "CREATE TABLE note(number bigserial PRIMARY KEY, id text COLLATE \"C\" NOT NULL UNIQUE,"
	    " node text COLLATE \"C\" NOT NULL, at bigint NOT NULL, until bigint NOT NULL DEFAULT 0,"
	    " state bigint NOT NULL DEFAULT 0, writer text COLLATE \"C\" NOT NULL DEFAULT '', sealed bytea NOT NULL);"
	    "CREATE INDEX note_open ON note(number) WHERE state < 3;"
	    "CREATE FUNCTION note_offer(given text, from_node text, kept bytea, most bigint, same_ms bigint)"
	    " RETURNS text LANGUAGE plpgsql AS $$ DECLARE now_ms bigint; found text; BEGIN"
	    " PERFORM pg_advisory_xact_lock(1130459756, 4);"
	    " now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);"
	    " SELECT n.id INTO found FROM note n WHERE right(n.id, 24) = right(given, 24) AND n.state <> 4"
	    " AND n.at > now_ms - same_ms ORDER BY n.number DESC LIMIT 1;"
	    " IF found IS NOT NULL THEN RETURN found; END IF;"
	    " IF (SELECT count(*) FROM note n WHERE n.state < 3) >= most THEN RETURN ''; END IF;"
	    " DELETE FROM note n WHERE n.state > 2 AND n.until < now_ms;"
	    " INSERT INTO note(id, node, at, sealed) VALUES(given, from_node, now_ms, kept);"
	    " PERFORM pg_notify('carrel_word', 'note'); RETURN given; END $$;" POSTGRES_EVENTS },
	/*
	 * Copies of the nodes' audits (store_copies.h), a chain a node.  entry is encrypted; at: as the entry has it.
	 * A program that does not copy its audit may go on: its node has uncopied -1.
	 */
	{ 5,
	    "CREATE TABLE audit_copy(chain bytea NOT NULL, seq bigint NOT NULL, at text COLLATE \"C\" NOT NULL,"
	    " checkpoint bigint NOT NULL, receipt bigint, hash bytea NOT NULL, entry bytea NOT NULL,"
	    " PRIMARY KEY(chain, seq));"
	    "CREATE INDEX audit_copy_at ON audit_copy(at, chain, seq);"
	    "CREATE INDEX audit_copy_receipt ON audit_copy(receipt) WHERE receipt IS NOT NULL;"
	    "CREATE TABLE audit_chain(chain bytea PRIMARY KEY, node text COLLATE \"C\" NOT NULL, seq bigint NOT NULL,"
	    " hash bytea NOT NULL, mac bytea NOT NULL, kept bigint NOT NULL, point bigint NOT NULL,"
	    " point_hash bytea NOT NULL, substance bigint NOT NULL, days bigint NOT NULL, at bigint NOT NULL);"
	    "REVOKE ALL ON audit_copy, audit_chain FROM PUBLIC;"
	    "ALTER TABLE node ADD COLUMN uncopied bigint NOT NULL DEFAULT -1;" },
	/* The team's tools that a user granted by name.  A program that does not know them grants none. */
	{ 5,
	    "ALTER TABLE client_grant ADD COLUMN tools text COLLATE \"C\" NOT NULL DEFAULT '';"
	    "ALTER TABLE code ADD COLUMN tools text COLLATE \"C\" NOT NULL DEFAULT '';"
	    "ALTER TABLE device ADD COLUMN tools text COLLATE \"C\" NOT NULL DEFAULT '';"
	    "ALTER TABLE consent ADD COLUMN tools text COLLATE \"C\" NOT NULL DEFAULT '';" },
	/* Imported files and documents, in pieces.  Names, contents and their digests are encrypted or keyed. */
	{ 5, POSTGRES_FILES },
	/*
	 * What one node asks the node that writes the project to do (store_handover.h); encrypted.  How many files a
	 * node lacks, -1: it does not say.
	 */
	{ 5,
	    "CREATE TABLE handover(number bigserial PRIMARY KEY, id text COLLATE \"C\" NOT NULL UNIQUE,"
	    " node text COLLATE \"C\" NOT NULL, writer text COLLATE \"C\" NOT NULL DEFAULT '', until bigint NOT NULL,"
	    " state bigint NOT NULL DEFAULT 0, begun bigint NOT NULL DEFAULT 0, sealed bytea NOT NULL);"
	    "ALTER TABLE node ADD COLUMN missing bigint NOT NULL DEFAULT -1;" },
};

const int postgres_nsteps = sizeof(postgres_steps) / sizeof(postgres_steps[0]);

/* The steps that were taken, 0: there are no tables; and how many a program must know. */
static int
read_version(struct postgres_link *l, int64_t *taken, int64_t *least, struct err *err)
{
	int64_t there = 0;

	*taken = *least = 0;
	if (postgres_link_number(l,
		"SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
		" WHERE n.nspname = 'carrel' AND c.relname = 'version'",
		&there, err) != 0)
		return -1;
	if (there == 0)
		return 0;
	return postgres_link_number(l, "SELECT taken FROM version", taken, err) != 0 ?
	    -1 :
	    postgres_link_number(l, "SELECT least FROM version", least, err);
}

static int
check_version(struct postgres_link *l, int known, int64_t *taken, struct err *err)
{
	int64_t least;

	if (read_version(l, taken, &least, err) != 0)
		return -1;
	if (least > known)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store needs a newer Carrel (its tables are of version %lld, this one knows version %d): "
		    "upgrade this node",
		    (long long)*taken, known);
	return 0;
}

static int
take_steps(struct postgres_link *l, const struct postgres_step *steps, int from, int n, struct err *err)
{
	int least = 1;
	char *mark;
	int result;

	for (int i = from; i < n; i++)
		if (postgres_link_do(l, steps[i].sql, err) != 0)
			return -1;
	for (int i = 0; i < n; i++)
		least = steps[i].least > least ? steps[i].least : least;
	mark = mem_printf("DELETE FROM version; INSERT INTO version VALUES(%d, %d)", n, least);
	result = postgres_link_do(l, mark, err);
	free(mark);
	return result;
}

static int
migrate_within(struct postgres_link *l, const struct postgres_step *steps, int n, struct err *err)
{
	int64_t taken, there = 0;

	/* Another node may have migrated while this one waited. */
	if (check_version(l, n, &taken, err) != 0)
		return -1;
	if (taken >= n)
		return 0;
	/* Creating a schema that exists needs the right to create one. */
	if (postgres_link_number(l, "SELECT count(*) FROM pg_namespace WHERE nspname = 'carrel'", &there, err) != 0 ||
	    (there == 0 && postgres_link_do(l, "CREATE SCHEMA carrel", err) != 0) ||
	    (taken == 0 &&
		postgres_link_do(l, "CREATE TABLE version(taken int NOT NULL, least int NOT NULL)", err) != 0) ||
	    take_steps(l, steps, (int)taken, n, err) != 0)
		return -1;
	log_info("the tables of the state store were brought from version %lld to %d", (long long)taken, n);
	return 0;
}

int
postgres_schema_migrate(struct postgres_link *l, const struct postgres_step *steps, int n, struct err *err)
{
	unsigned patience = l->patience_ms;
	int64_t taken;
	int result;

	if (check_version(l, n, &taken, err) != 0)
		return -1;
	if (taken >= n)
		return 0;
	l->patience_ms = 2 * MIGRATE_MS;
	result = postgres_link_do(l,
	    "BEGIN; SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 60000;"
	    " SET LOCAL idle_in_transaction_session_timeout = 60000; SELECT pg_advisory_xact_lock(" POSTGRES_SCHEMA_LOCK
	    ")",
	    err);
	if (result == 0)
		result = migrate_within(l, steps, n, err);
	if (result == 0)
		result = postgres_link_do(l, "COMMIT", err);
	else
		(void)postgres_link_do(l, "ROLLBACK", NULL);
	l->patience_ms = patience;
	return result;
}
