#include "workers/sql/sqlite/sqlite.h"
#include "workers/sql/sqlite/sqlite_errors.h"
#include "workers/sql/sqlite/sqlite_fingerprint.h"
#include "workers/sql/sqlite/sqlite_sql.h"
#include "workers/shared/call.h"

static int
add_all(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	const struct sql_config *cfg = db->cfg;
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite_guard_reset(&db->guard);
	rc = sqlite3_prepare_v2(db->db, sqlite_fingerprint_sql, -1, &stmt, NULL);
	if (rc != SQLITE_OK)
		return sqlite_explain(db, c, SPAN(""), rc, false, err);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(stmt, 1);

		/* SQLite's internal tables come and go with ANALYZE. */
		if (table == NULL || sqlite3_strnicmp(table, "sqlite_", 7) == 0 ||
		    !catalog_is_enabled(cfg->enabled, cfg->nenabled, "main", table))
			continue;
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const void *text = sqlite3_column_text(stmt, i);

			fingerprint_add(f,
			    text == NULL ? SPAN("") : span_of(text, (size_t)sqlite3_column_bytes(stmt, i)));
		}
	}
	rc = rc == SQLITE_DONE ? 0 : sqlite_explain(db, c, SPAN(""), rc, true, err);
	sqlite3_finalize(stmt);
	return rc;
}

int
sqlite_fingerprint(struct sql_db *db, struct call *c, struct fingerprint *f, struct err *err)
{
	int rc;

	if (!sqlite_file_is_same(&db->file))
		leave_process("the database file was replaced");
	sqlite_watch_begin(db, c, call_deadline(c));
	rc = add_all(db, c, f, err);
	sqlite_watch_end(db);
	return rc;
}
