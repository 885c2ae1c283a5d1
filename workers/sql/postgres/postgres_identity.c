#include "workers/sql/postgres/postgres_identity.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "workers/sql/postgres/postgres_fingerprint.h"
#include "workers/sql/postgres/postgres_sql.h"

#define TEXT	25	/* the type */

/* The answers of postgres_identity_role.sql. */
enum { EXISTS, MAY, FREE };

/* One row of booleans about the role, the account itself for NULL; NULL with *err. */
static PGresult *
ask_role(PGconn *conn, const char *role, struct err *err)
{
	PGresult *res = PQexecParams(conn, postgres_identity_role_sql, 1, NULL, &role, NULL, NULL, 0);

	if (PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1)
		return res;
	err_set(err, ERR_DATABASE_UNAVAILABLE, "the roles of the connection's identity cannot be looked up");
	err_detail(err, "%s", PQresultErrorMessage(res));
	PQclear(res);
	return NULL;
}

static bool
is_true(const PGresult *res, int column)
{
	return PQgetvalue(res, 0, column)[0] == 't';
}

static int
check_role(PGconn *conn, const char *role, struct err *err)
{
	PGresult *res = ask_role(conn, role, err);
	int result = 0;

	if (res == NULL)
		return -1;
	if (!is_true(res, EXISTS))
		result = err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "identity.roles names %s, and the server has no such role: create it, or correct the name", role);
	else if (!is_true(res, MAY))
		result = err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "identity.roles names %s, which the account may not take: GRANT that role to it", role);
	else if (is_true(res, FREE))
		result = err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "identity.roles names %s, a superuser or a role with BYPASSRLS, which row security does not bind: "
		    "name another role",
		    role);
	PQclear(res);
	return result;
}

static int
check_account(PGconn *conn, struct err *err)
{
	PGresult *res = ask_role(conn, NULL, err);
	int result = 0;

	if (res == NULL)
		return -1;
	if (is_true(res, FREE))
		result = err_set(err, ERR_DATABASE_UNAVAILABLE,
		    "the connection has an identity, and its account is a superuser or has BYPASSRLS, which row "
		    "security "
		    "does not bind: connect with an account that owns nothing and only reads (`carrel connection "
		    "grants`)");
	PQclear(res);
	return result;
}

/* The statement of each transaction, and the same for the session, where every value is empty. */
static void
put_settings(const struct identity *id, bool local, struct buf *out)
{
	size_t n = identity_settings(id);

	buf_str(out, "SELECT ");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%spg_catalog.set_config('%s', ", i > 0 ? ", " : "", identity_setting(id, i));
		if (local)
			buf_printf(out, "$%zu, true)", i + 1);
		else
			buf_str(out, "'', false)");
	}
	if (local && identity_roles(id) > 0)
		buf_printf(out, "%spg_catalog.set_config('role', $%zu, true)", n > 0 ? ", " : "", n + 1);
}

int
postgres_identity_open(struct sql_db *db, struct err *err)
{
	const struct identity *id = db->cfg->identity;
	struct buf text = { 0 };
	PGresult *res;
	int result;

	if (id == NULL)
		return 0;
	result = check_account(db->session.conn, err);
	for (size_t i = 0; i < identity_roles(id) && result == 0; i++)
		result = check_role(db->session.conn, identity_role(id, i), err);
	if (result == 0 && identity_settings(id) > 0) {
		put_settings(id, false, &text);
		res = PQexec(db->session.conn, buf_cstr(&text));
		if (PQresultStatus(res) != PGRES_TUPLES_OK) {
			err_set(err, ERR_DATABASE_UNAVAILABLE,
			    "the server does not take a setting of identity.settings: a prefix of an extension's own "
			    "cannot "
			    "be used; write another one, as app.user");
			result = err_detail(err, "%s", PQresultErrorMessage(res));
		}
		PQclear(res);
	}
	buf_reset(&db->identity, SIZE_MAX);
	put_settings(id, true, &db->identity);
	(void)buf_cstr(&db->identity);
	buf_fini(&text);
	return result;
}

bool
postgres_identity_send(const struct sql_db *db, const struct identity_as *as)
{
	const char *values[IDENTITY_SETTINGS_MAX + 1];
	Oid types[IDENTITY_SETTINGS_MAX + 1];
	size_t n = as->n;

	memcpy(values, as->values, n * sizeof(*values));
	if (identity_roles(db->cfg->identity) > 0)
		values[n++] = as->role;
	for (size_t i = 0; i < n; i++)
		types[i] = TEXT;
	return PQsendQueryParams(db->session.conn, (const char *)db->identity.p, (int)n, types, values, NULL, NULL,
		   0) == 1;
}

int
postgres_identity_explain(const struct sql_db *db, const PGresult *res, struct err *err)
{
	err_set(err, ERR_DATABASE_ERROR,
	    "the settings or the role of the one who asks could not be set, so the statement was not run; the owner of "
	    "connection \"%s\" can look with `carrel connection test %s`",
	    db->cfg->connection, db->cfg->connection);
	return err_detail(err, "%s", PQresultErrorMessage(res));
}

char *
postgres_identity_names(const struct sql_config *cfg)
{
	struct buf text = { 0 };
	char *copy;

	buf_byte(&text, '{');
	for (size_t i = 0; cfg->identity != NULL && i < identity_settings(cfg->identity); i++)
		buf_printf(&text, "%s%s", i > 0 ? "," : "", identity_setting(cfg->identity, i));
	buf_byte(&text, '}');
	copy = mem_text(buf_view(&text));
	buf_fini(&text);
	return copy;
}

int
postgres_identity_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err)
{
	const struct identity *id = db->cfg->identity;
	struct buf schemas = { 0 }, roles = { 0 };
	PGresult *res;

	if (id == NULL)
		return 0;
	pg_put_schemas(&schemas, db->cfg);
	buf_byte(&roles, '{');
	for (size_t i = 0; i < identity_roles(id); i++)
		postgres_fingerprint_put(&roles, identity_role(id, i));
	buf_byte(&roles, '}');
	res =
	    pg_ask(db, c, postgres_identity_test_sql, 2, (const char *[]){ buf_cstr(&schemas), buf_cstr(&roles) }, err);
	buf_fini(&schemas);
	buf_fini(&roles);
	if (res == NULL)
		return -1;
	snprintf(t->identity, sizeof(t->identity), "%s",
	    PQntuples(res) == 1 && !PQgetisnull(res, 0, 0) ? PQgetvalue(res, 0, 0) : "");
	PQclear(res);
	return 0;
}
