/* store_sqlite - shared by the store's SQLite files; not for others. */
#pragma once

#include <sys/types.h>

#include <sqlite3.h>

#include "workers/auth/store/store.h"

/* The prepared statements. */
#define STORE_STATEMENTS(S) \
	S(DATA_VERSION, "PRAGMA data_version") \
	S(BEGIN, "BEGIN IMMEDIATE") \
	S(BEGIN_LOOK, "BEGIN") \
	S(COMMIT, "COMMIT") \
	S(SETTING, "SELECT value FROM setting WHERE key = ?1") \
	S(SET_SETTING, "INSERT INTO setting(key, value) VALUES(?1, ?2)" \
	    " ON CONFLICT(key) DO UPDATE SET value = excluded.value") \
	S(TOKEN_ADD, "INSERT INTO token(id, label, mac, last, scopes, created, expires)" \
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)") \
	S(TOKEN_FROM, "SELECT " STORE_TOKEN_COLUMNS " FROM token WHERE id >= ?1 ORDER BY id LIMIT 1") \
	S(TOKEN_UP_TO, "SELECT " STORE_TOKEN_COLUMNS " FROM token WHERE id < ?1 ORDER BY id DESC LIMIT 1") \
	S(TOKEN_LABELLED, "SELECT id, count(*) FROM token WHERE label = ?1") \
	S(TOKENS, "SELECT " STORE_TOKEN_COLUMNS " FROM token ORDER BY created, id") \
	S(TOKEN_REVEAL, "UPDATE token SET mac = ?2, last = ?3 WHERE id = ?1 AND mac IS NULL") \
	S(TOKEN_REVOKE, "UPDATE token SET revoked = ?2 WHERE id = ?1 AND revoked = 0") \
	S(TOKEN_LAPSE, "UPDATE token SET expires = created + ?2 WHERE id = ?1 AND mac IS NULL AND revoked = 0") \
	S(TOKEN_USED, "UPDATE token SET requests = requests + ?2, last_used = max(last_used, ?3) WHERE id = ?1") \
	S(USER_ADD, "INSERT INTO account(name, role, digest, disabled, created, changed)" \
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?5)") \
	S(USER, "SELECT " STORE_USER_COLUMNS ", 0, 0 FROM account WHERE name = ?1") \
	S(USERS, "SELECT " STORE_USER_COLUMNS ", (SELECT count(*) FROM client_grant g WHERE g.account = name" \
	    " AND g.ended = 0 AND g.expires > ?1), (SELECT count(*) FROM login l WHERE l.account = name AND" \
	    " l.expires > ?1) FROM account ORDER BY name") \
	S(USERS_OF_ROLE, "SELECT count(*) FROM account WHERE role = ?1 AND disabled = 0") \
	S(USER_SET, "UPDATE account SET role = ?2, digest = ?3, disabled = ?4, changed = ?5 WHERE name = ?1") \
	S(USER_LOGIN, "UPDATE account SET last_login = ?2 WHERE name = ?1") \
	S(USER_REMOVE, "DELETE FROM account WHERE name = ?1") \
	S(CLIENT_ADD, "INSERT INTO client(id, name, source, redirects, created) VALUES(?1, ?2, ?3, ?4, ?5)") \
	S(CLIENT, "SELECT " STORE_CLIENT_COLUMNS ", 0 FROM client WHERE id = ?1") \
	S(CLIENTS, "SELECT " STORE_CLIENT_COLUMNS ", (SELECT count(*) FROM client_grant g WHERE g.client = client.id" \
	    " AND g.ended = 0 AND g.expires > ?1) FROM client ORDER BY created, id") \
	S(CLIENT_DESCRIBE, "UPDATE client SET name = ?2, redirects = ?3 WHERE id = ?1") \
	S(CLIENT_USED, "UPDATE client SET last_used = ?2 WHERE id = ?1") \
	S(CLIENT_REMOVE, "DELETE FROM client WHERE id = ?1") \
	S(CLIENTS_COUNT, "SELECT count(*) FROM client") \
	S(CLIENTS_DROP, "DELETE FROM client WHERE id IN (SELECT c.id FROM client c WHERE c.source IN (?1, ?5) AND" \
	    " c.created < ?2 AND NOT EXISTS(SELECT 1 FROM client_grant g WHERE g.client = c.id AND g.ended = 0" \
	    " AND g.expires > ?3) ORDER BY c.created LIMIT ?4)") \
	S(GRANT_ADD, "INSERT INTO client_grant(id, account, client, scopes, resource, issuer, turn, turned," \
	    " turned_for, created, last_used, expires) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11)") \
	S(GRANT, "SELECT " STORE_GRANT_COLUMNS ", '' FROM client_grant g WHERE g.id = ?1") \
	S(GRANT_TURN, "UPDATE client_grant SET turn = turn + 1, turned = ?3, last_used = ?3, turned_for = ?4," \
	    " expires = ?5 WHERE id = ?1 AND turn = ?2 AND ended = 0") \
	S(GRANT_USED, "UPDATE client_grant SET last_used = max(last_used, ?2) WHERE id = ?1") \
	S(GRANT_END, "UPDATE client_grant SET ended = ?2 WHERE id = ?1 AND ended = 0") \
	S(GRANTS_END_OF_USER, "UPDATE client_grant SET ended = ?2 WHERE account = ?1 AND ended = 0 AND expires > ?2") \
	S(GRANTS_END_OF_CLIENT, "UPDATE client_grant SET ended = ?2 WHERE client = ?1 AND ended = 0 AND expires > ?2") \
	S(GRANTS, "SELECT " STORE_GRANT_COLUMNS ", coalesce(c.name, '') FROM client_grant g LEFT JOIN client c" \
	    " ON c.id = g.client WHERE (?1 = '' OR g.account = ?1) AND (?2 = '' OR g.client = ?2) AND" \
	    " CASE ?3 WHEN 0 THEN g.ended = 0 AND g.expires > ?4 ELSE g.ended >= ?3 END ORDER BY g.created, g.id") \
	S(CODE_ADD, "INSERT INTO code(digest, account, client, redirect, resource, issuer, challenge, scopes," \
	    " created, expires) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)") \
	S(CODE_TAKE, "UPDATE code SET used = ?2 WHERE digest = ?1 AND used = 0") \
	S(CODE, "SELECT account, client, redirect, resource, issuer, challenge, scopes, created, expires, made" \
	    " FROM code WHERE digest = ?1") \
	S(CODE_GRANTED, "UPDATE code SET made = ?2 WHERE digest = ?1") \
	S(CODES_END, "DELETE FROM code WHERE account = ?1 AND used = 0") \
	S(LOGIN_ADD, "INSERT INTO login(digest, account, created, expires) VALUES(?1, ?2, ?3, ?4)") \
	S(LOGIN, "SELECT account, created, expires FROM login WHERE digest = ?1") \
	S(LOGIN_END, "DELETE FROM login WHERE digest = ?1") \
	S(LOGINS_END, "DELETE FROM login WHERE account = ?1") \
	S(CONSENTS_SWEEP, "DELETE FROM consent WHERE NOT EXISTS(SELECT 1 FROM client c WHERE c.id = consent.client)") \
	S(CONSENT, "SELECT scopes, at, redirect = ?3 FROM consent WHERE account = ?1 AND client = ?2" \
	    " ORDER BY redirect = ?3 DESC, at DESC LIMIT 1") \
	S(CONSENT_SET, "INSERT INTO consent(account, client, redirect, scopes, at) VALUES(?1, ?2, ?3, ?4, ?5)" \
	    " ON CONFLICT(account, client, redirect) DO UPDATE SET scopes = excluded.scopes, at = excluded.at") \
	S(CONSENTS_TRIM, "DELETE FROM consent WHERE account = ?1 AND client = ?2 AND redirect NOT IN" \
	    " (SELECT redirect FROM consent WHERE account = ?1 AND client = ?2 ORDER BY at DESC, redirect LIMIT ?3)") \
	S(CONSENTS_OF_USER_REMOVE, "DELETE FROM consent WHERE account = ?1") \
	S(CONSENTS_OF_CLIENT_REMOVE, "DELETE FROM consent WHERE client = ?1") \
	S(PREFERENCES, "SELECT value FROM preference WHERE principal = ?1") \
	S(PREFERENCES_SET, "INSERT INTO preference(principal, value) VALUES(?1, ?2)" \
	    " ON CONFLICT(principal) DO UPDATE SET value = excluded.value") \
	S(PREFERENCES_REMOVE, "DELETE FROM preference WHERE principal = ?1") \
	S(KEY_ADD, "INSERT INTO signing_key(kid, sealed, public, created, until) VALUES(?1, ?2, ?3, ?4, ?5)") \
	S(KEYS, "SELECT kid, sealed, public, created, until FROM signing_key" \
	    " ORDER BY until = 0 DESC, created DESC, kid") \
	S(KEYS_RETIRE, "UPDATE signing_key SET until = ?1 WHERE until = 0") \
	S(SWEEP_CODES, "DELETE FROM code WHERE expires < ?1 AND NOT EXISTS(SELECT 1 FROM client_grant g" \
	    " WHERE g.id = code.made AND g.ended = 0 AND g.expires > ?1)") \
	S(SWEEP_LOGINS, "DELETE FROM login WHERE expires < ?1") \
	S(SWEEP_KEYS, "DELETE FROM signing_key WHERE until != 0 AND until < ?1") \
	S(SWEEP_GRANTS, "DELETE FROM client_grant WHERE (ended != 0 AND ended < ?1) OR expires < ?1") \
	S(DATASET_ADD, "INSERT INTO dataset(id, name, connection, db, tbl, description, type, created, since)" \
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)") \
	S(DATASET_IMPORTED, "INSERT INTO dataset(id, name, connection, db, tbl, description, type, created," \
	    " published) VALUES(?1, ?3, ?2, '', ?3, '', ?4, 0, 0)" \
	    " ON CONFLICT(connection, db, tbl) DO UPDATE SET type = ?4") \
	S(DATASET_AGAIN, "UPDATE dataset SET name = ?2, description = ?3, type = ?4, published = 1," \
	    " created = coalesce(nullif(created, 0), ?5)," \
	    " since = CASE published WHEN 1 THEN since ELSE ?5 END WHERE id = ?1") \
	S(DATASET_OF, "SELECT " STORE_DATASET_COLUMNS " FROM dataset WHERE connection = ?1 AND db = ?2 AND tbl = ?3") \
	S(DATASET_MEANT, "SELECT " STORE_DATASET_COLUMNS " FROM dataset WHERE published = 1 AND" \
	    " (id = lower(?1) OR name = ?1) ORDER BY id != lower(?1) LIMIT 1") \
	S(DATASETS_COUNT, "SELECT count(*) FROM dataset WHERE published = 1") \
	S(DATASETS, "SELECT " STORE_DATASET_COLUMNS " FROM dataset WHERE published = 1 ORDER BY created, id") \
	S(DATASET_UNPUBLISH, "UPDATE dataset SET published = 0 WHERE id = ?1") \
	S(DATASET_REMOVE, "DELETE FROM dataset WHERE id = ?1") \
	S(AUDIT_ADD, "INSERT INTO audit(seq, entry, hash) VALUES(?1, ?2, ?3)") \
	S(AUDIT_RECEIPTS_ADD, "INSERT INTO audit_receipts(number, seq, behind) VALUES(?1, ?2, ?3)") \
	S(AUDIT_RECEIPTS, "SELECT number, seq, behind FROM audit_receipts WHERE number BETWEEN ?1 AND ?2" \
	    " UNION ALL SELECT number, seq, x'00' FROM audit_receipt WHERE number = ?2 ORDER BY seq") \
	S(AUDIT_RECEIPTS_REMOVE, "DELETE FROM audit_receipts WHERE number = ?1 AND seq < ?2") \
	S(AUDIT_RECEIPT_REMOVE, "DELETE FROM audit_receipt WHERE number = ?1 AND seq < ?2") \
	S(AUDIT_HEAD, "SELECT seq, hash, mac, count(*) OVER () FROM audit_head") \
	S(AUDIT_HEAD_CLEAR, "DELETE FROM audit_head") \
	S(AUDIT_HEAD_SET, "UPDATE audit_head SET seq = ?1, hash = ?2, mac = ?3") \
	S(AUDIT_HEAD_ADD, "INSERT INTO audit_head(seq, hash, mac) VALUES(?1, ?2, ?3)") \
	S(AUDIT_BOUNDS, "SELECT (SELECT min(seq) FROM audit), (SELECT max(seq) FROM audit)") \
	S(AUDIT_PREV, "SELECT substr(entry, -66, 64) FROM audit WHERE seq = ?1") \
	S(AUDIT_USED, "SELECT EXISTS(SELECT 1 FROM token) OR EXISTS(SELECT 1 FROM account) OR" \
	    " EXISTS(SELECT 1 FROM client) OR EXISTS(SELECT 1 FROM client_grant) OR EXISTS(SELECT 1 FROM dataset)") \
	S(AUDIT_UP, "SELECT seq, entry, hash FROM audit WHERE seq >= ?1 ORDER BY seq") \
	S(AUDIT_DOWN, "SELECT seq, entry, hash FROM audit WHERE seq <= ?1 ORDER BY seq DESC") \
	S(AUDIT_REMOVE, "DELETE FROM audit WHERE seq BETWEEN ?1 AND ?2")

