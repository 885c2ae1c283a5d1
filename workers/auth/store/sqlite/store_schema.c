#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/profile.h"
#include "workers/auth/store/sqlite/store_schema.h"

#define APPLICATION	0x4361726c	/* "Carl", SQLite's application id: marks the file as a state store */

/*
 * Step i migrates version i to version i + 1.  A released step never changes.  Times are Unix milliseconds, 0: never;
 * scopes are the bits of policy/scopes.def.
 */
const char *const store_steps[] = {
	"CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	/* mac: HMAC-SHA256 of the secret; NULL: pending. */
	"CREATE TABLE token(id TEXT PRIMARY KEY, label TEXT NOT NULL, mac BLOB, last TEXT, scopes INTEGER NOT NULL,"
	" created INTEGER NOT NULL, expires INTEGER NOT NULL, last_used INTEGER NOT NULL DEFAULT 0,"
	" requests INTEGER NOT NULL DEFAULT 0, revoked INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE INDEX token_label ON token(label);"
	/* A documented format: docs/audit.md. */
	"CREATE TABLE audit(seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, hash TEXT NOT NULL);"
	/* Receipt numbers grow: cheaper than an index on their text. */
	"CREATE TABLE audit_receipt(number INTEGER PRIMARY KEY, seq INTEGER NOT NULL);"
	"CREATE TABLE audit_head(seq INTEGER NOT NULL, hash TEXT NOT NULL, mac TEXT NOT NULL);",

	/* digest: Argon2id's encoded form; empty: only a proxy signs the user in. */
	"CREATE TABLE account(name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT, disabled INTEGER NOT NULL,"
	" created INTEGER NOT NULL, changed INTEGER NOT NULL, last_login INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	/* redirects: one a line. */
	"CREATE TABLE client(id TEXT PRIMARY KEY, name TEXT NOT NULL, source INTEGER NOT NULL, redirects TEXT NOT NULL,"
	" created INTEGER NOT NULL, last_used INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE INDEX client_age ON client(source, created);"
	/* turn: the number of the newest refresh token. */
	"CREATE TABLE client_grant(id TEXT PRIMARY KEY, account TEXT NOT NULL, client TEXT NOT NULL,"
	" scopes INTEGER NOT NULL, resource TEXT NOT NULL, issuer TEXT NOT NULL, turn INTEGER NOT NULL,"
	" turned INTEGER NOT NULL, turned_for TEXT NOT NULL, created INTEGER NOT NULL, last_used INTEGER NOT NULL,"
	" expires INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE INDEX client_grant_account ON client_grant(account);"
	"CREATE INDEX client_grant_client ON client_grant(client);"
	/* digest: BLAKE2b of the random secret, also in login. */
	"CREATE TABLE code(digest BLOB PRIMARY KEY, account TEXT NOT NULL, client TEXT NOT NULL,"
	" redirect TEXT NOT NULL, resource TEXT NOT NULL, issuer TEXT NOT NULL, challenge TEXT NOT NULL, scopes INTEGER NOT NULL,"
	" created INTEGER NOT NULL, expires INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, made TEXT)"
	" WITHOUT ROWID;"
	"CREATE TABLE login(digest BLOB PRIMARY KEY, account TEXT NOT NULL, created INTEGER NOT NULL,"
	" expires INTEGER NOT NULL) WITHOUT ROWID;"
	"CREATE INDEX login_account ON login(account);"
	"CREATE TABLE consent(account TEXT NOT NULL, client TEXT NOT NULL, scopes INTEGER NOT NULL,"
	" at INTEGER NOT NULL, PRIMARY KEY(account, client)) WITHOUT ROWID;"
	/* principal: user:<name>, local:<uid> and the like; value: JSON. */
	"CREATE TABLE preference(principal TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	/* sealed: the seed, encrypted with a key derived from the project's key. */
	"CREATE TABLE signing_key(kid TEXT PRIMARY KEY, sealed BLOB NOT NULL, public BLOB NOT NULL,"
	" created INTEGER NOT NULL, until INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;",

	/* An unpublished dataset keeps its row: published again, the table has the same id. */
	"CREATE TABLE dataset(id TEXT PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, connection TEXT NOT NULL,"
	" db TEXT NOT NULL, tbl TEXT NOT NULL, description TEXT NOT NULL, type TEXT NOT NULL,"
	" created INTEGER NOT NULL, published INTEGER NOT NULL DEFAULT 1) WITHOUT ROWID;"
	"CREATE UNIQUE INDEX dataset_table ON dataset(connection, db, tbl);"
	"CREATE UNIQUE INDEX dataset_name ON dataset(name) WHERE published = 1;",

	/*
	 * The receipts of successive entries from seq on: one byte for each, its number's distance from `number`.  A
	 * row per entry, as in audit_receipt, cost half as much as the entry; that table keeps the receipts of earlier
	 * versions.
	 */
	("CREATE TABLE audit_receipts(number INTEGER NOT NULL, seq INTEGER NOT NULL, behind BLOB NOT NULL,"
	 " PRIMARY KEY(number, seq)) WITHOUT ROWID;"),

	/* since: the time of the last publication. */
	"ALTER TABLE dataset ADD COLUMN since INTEGER NOT NULL DEFAULT 0;",

	/* A consent is for one redirect: another port of this machine is another program. */
	"ALTER TABLE consent RENAME TO consent_before;"
	"CREATE TABLE consent(account TEXT NOT NULL, client TEXT NOT NULL, redirect TEXT NOT NULL,"
	" scopes INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(account, client, redirect)) WITHOUT ROWID;"
	"INSERT INTO consent SELECT account, client, '', scopes, at FROM consent_before;"
	"DROP TABLE consent_before;",

	/* The team's tools that a token may call, blanks around each. */
	"ALTER TABLE token ADD COLUMN tools TEXT NOT NULL DEFAULT '';",

	/*
	 * Device grants.  digest: of the device's code; word: of the user's, under a key; state: enum
	 * store_device_state; made: the grant that it made.
	 */
	"CREATE TABLE device(digest BLOB PRIMARY KEY, word BLOB NOT NULL, client TEXT NOT NULL,"
	" scopes INTEGER NOT NULL, resource TEXT NOT NULL, issuer TEXT NOT NULL, address TEXT NOT NULL,"
	" created INTEGER NOT NULL, expires INTEGER NOT NULL, polled INTEGER NOT NULL DEFAULT 0,"
	" pause INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, account TEXT NOT NULL DEFAULT '',"
	" made TEXT NOT NULL DEFAULT '') WITHOUT ROWID;"
	"CREATE UNIQUE INDEX device_word ON device(word);",

	/* Values that are good once, and were used: until when they must be remembered. */
	"CREATE TABLE nonce(digest BLOB PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;",

	/* principal: user:<name> or token:<id>; value: msgpack, texts by their names. */
	"CREATE TABLE claim(principal TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;",

	/*
	 * Copies of audits that came with a store that nodes shared (store_copies.h).  They are seldom read: without
	 * an index, a search reads all of them.
	 */
	"CREATE TABLE audit_copy(chain BLOB NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL,"
	" checkpoint INTEGER NOT NULL, receipt INTEGER, hash BLOB NOT NULL, entry BLOB NOT NULL,"
	" PRIMARY KEY(chain, seq)) WITHOUT ROWID;"
	"CREATE TABLE audit_chain(chain BLOB PRIMARY KEY, node TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,"
	" mac BLOB NOT NULL, kept INTEGER NOT NULL, point INTEGER NOT NULL, point_hash BLOB NOT NULL,"
	" substance INTEGER NOT NULL, days INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;",

	/* The team's tools that a user granted by name, blanks around each. */
	"ALTER TABLE client_grant ADD COLUMN tools TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE code ADD COLUMN tools TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE device ADD COLUMN tools TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE consent ADD COLUMN tools TEXT NOT NULL DEFAULT '';",
};

