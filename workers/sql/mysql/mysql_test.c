#include "workers/sql/mysql/mysql_test.h"

#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/shared/call.h"
#include "workers/sql/mysql/mysql_introspect.h"
#include "workers/sql/mysql/mysql_policy.h"
#include "workers/sql/mysql/mysql_sql.h"
#include "workers/sql/mysql/mysql_statement.h"
#include "workers/sql/value.h"

#define READ_ONLY	1792u	/* ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION */

/* Tries a statement that writes, and would change nothing: the session must refuse it for being read-only. */
static int
try_write(struct sql_db *db, struct call *c, bool *refused, struct err *err)
{
	MYSQL_RES *result;
	struct err why;

	if (mysql_statement_run(db, c, SPAN("DROP TABLE IF EXISTS carrel_write_probe"), call_deadline(c), &result,
		&why) == 0)
		*refused = false;
	else if (db->dead || why.code == ERR_QUERY_TIMEOUT || why.code == ERR_QUERY_CANCELLED) {
		*err = why;
		return -1;
	} else
		*refused = mysql_errno(mysql_session_handle(db->session)) == READ_ONLY;
	return 0;
}

/* "it may also write: INSERT, UPDATE; EXECUTE, FILE": privileges that write come first. */
static void
put_privileges(struct sql_test *t, MYSQL_RES *result)
{
	struct buf text = BUF_MAX(sizeof(t->can_write_why) - 1);
	MYSQL_ROW row = mysql_fetch_row(result);
	bool other = false;

	t->can_write = row != NULL && row[1][0] == '1' ? SQL_WRITE_YES : SQL_WRITE_NO;
	buf_str(&text,
	    t->can_write == SQL_WRITE_YES ? "the account may write: " : "the account has no privilege to write");
	for (bool first = true; row != NULL; row = mysql_fetch_row(result), first = false) {
		bool writes = row[1][0] == '1';

		buf_str(&text, writes ? (first ? "" : ", ") : other ? ", " : "; it also has ");
		buf_str(&text, row[0]);
		other = other || !writes;
	}
	snprintf(t->can_write_why, sizeof(t->can_write_why), "%s", buf_cstr(&text));
	buf_fini(&text);
}

static void
note_readable(void *arg, struct span schema, struct span relation, struct span column)
{
	struct sql_test *t = arg;
	size_t len = strlen(t->readable);

	t->nreadable++;
	snprintf(t->readable + len, sizeof(t->readable) - len, "%s%.*s.%.*s.%.*s", len > 0 ? ", " : "",
	    SPAN_FMT(schema), SPAN_FMT(relation), SPAN_FMT(column));
}

#define WEAK_SHOWN	5u	/* relations named of each kind */

/* What is said of relations of a kind, behind their number. */
static const char *const weak_kinds[] = {
	"base tables and views give rows of all callers; grant views with ALGORITHM = TEMPTABLE alone",
	"views compare with a value of the caller by a collation that ignores case, accents or trailing blanks, so "
	"that other values open the same rows; write `= app_tenant() COLLATE utf8mb4_nopad_bin`",
};

/* Append the relations of a kind to what was found; *row is the first of them, and then of another kind, or NULL. */
static void
put_weak(struct buf *found, struct call *c, MYSQL_RES *result, char kind, const char *says, MYSQL_ROW *row)
{
	struct buf names = BUF_MAX(1024);
	unsigned long long n = 0;

	for (; *row != NULL && (*row)[2][0] == kind; *row = mysql_fetch_row(result))
		if (n++ < WEAK_SHOWN)
			buf_printf(&names, "%s %s.%s", n > 1 ? "," : "", value_clean(call_arena(c), (*row)[0]),
			    value_clean(call_arena(c), (*row)[1]));
	if (n > 0)
		buf_printf(found, "%s%llu %s:%.*s", found->len > 0 ? "; " : "", n, says, SPAN_FMT(buf_view(&names)));
	buf_fini(&names);
}

/* What the account can read as it is, and views that do not hide for certain what they leave out. */
static int
test_identity(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	struct buf found = BUF_MAX(sizeof(t->identity) - 1);
	MYSQL_RES *result;
	MYSQL_ROW row;

	if (db->cfg->identity == NULL)
		return 0;
	if ((result = mysql_statement_ask_of_schemas(db, c, mysql_identity_test_sql, "!!!", err)) == NULL)
		return -1;
	row = mysql_fetch_row(result);
	for (unsigned kind = 0; kind < sizeof(weak_kinds) / sizeof(weak_kinds[0]); kind++)
		put_weak(&found, c, result, (char)('0' + kind), weak_kinds[kind], &row);
	snprintf(t->identity, sizeof(t->identity), "%s", buf_cstr(&found));
	buf_fini(&found);
	mysql_free_result(result);
	return 0;
}

int
mysql_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	uint64_t since = clock_ns(), us;
	MYSQL_RES *result;
	MYSQL_ROW row;

	if ((result = mysql_statement_ask(db, c, SPAN("SELECT VERSION(), CURRENT_USER()"), "!!", err)) == NULL)
		return -1;
	us = (clock_ns() - since) / 1000;
	t->latency_ms = (double)us / 1000.0;
	if ((row = mysql_fetch_row(result)) != NULL) {
		snprintf(t->server_version, sizeof(t->server_version), "%s", value_clean(call_arena(c), row[0]));
		snprintf(t->user, sizeof(t->user), "%s", value_clean(call_arena(c), row[1]));
	}
	mysql_free_result(result);
	if ((result = mysql_statement_ask(db, c, span_str(mysql_privileges_sql), "!!", err)) == NULL)
		return -1;
	put_privileges(t, result);
	mysql_free_result(result);
	if (test_identity(db, c, t, err) == -1 || mysql_policy_readable(db, c, note_readable, t, err) == -1)
		return -1;
	return mysql_reach(db, c, &t->reach, err) == -1 ? -1 : try_write(db, c, &t->read_only_session, err);
}