#define STORE_DATASET_COLUMNS	"id, name, connection, db, tbl, description, type, created, published, since"
#define STORE_USER_COLUMNS	"name, role, digest, disabled, created, changed, last_login"
#define STORE_CLIENT_COLUMNS	"id, name, source, redirects, created, last_used"
#define STORE_GRANT_COLUMNS \
	"g.id, g.account, g.client, g.scopes, g.resource, g.issuer, g.turn, g.turned, g.turned_for, g.created," \
	" g.last_used, g.expires, g.ended"
#define STORE_TOKEN_COLUMNS	"id, label, mac, last, scopes, created, expires, last_used, requests, revoked"

enum store_statement {
#define STATEMENT(NAME, sql)	STORE_##NAME,
	STORE_STATEMENTS(STATEMENT)
#undef STATEMENT
	STORE_NSTATEMENTS
};

#define STORE_FILES	3	/* the file, its log, the log's index */

struct store {
	sqlite3		*db;
	char		*path;
	sqlite3_stmt	*statements[STORE_NSTATEMENTS];
	uint64_t	 seen;		/* data_version */
	bool		 writing;
	bool		 full;		/* the file system was full, possibly because of the log */
	struct {
		dev_t	dev;
		ino_t	ino;
	}		 files[STORE_FILES];	/* as opened; ino 0: unknown yet */
};