const int store_nsteps = sizeof(store_steps) / sizeof(store_steps[0]);

int
store_read_number(struct store_sqlite *s, const char *query, int *value, struct err *err)
{
	sqlite3_stmt *q = NULL;
	int code = sqlite3_prepare_v2(s->db, query, -1, &q, NULL);

	if (code == SQLITE_OK && (code = sqlite3_step(q)) == SQLITE_ROW)
		*value = sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return code == SQLITE_ROW ? 0 : store_fail(s, code, err);
}

/* The version of the tables in *version; 0: the store is empty. */
static int
check_version(struct store_sqlite *s, int known, int *version, struct err *err)
{
	int application, pages;

	if (store_read_number(s, "PRAGMA application_id", &application, err) != 0 ||
	    store_read_number(s, "PRAGMA user_version", version, err) != 0 ||
	    store_read_number(s, "SELECT count(*) FROM sqlite_schema", &pages, err) != 0)
		return -1;
	if (*version == 0 && application == 0 && pages == 0)
		return 0;
	if (application != APPLICATION)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the file of the state store is another program's database: name another one in `state`, or move "
		    "it "
		    "away");
	if (*version < 1 || *version > known)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the state store was written by a newer Carrel (its version is %d, this one reads up to %d): run "
		    "that one again, or put %s%s, the copy from before, in its place",
		    *version, known, s->path, POLICY_STATE_BEFORE);
	return 0;
}

