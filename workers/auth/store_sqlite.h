/* store_sqlite - what the files of the store on SQLite share; nobody else includes it. */
#ifndef WORKERS_AUTH_STORE_SQLITE_H
#define WORKERS_AUTH_STORE_SQLITE_H

#include <sys/types.h>

#include <sqlite3.h>

#include "workers/auth/store.h"

/* The statements that are kept prepared. */
#define STORE_STATEMENTS(S)									\
	S(DATA_VERSION, "PRAGMA data_version")							\
	S(BEGIN, "BEGIN IMMEDIATE")								\
	S(COMMIT, "COMMIT")									\
	S(SETTING, "SELECT value FROM setting WHERE key = ?1")					\
	S(SET_SETTING, "INSERT INTO setting(key, value) VALUES(?1, ?2)"				\
	    " ON CONFLICT(key) DO UPDATE SET value = excluded.value")				\
	S(TOKEN_ADD, "INSERT INTO token(id, label, mac, last, scopes, created, expires)"	\
	    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")						\
	S(TOKEN_FROM, "SELECT " STORE_TOKEN_COLUMNS " FROM token WHERE id >= ?1 ORDER BY id LIMIT 1") \
	S(TOKEN_UP_TO, "SELECT " STORE_TOKEN_COLUMNS " FROM token WHERE id < ?1 ORDER BY id DESC LIMIT 1") \
	S(TOKEN_LABELLED, "SELECT id, count(*) FROM token WHERE label = ?1")			\
	S(TOKENS, "SELECT " STORE_TOKEN_COLUMNS " FROM token ORDER BY created, id")		\
	S(TOKEN_REVEAL, "UPDATE token SET mac = ?2, last = ?3 WHERE id = ?1 AND mac IS NULL")	\
	S(TOKEN_REVOKE, "UPDATE token SET revoked = ?2 WHERE id = ?1 AND revoked = 0")		\
	S(TOKEN_LAPSE, "UPDATE token SET expires = created + ?2 WHERE id = ?1 AND mac IS NULL AND revoked = 0") \
	S(TOKEN_USED, "UPDATE token SET requests = requests + ?2, last_used = max(last_used, ?3) WHERE id = ?1") \
	S(AUDIT_ADD, "INSERT INTO audit(seq, entry, hash) VALUES(?1, ?2, ?3)")			\
	S(AUDIT_RECEIPT_ADD, "INSERT OR IGNORE INTO audit_receipt(number, seq) VALUES(?1, ?2)")	\
	S(AUDIT_RECEIPT, "SELECT seq FROM audit_receipt WHERE number = ?1")			\
	S(AUDIT_RECEIPT_REMOVE, "DELETE FROM audit_receipt WHERE number = ?1")			\
	S(AUDIT_HEAD, "SELECT seq, hash, mac FROM audit_head")					\
	S(AUDIT_HEAD_SET, "UPDATE audit_head SET seq = ?1, hash = ?2, mac = ?3")		\
	S(AUDIT_HEAD_ADD, "INSERT INTO audit_head(seq, hash, mac) VALUES(?1, ?2, ?3)")		\
	S(AUDIT_BOUNDS, "SELECT (SELECT min(seq) FROM audit), (SELECT max(seq) FROM audit)")	\
	S(AUDIT_UP, "SELECT seq, entry, hash FROM audit WHERE seq >= ?1 ORDER BY seq")		\
	S(AUDIT_DOWN, "SELECT seq, entry, hash FROM audit WHERE seq <= ?1 ORDER BY seq DESC")	\
	S(AUDIT_REMOVE, "DELETE FROM audit WHERE seq BETWEEN ?1 AND ?2")

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
	struct {
		dev_t	dev;
		ino_t	ino;
	}		 files[STORE_FILES];	/* as opened; ino 0: not known yet */
};

/* Reset and without bindings.  NULL with *err. */
sqlite3_stmt *store_statement(struct store *s, enum store_statement which, struct err *err);

/* Run one that gives no rows. */
int store_run(struct store *s, sqlite3_stmt *q, struct err *err);

/* -1 with what SQLite said last, and what to do about it. */
int store_fail(const struct store *s, int code, struct err *err);

void store_bind(sqlite3_stmt *q, int i, struct span text);

/*
 * Step i makes version i + 1 of the tables from version i: make them in an empty store, or bring them up to
 * date.  A row never changes once it was released.
 */
int store_migrate(struct store *s, const char *const *steps, int n, struct err *err);

/* store_open() with these steps; the real ones are n of store_steps. */
struct store *store_open_with(const char *path, bool disk, const char *const *steps, int n, struct err *err);
extern const char *const store_steps[];
extern const int store_nsteps;

/* sqlite3_exec() */
int store_exec(struct store *s, const char *sql, struct err *err);

#endif