/* A reset statement without bindings.  NULL with *err. */
sqlite3_stmt *store_statement(struct store *s, enum store_statement which, struct err *err);

/* Run a statement without result rows. */
int store_run(struct store *s, sqlite3_stmt *q, struct err *err);

/* -1 with SQLite's last message and advice. */
int store_fail(struct store *s, int code, struct err *err);

void store_bind(sqlite3_stmt *q, int i, struct span text);

/* Parameters of a statement, in order. */
struct store_value {
	enum { STORE_TEXT, STORE_NUMBER, STORE_BYTES } kind;
	struct span	s;
	uint64_t	n;
};

#define STORE_T(text)		((struct store_value){ STORE_TEXT, span_str(text), 0 })
#define STORE_S(span)		((struct store_value){ STORE_TEXT, span, 0 })
#define STORE_N(number)		((struct store_value){ STORE_NUMBER, { NULL, 0 }, number })
#define STORE_B(bytes, len)	((struct store_value){ STORE_BYTES, span_of(bytes, len), 0 })

/* As store_statement(), with all values bound, which are borrowed until the statement has run. */
sqlite3_stmt *store_given(struct store *s, enum store_statement which, const struct store_value *values, size_t n,
    struct err *err);

#define STORE_GIVEN(s, which, err, ...) \
	store_given(s, which, (const struct store_value[]){ __VA_ARGS__ }, \
	    sizeof((const struct store_value[]){ __VA_ARGS__ }) / sizeof(struct store_value), err)