static int
copy_pages(struct store_sqlite *s, sqlite3 *from, sqlite3 *to, struct err *err)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
	int code = b == NULL ? sqlite3_errcode(to) : sqlite3_backup_step(b, -1);

	if (b != NULL)
		(void)sqlite3_backup_finish(b);
	return code == SQLITE_DONE ? 0 : store_fail(s, code, err);
}

/*
 * Copies over a second connection while s holds the write lock.  The copy has no journal; an interrupted copy is made
 * again, as the store is still of the old version.
 */
static int
copy_store(struct store_sqlite *s, struct err *err)
{
	char *path = mem_printf("%s%s", s->path, POLICY_STATE_BEFORE);
	sqlite3 *from = NULL, *to = NULL;
	int keep = 1, fd = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC), code, result = -1;

	if (fd >= 0)
		close(fd);
	if (fd < 0)
		err_set(err, ERR_SERVICE_UNAVAILABLE, "the copy of the state store, %s%s, cannot be written", s->path,
		    POLICY_STATE_BEFORE);
	else if ((code = sqlite3_open_v2(s->path, &from, SQLITE_OPEN_READWRITE, NULL)) != SQLITE_OK ||
	    (code = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE, NULL)) != SQLITE_OK ||
	    (code = sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL", NULL, NULL, NULL)) !=
		SQLITE_OK)
		(void)store_fail(s, code, err);
	else {
		(void)sqlite3_file_control(from, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
		result = copy_pages(s, from, to, err);
	}
	sqlite3_close(to);
	sqlite3_close(from);
	free(path);
	return result;
}

static int
store_step(struct store_sqlite *s, const char *const *steps, int from, int n, struct err *err)
{
	char mark[96];

	for (int i = from; i < n; i++)
		if (store_exec(s, steps[i], err) != 0)
			return -1;
	snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, n);
	return store_exec(s, mark, err);
}

int
store_migrate(struct store_sqlite *s, const char *const *steps, int n, struct err *err)
{
	int version, result;

	if (check_version(s, n, &version, err) != 0)
		return -1;
	if (version == n)
		return 0;
	if (store_begin(&s->base, err) != 0)
		return -1;
	/* Another process may have migrated while we waited. */
	result = check_version(s, n, &version, err);
	if (result == 0 && version > 0 && version < n)
		result = copy_store(s, err);
	if (result == 0 && version < n)
		result = store_step(s, steps, version, n, err);
	(void)fault_point("auth.before_migration_commit");
	if (result == 0 && store_commit(&s->base, err) == 0) {
		if (version > 0 && version < n)
			log_info("the state store was brought from version %d to %d", version, n);
		return 0;
	}
	store_rollback(&s->base);
	return -1;
}