/* Run a statement without result rows; changed, unless NULL, gets the number of changed rows. */
int store_change(struct store *s, sqlite3_stmt *q, uint64_t *changed, struct err *err);

/* Step a statement with at most one row: 1 with a row, to be ended with store_found(); 0: none; -1. */
int store_look(struct store *s, sqlite3_stmt *q, struct err *err);

/* The number in the single row of a statement. */
int store_count(struct store *s, sqlite3_stmt *q, uint64_t *n, struct err *err);
int store_found(sqlite3_stmt *q);

/* A column: text, empty for NULL, cut to cap with its NUL; a number, 0 if negative. */
void store_column_text(sqlite3_stmt *q, int i, char *out, size_t cap);
uint64_t store_column_uint(sqlite3_stmt *q, int i);

/* store_open() with these steps; store_open() itself uses store_steps. */
struct store *store_open_with(const char *path, bool disk, const char *const *steps, int n, struct err *err);
extern const char *const store_steps[];
extern const int store_nsteps;

/* sqlite3_exec() */
int store_exec(struct store *s, const char *sql, struct err *err);

/*
 * path: an absolute path; the store's files exist and belong to this user only. disk: store_commit() waits until the
 * data is on the disk, not only in the kernel.  Creates the tables in an empty store; updates an older one after making
 * a copy of it.  NULL with *err; code ERR_DATABASE_UNAVAILABLE when a retry may succeed.
 */
struct store *store_open(const char *path, bool disk, struct err *err);
void store_close(struct store *s);

/*
 * A transaction is done as a whole or not at all, and excludes other writers.  Not nested.  A commit that fails has
 * rolled back.
 */
int store_begin(struct store *s, struct err *err);

/* For reading alone: what is read is of one moment, and other writers go on. */
int store_begin_look(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s);

/* True when another process has written since the last call, or since the open. */
bool store_changed_elsewhere(struct store *s);

/* Flush committed data to the disk, for stores opened without `disk`. */
int store_sync(struct store *s, struct err *err);
